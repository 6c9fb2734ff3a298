// Runs `entente arena` as a child process, on a free port of this machine, to train and test bots (in Node).
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { ConnectionLost, TimeLimit } from "./errors.js";

const START = 60;  // seconds
const MOST_LINES = 200;

/**
 * Starts an arena: `const arena = await openArena({ bots: 3 })`. The options are those of `entente arena`, with "_" instead of
 * "-". `program`: the file `entente`; otherwise that of the environment's ENTENTE, otherwise the one in PATH. Returns
 * { port, lines, close }: the newest lines that it wrote, and a function that stops it and waits until it has ended.
 */
export function openArena({ program = process.env.ENTENTE || "entente", ...options } = {}) {
  const given = Object.entries(options).filter(([, value]) => value !== false)
    .flatMap(([name, value]) => [`--${name.replaceAll("_", "-")}`, ...(value === true ? [] : [String(value)])]);
  const child = spawn(program, ["arena", "--listen", "native://127.0.0.1:0?dialect=json", ...given], { stdio: ["ignore", "pipe", "pipe"] });
  const lines = [], ended = new Promise((resolve) => child.on("close", resolve));
  const close = () => (child.kill(), ended);
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => (close(), reject(new TimeLimit("the start of the arena", START))), 1000 * START);
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line), lines.splice(0, lines.length - MOST_LINES);
        const found = /^listening native .*:(\d+)$/.exec(line);
        if (found) clearTimeout(late), resolve({ port: Number(found[1]), lines, close });
      });
    child.on("error", (error) => (clearTimeout(late), reject(new ConnectionLost(`cannot start ${program}: ${error.message}`))));
    child.on("close", () => (clearTimeout(late), reject(new ConnectionLost(`the arena did not start: ${lines.join("\n")}`))));
  });
}
