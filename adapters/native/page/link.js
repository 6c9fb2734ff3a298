// The WebSocket at this page's own address: one JSON message per text frame (schema/NATIVE.md).
// Invariant: its end is reported once, with a sentence for people.

export class Link {
  #on;

  /** Calls `heard(fact)` for each fact, and `ended(sentence)` once. */
  constructor(on) {
    const address = new URL(location.pathname, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    this.#on = on;
    this.socket = new WebSocket(address);
    this.why = "";
    this.socket.onopen = () => this.#on.opened();
    this.socket.onmessage = ({ data }) => {
      const fact = JSON.parse(data);
      if (fact.kicked) this.why ||= `You were disconnected: ${fact.kicked.text || "no reason was given"}`;
      if (fact.refused && !fact.refused.may_retry) this.why ||= refusal(fact.refused);
      this.#on.heard(fact);
    };
    this.socket.onclose = ({ code, reason }) => this.#on.ended(this.why || sentence(code, reason));
  }

  /** From now on, others are called. `opened` is called at once if the link is open already. */
  passTo(on) {
    this.#on = on;
    if (this.is_open) on.opened();
  }

  get is_open() { return this.socket.readyState === WebSocket.OPEN; }
  /** It may still be opened, and has not ended. */
  get lives() { return this.is_open || this.socket.readyState === WebSocket.CONNECTING; }

  /** Sends an intent: say("toward", { x, y }). Does nothing before the connection is open or after its end. */
  say(kind, word = {}) {
    if (this.is_open) this.socket.send(JSON.stringify({ [kind]: word }));
  }

  leave() {
    this.why = "You left.";
    this.say("leave");
    this.close();
  }

  /** Closes without a Leave, for a visitor who has not entered. */
  close() { this.socket.close(1000); }
}

/** A Refused in words. */
export const refusal = ({ text, code }) => `You were not admitted: ${text || code || "no reason was given"}`;

function sentence(code, reason) {
  if (reason) return `The connection ended: ${reason}`;
  if (code === 1006) return "The connection was lost, or could not be established.";
  return `The connection ended (code ${code}).`;
}
