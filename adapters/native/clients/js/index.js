// Bots for every game that Entente supports, over its native protocol. README.md has examples.
export { Bot, connect, distance } from "./bot.js";
export { BadIntent, ClaimRefused, ConnectionLost, EntenteError, Kicked, ProtocolError, Refused, TimeLimit } from "./errors.js";
export { Room } from "./room.js";
