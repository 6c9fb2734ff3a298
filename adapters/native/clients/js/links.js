// A connection that carries lines: TCP (in Node), or a WebSocket with one line per text frame (in browsers, and in Node 22).
// Invariant: its end is reported once. What is kept of a server is at most one message of 16 MiB and one read, however small the
// pieces are in which it comes. A server that does not read is noticed when 1 MiB waits for it, and does not keep the program from
// ending.
import { LONGEST_LINE } from "./codec.js";
import { ConnectionLost, ProtocolError } from "./errors.js";

const MOST_WAITING = 1024 * 1024;
const READ = 65536;  // bytes, about
const FAREWELL = 1000;  // ms at the end, for what was written

/** Calls `on.opened()`, `on.lines(array)` and, once, `on.ended(error)`. */
export class TcpLink {
  #socket;
  #part = Buffer.alloc(0);  // its first #size bytes begin a line
  #size = 0;
  #on;

  static async open(host, port, on) {
    const { connect } = await import("node:net");
    return new TcpLink(connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }), on);
  }

  constructor(socket, on) {
    this.#socket = socket, this.#on = on;
    socket.on("connect", () => this.#on?.opened());
    socket.on("data", (data) => this.#take(data));
    socket.on("error", (error) => this.#end(new ConnectionLost(`the connection was lost: ${error.message}`)));
    socket.on("close", () => this.#end(new ConnectionLost("the server closed the connection")));
  }

  #take(data) {
    if (!this.#on) return;
    const end = data.lastIndexOf(10);
    if (end < 0) {
      this.#keep(data);
      if (this.#size > LONGEST_LINE) this.#end(new ProtocolError("message", `longer than ${LONGEST_LINE} bytes`));
      return;
    }
    const whole = this.#size ? Buffer.concat([this.#part.subarray(0, this.#size), data.subarray(0, end)]) : data.subarray(0, end);
    this.#size = 0;
    if (this.#part.length > READ) this.#part = Buffer.alloc(0);
    this.#keep(data.subarray(end + 1));
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(whole);
    } catch {
      return this.#end(new ProtocolError("message", "not UTF-8"));
    }
    this.#on.lines(text.split("\n"));
  }

  /** The space doubles, so that a byte is copied about twice, however many reads a line takes. */
  #keep(data) {
    const size = this.#size + data.length;
    if (size > this.#part.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, Math.min(2 * this.#part.length, LONGEST_LINE + READ)));
      this.#part.copy(larger, 0, 0, this.#size);
      this.#part = larger;
    }
    data.copy(this.#part, this.#size);
    this.#size = size;
  }

  #end(error) {
    if (!this.#on) return;
    const on = this.#on;
    this.#on = null, this.#part = Buffer.alloc(0), this.#size = 0;
    const socket = this.#socket;
    if (!socket.destroyed) {
      const late = setTimeout(() => socket.destroy(), FAREWELL);
      socket.once("close", () => clearTimeout(late));
      socket.destroySoon();
    }
    on.ended(error);
  }

  write(line) {
    if (!this.#on) throw new ConnectionLost("the connection is closed");
    if (this.#socket.writableLength > MOST_WAITING) throw new ConnectionLost("the server does not read");
    this.#socket.write(`${line}\n`);
  }

  /** The lines that were read are not handled yet: reads no more. */
  pause() { this.#socket.pause(); }
  resume() { this.#socket.resume(); }

  close(error = new ConnectionLost("you closed the connection")) { this.#end(error); }
}

/** The same, over a WebSocket. */
export class WebLink {
  #socket;
  #on;

  constructor(url, on) {
    if (!globalThis.WebSocket) throw new ConnectionLost("this program has no WebSocket: connect by TCP, or use Node 22");
    this.#on = on;
    this.#socket = new WebSocket(url);
    this.#socket.onopen = () => this.#on?.opened();
    this.#socket.onmessage = ({ data }) => {
      if (typeof data !== "string") return this.close(new ProtocolError("message", "not a text"));
      if (data.length > LONGEST_LINE) return this.close(new ProtocolError("message", `longer than ${LONGEST_LINE} bytes`));
      this.#on?.lines([data]);
    };
    this.#socket.onclose = ({ code, reason }) => this.close(new ConnectionLost(reason ? `the server closed the connection: ${reason}` : `the connection ended (code ${code})`));
  }

  write(line) {
    if (!this.#on || this.#socket.readyState !== WebSocket.OPEN) throw new ConnectionLost("the connection is closed");
    if (this.#socket.bufferedAmount > MOST_WAITING) throw new ConnectionLost("the server does not read");
    this.#socket.send(line);
  }

  pause() {}
  resume() {}

  close(error = new ConnectionLost("you closed the connection")) {
    const on = this.#on;
    this.#on = null;
    this.#socket.close();
    on?.ended(error);
  }
}
