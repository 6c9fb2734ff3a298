// Words as JSON, one message per line. Invariant: every field of a fact that was read is there and has its type, and its
// numbers are finite. A fact with a wrong type throws a ProtocolError, an intent with a wrong value a BadIntent; both name
// the field. Unknown kinds, fields and names of enums are ignored, as the protocol asks for.
import { BadIntent, ProtocolError } from "./errors.js";
import { ENUMS, FACTS, INTENTS, MESSAGES } from "./words.js";

export const LONGEST_LINE = 16 * 1024 * 1024;  // bytes of a message from a server
const LONGEST_INTENT = 65536;                  // bytes of a message from a client
const MOST = { uint32: 0xffff_ffff, uint64: Number.MAX_SAFE_INTEGER };
const NOT_FINITE = ["NaN", "Infinity", "-Infinity"];
const ZEROS = { double: 0, float: 0, uint32: 0, uint64: 0, bool: false, string: "", bytes: "" };

const own = (table, name) => (Object.hasOwn(table, name) ? table[name] : undefined);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function readNumber(value, place) {
  if (NOT_FINITE.includes(value)) return 0;
  if (typeof value !== "number") throw new ProtocolError(place, "not a number");
  return Number.isFinite(value) ? value : 0;
}

function readWhole(value, most, place) {
  const number = typeof value === "string" && /^\d{1,20}$/.test(value) ? Number(value) : value;
  if (!Number.isInteger(number)) throw new ProtocolError(place, "not a whole number");
  if (number < 0 || number > most) throw new ProtocolError(place, `not between 0 and ${most}`);
  return number;
}

function readValue(code, value, place) {
  if (code === "double" || code === "float") return readNumber(value, place);
  if (own(MOST, code)) return readWhole(value, MOST[code], place);
  if (own(MESSAGES, code)) return read(code, value, place);
  if (own(ENUMS, code) && Number.isInteger(value)) return ENUMS[code][value] ?? String(value);
  const wanted = code === "bool" ? "boolean" : "string";
  if (typeof value !== wanted) throw new ProtocolError(place, code === "bool" ? "not true or false" : "not a text");
  if (code === "bytes" && (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(value))) throw new ProtocolError(place, "not base64");
  return value;
}

/** A message of this type, with all its fields. */
function read(type, value, place) {
  if (!isObject(value)) throw new ProtocolError(place, "not an object");
  const made = {};
  for (const [name, code] of Object.entries(MESSAGES[type])) {
    const given = own(value, name), plain = code.replace(/\[\]$|\?$/, "");
    if (given === undefined || given === null) {
      if (!code.endsWith("?")) made[name] = code.endsWith("[]") ? [] : ZEROS[plain] ?? ENUMS[plain][0];
    } else if (code.endsWith("[]")) {
      if (!Array.isArray(given)) throw new ProtocolError(`${place}.${name}`, "not a list");
      made[name] = given.map((one, i) => readValue(plain, one, `${place}.${name}.${i}`));
    } else {
      made[name] = readValue(plain, given, `${place}.${name}`);
    }
  }
  return made;
}

/** { kind, word, at_us, cause, to } of one line; `kind` is "" if it is unknown. */
export function parseFact(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch (error) {
    throw new ProtocolError("message", error instanceof RangeError ? "nested too deeply" : error.message);
  }
  if (!isObject(message)) throw new ProtocolError("message", "not an object");
  const at_us = readWhole(message.at_us ?? 0, MOST.uint64, "at_us");
  const [cause, to] = ["cause", "to"].map((name) => readWhole(message[name] ?? 0, MOST.uint32, name));
  const kind = Object.keys(message).find((name) => Object.hasOwn(FACTS, name)) ?? "";
  return { kind, word: kind ? read(FACTS[kind], message[kind], kind) : null, at_us, cause, to };
}

const shown = (value) => {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
};

function checkValue(code, value, place) {
  if (code.endsWith("[]")) {
    if (!Array.isArray(value)) throw new BadIntent(place, "not a list");
    return value.forEach((one, i) => checkValue(code.slice(0, -2), one, `${place}.${i}`));
  }
  if (code === "double" || code === "float") {
    if (!Number.isFinite(value)) throw new BadIntent(place, `${shown(value)} is not a finite number`);
  } else if (own(MOST, code)) {
    if (!Number.isInteger(value) || value < 0 || value > MOST[code]) throw new BadIntent(place, `${shown(value)} is not a whole number from 0 to ${MOST[code]}`);
  } else if (own(MESSAGES, code)) {
    check(code, value, place);
  } else if (code === "bool") {
    if (typeof value !== "boolean") throw new BadIntent(place, `${shown(value)} is not true or false`);
  } else {
    if (typeof value !== "string") throw new BadIntent(place, `${shown(value)} is not a text`);
    if (own(ENUMS, code) && !ENUMS[code].includes(value)) throw new BadIntent(place, `${shown(value)} is not one of ${ENUMS[code].join(", ")}`);
    if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(value)) throw new BadIntent(place, "not valid Unicode");
  }
}

function check(type, word, place) {
  if (!isObject(word)) throw new BadIntent(place, "not an object");
  for (const [name, value] of Object.entries(word)) {
    const code = own(MESSAGES[type], name);
    if (!code) throw new BadIntent(`${place}.${name}`, "there is no such field");
    if (value !== undefined) checkValue(code.replace(/\?$/, ""), value, `${place}.${name}`);
  }
}

/** An intent as one line, without its end. */
export function spellIntent(kind, word = {}) {
  const type = own(INTENTS, kind);
  if (!type) throw new BadIntent(String(kind), "there is no such intent");
  check(type, word, kind);
  const line = JSON.stringify({ [kind]: word });
  if (line.length * 3 >= LONGEST_INTENT && new TextEncoder().encode(line).length >= LONGEST_INTENT)
    throw new BadIntent(kind, `longer than ${LONGEST_INTENT} bytes`);
  return line;
}
