// The WebSocket at this page's own address: one JSON message per text frame (schema/NATIVE.md).
// Law: its end is reported once, with a sentence for people.

export class Link {
  /** Calls `heard(fact)` for each fact, and `ended(sentence)` once. */
  constructor({ opened, heard, ended }) {
    const address = new URL(location.pathname, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(address);
    this.why = "";
    this.socket.onopen = opened;
    this.socket.onmessage = ({ data }) => {
      const fact = JSON.parse(data);
      if (fact.kicked) this.why ||= `You were disconnected: ${fact.kicked.text || "no reason was given"}`;
      if (fact.refused) this.why ||= `You were not admitted: ${fact.refused.text || fact.refused.code || "no reason was given"}`;
      heard(fact);
    };
    this.socket.onclose = ({ code, reason }) => ended(this.why || sentence(code, reason));
  }

  /** Sends an intent: say("toward", { x, y }). Does nothing before the connection is open or after its end. */
  say(kind, word = {}) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ [kind]: word }));
  }

  leave() {
    this.why = "You left.";
    this.say("leave");
    this.close();
  }

  /** Closes without a Leave, for a visitor who has not entered. */
  close() { this.socket.close(1000); }
}

function sentence(code, reason) {
  if (reason) return `The connection ended: ${reason}`;
  if (code === 1006) return "The connection was lost, or could not be established.";
  return `The connection ended (code ${code}).`;
}
