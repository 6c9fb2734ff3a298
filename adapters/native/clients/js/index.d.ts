// Types of the package. README.md explains them.
import type { Enter, Facts, Intents, Role, Room as RoomFact, Team, World, Clock, Token, Zone, Round, TeamScore, BoardRow, Shot, Unit as UnitFact } from "./words.js";
export type * from "./words.js";

export interface Place { x: number; y: number; z?: number; vx?: number; vy?: number; vz?: number; yaw?: number }
export interface Pose { x: number; y: number; z: number; vx: number; vy: number; vz: number; yaw: number; pitch: number; yawRate: number }

export interface Player {
  id: number; name: string; team: Team; role: Role; colour: number;
  units: number[];  // ids
  active: number;   // the unit that it steers
  wins: number; losses: number;
}

export interface Unit extends Omit<UnitFact, "pose"> {
  hidden: boolean;  // out of sight; where it is, is not known
  track: { pose: Pose; told: number };  // the newest place that was told; Bot.placeOf() says where it is now
}

export class Room {
  me: number;
  about: Partial<RoomFact>;
  world: World | null;
  clock: Clock | null;
  ready: boolean;
  rules: Map<string, string>;
  players: Map<number, Player>;
  units: Map<number, Unit>;
  shots: Map<string, Shot>;
  tokens: Map<number, Token>;
  zones: Map<number, Zone>;
  teams: Map<Team, TeamScore>;
  board: BoardRow[];
  round: Partial<Round>;
  leftOut: number;
  rule(name: string, otherwise: number): number;
  unitsOf(player: number): Unit[];
  unitOf(player: number): Unit | undefined;
}

export interface SentIntent { number: number; kind: keyof Intents; word: object }
/** What happens: a fact, or "connected" and "disconnected" (`word` is then null or the error). */
export type Event = { [K in keyof Facts]: { kind: K; word: Facts[K]; at_us: number; intent: SentIntent | null } }[keyof Facts]
  | { kind: "connected"; word: null; at_us: number; intent: null }
  | { kind: "disconnected"; word: EntenteError; at_us: number; intent: null };
export type EventOf<K extends Event["kind"]> = Extract<Event, { kind: K }>;
export type Target = Unit | Player | Place;

export interface Events<E> extends AsyncIterableIterator<E> { readonly missed: number }

export class Bot {
  readonly room: Room;
  readonly error: Error | null;
  readonly over: boolean;
  readonly resyncing: boolean;
  readonly me: Player | undefined;
  readonly unit: Unit | undefined;
  readonly connected: boolean;
  readonly now: number;
  placeOf(unit: Unit): Pose;
  others(): Unit[];
  foes(): Unit[];
  playerNamed(name: string): Player | undefined;
  send<K extends keyof Intents>(kind: K, word?: Intents[K]): void;
  goto(x: number, y: number): void;
  follow(target: Target): void;
  stop(): void;
  turnTo(target: Target): void;
  aim(target: Target): { x: number; y: number; z: number };
  shootAt(target: Target): number;
  say(text: string, options?: { to?: number; team?: boolean }): void;
  spawn(options?: { timeout?: number }): Promise<Unit>;
  arrive(x: number, y: number, options?: { within?: number; timeout?: number }): Promise<void>;
  step(ticks?: number, options?: { timeout?: number }): Promise<void>;
  waitFor<K extends Event["kind"]>(kind: K, where?: (word: EventOf<K>["word"]) => boolean, options?: { timeout?: number }): Promise<EventOf<K>>;
  events(): Events<Event>;
  events<K extends Event["kind"]>(...kinds: K[]): Events<EventOf<K>>;
  on<K extends Event["kind"]>(kind: K, callback: (event: EventOf<K>) => void): void;
  on(kind: "*", callback: (event: Event) => void): void;
  leave(): void;
  [Symbol.asyncIterator](): Events<Event>;
}

export interface ConnectOptions {
  host?: string; port?: number; name?: string; team?: Team; role?: Role;
  web?: boolean; tls?: boolean; path?: string;
  timeout?: number; reconnect?: boolean; firstDelay?: number; longestDelay?: number; mostEvents?: number;
  on?: { [K in Event["kind"]]?: (event: EventOf<K>) => void };
  enter?: Partial<Enter>;
}
export function connect(options?: ConnectOptions): Promise<Bot>;
export function distance(one: Place, other: Place): number;

export class EntenteError extends Error { mayRetry: boolean }
export class BadIntent extends EntenteError { place: string; why: string }
export class ProtocolError extends EntenteError { place: string; why: string }
export class Refused extends EntenteError { code: string; text: string; number: number; place: string }
export class ClaimRefused extends EntenteError { why: string; intent: SentIntent | null }
export class Kicked extends EntenteError {}
export class ConnectionLost extends EntenteError {}
export class TimeLimit extends EntenteError {}
