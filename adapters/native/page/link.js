// The WebSocket at this page's own address: a word a text frame, in JSON (schema/NATIVE.md).
// Law: whatever ends it is told once, with a sentence for people.

export class Link {
  /** `heard(fact)` for each fact; `ended(sentence)` once. */
  constructor({ opened, heard, ended }) {
    const address = new URL(location.pathname, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(address);
    this.why = "";
    this.socket.onopen = opened;
    this.socket.onmessage = ({ data }) => {
      const fact = JSON.parse(data);
      if (fact.kicked) this.why ||= `You were thrown out: ${fact.kicked.text || "no reason was given"}`;
      if (fact.refused) this.why ||= `You were not let in: ${fact.refused.text || fact.refused.code || "no reason was given"}`;
      heard(fact);
    };
    this.socket.onclose = ({ code, reason }) => ended(this.why || sentence(code, reason));
  }

  /** Says an intent: say("toward", { x, y }). Before it is open or after the end, nothing happens. */
  say(kind, word = {}) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ [kind]: word }));
  }

  leave() {
    this.why = "You left.";
    this.say("leave");
    this.socket.close(1000);
  }
}

function sentence(code, reason) {
  if (reason) return `The connection ended: ${reason}`;
  if (code === 1006) return "The connection broke, or could not be made.";
  return `The connection ended (code ${code}).`;
}
