// What can go wrong. Every error of this package is an EntenteError.

/** `mayRetry`: the same connection, or a new one, may succeed later. */
export class EntenteError extends Error {
  mayRetry = false;
  get name() { return this.constructor.name; }
}

class PlacedError extends EntenteError {
  constructor(place, why) {
    super(`${place}: ${why}`);
    this.place = place, this.why = why;
  }
}

/** An intent that was not sent, because it is wrong. `place` is its field, such as "toward.x". */
export class BadIntent extends PlacedError {}

/** The server sent something that is not the native protocol. `place` is the field, such as "pose.x". */
export class ProtocolError extends PlacedError {}

/**
 * The server did not admit you, or could not read a message of yours: then `number` is that message's, from 1, and `place`
 * says which field or byte of it is wrong. `code` and `text` are the server's.
 */
export class Refused extends EntenteError {
  constructor(code, text, mayRetry = false) {
    super(text || code);
    const found = /^message (\d{1,15}): ([^]*)$/.exec(text);
    this.code = code, this.text = text, this.mayRetry = mayRetry;
    this.number = found ? Number(found[1]) : 0, this.place = found ? found[2] : "";
  }
}

/** The server did not do what you asked. `intent` is what you sent, if the server says which it was. */
export class ClaimRefused extends EntenteError {
  constructor(why, intent = null) {
    super(why);
    this.why = why, this.intent = intent;
  }
}

/** The server ended the session. */
export class Kicked extends EntenteError {}

/** There is no connection, or it ended without a reason. */
export class ConnectionLost extends EntenteError {
  mayRetry = true;
}

/** What was awaited did not happen in time. */
export class TimeLimit extends EntenteError {
  mayRetry = true;
  constructor(what, seconds) {
    super(`${what} did not happen within ${seconds} s`);
  }
}
