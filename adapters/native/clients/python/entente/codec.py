"""Words as JSON, one message per line. Invariant: every number of a word that was read is finite, and has its type.

A fact with a wrong type raises ProtocolError, an intent with a wrong value BadIntent; both say which field it is. Unknown
kinds, fields and names of enums are ignored, as the protocol asks for.
"""
from __future__ import annotations

import base64
import json
import math
from typing import Any, Callable, ClassVar, Optional

from .errors import BadIntent, ProtocolError

LONGEST_LINE = 16 * 1024 * 1024  # bytes of a message from a server
LONGEST_INTENT = 65536  # bytes of a message from a client

U32, U64 = 0xFFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF
ENVELOPE = ("at_us", "cause", "audience", "to", "link")


class Word:
    """One message of the schema. `KIND`: its name in JSON, if it is an intent or a fact. `FIELDS`: attribute and type of
    each field; "[]" behind the type: a list, "?": None if it is not set."""

    __slots__ = ()
    KIND: ClassVar[str] = ""
    FIELDS: ClassVar[dict[str, tuple[str, str]]] = {}


class Wrong(ValueError):
    """A value that does not fit; `place` grows on the way out."""

    def __init__(self, why: str, place: str = "") -> None:
        super().__init__(why)
        self.place = place

    def inside(self, name: str) -> Wrong:
        return Wrong(self.args[0], f"{name}.{self.place}" if self.place else name)


# -- Reading ----------------------------------------------------------------------------------------------------------

def to_float(value: Any) -> float:
    """What is not finite becomes 0."""
    if type(value) is float:
        return value if math.isfinite(value) else 0.0
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:
            return 0.0
    if value in ("NaN", "Infinity", "-Infinity"):
        return 0.0
    raise Wrong("not a number")


def to_int(most: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is str and len(value) <= 20 and value.isascii() and value.isdigit():
            value = int(value)
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int:
            raise Wrong("not a whole number")
        if not 0 <= value <= most:
            raise Wrong(f"not between 0 and {most}")
        return value
    return read


def to_bool(value: Any) -> bool:
    if type(value) is not bool:
        raise Wrong("not true or false")
    return value


def to_str(value: Any) -> str:
    if type(value) is not str:
        raise Wrong("not a text")
    return value


def to_bytes(value: Any) -> bytes:
    try:
        return base64.b64decode(to_str(value), validate=True)
    except ValueError as error:
        raise Wrong("not base64") from error


def to_enum(names: dict[str, int]) -> Callable[[Any], str]:
    numbers = {number: name for name, number in names.items()}

    def read(value: Any) -> str:
        if type(value) is int:
            return numbers.get(value, str(value) if abs(value) <= U32 else "")
        return to_str(value)
    return read


READERS: dict[str, Callable[[Any], Any]] = {
    "double": to_float, "float": to_float, "uint32": to_int(U32), "uint64": to_int(U64), "bool": to_bool, "string": to_str,
    "bytes": to_bytes}
made_readers: dict[type[Word], dict[str, tuple[str, Callable[[Any], Any]]]] = {}


def reader_of(code: str) -> Callable[[Any], Any]:
    from . import words  # it imports this module

    if code in READERS:
        return READERS[code]
    if code in words.ENUMS:
        return READERS.setdefault(code, to_enum(words.ENUMS[code]))
    kind = words.MESSAGES[code]
    return READERS.setdefault(code, lambda value: read(kind, value))


def list_of(one: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    def read_list(values: Any) -> list[Any]:
        if type(values) is not list:
            raise Wrong("not a list")
        made = []
        for number, value in enumerate(values):
            try:
                made.append(one(value))
            except Wrong as wrong:
                raise wrong.inside(str(number)) from None
        return made
    return read_list


def fields_of(kind: type[Word]) -> dict[str, tuple[str, Callable[[Any], Any]]]:
    made = made_readers.get(kind)
    if made is None:
        made = made_readers[kind] = {
            name: (attribute, list_of(reader_of(code[:-2])) if code.endswith("[]") else reader_of(code.rstrip("?")))
            for name, (attribute, code) in kind.FIELDS.items()}
    return made


def read(kind: type[Word], value: Any) -> Any:
    """Makes a word from an object of JSON. Raises Wrong."""
    if type(value) is not dict:
        raise Wrong("not an object")
    fields = fields_of(kind)
    given = {}
    for name, one in value.items():
        known = fields.get(name)
        if known is None or one is None:
            continue
        try:
            given[known[0]] = known[1](one)
        except Wrong as wrong:
            raise wrong.inside(name) from None
    return kind(**given)


class Message:
    """A fact as it arrived. `word` is None if this version does not know its kind."""

    __slots__ = ("kind", "word", "at_us", "cause", "to")

    def __init__(self, kind: str, word: Optional[Word], at_us: int, cause: int, to: int) -> None:
        self.kind, self.word, self.at_us, self.cause, self.to = kind, word, at_us, cause, to


def parse_fact(line: bytes | str) -> Message:
    """Reads one line. Raises ProtocolError."""
    from . import words

    try:
        message = json.loads(line)
    except RecursionError:
        raise ProtocolError("message", "nested too deeply") from None
    except ValueError as error:  # also text that is not UTF-8, and numbers with too many digits
        raise ProtocolError("message", str(error)) from None
    if type(message) is not dict:
        raise ProtocolError("message", "not an object")
    try:
        at_us, cause, to = (READERS[kind](message.get(name, 0)) for name, kind in
                            (("at_us", "uint64"), ("cause", "uint32"), ("to", "uint32")))
    except Wrong as wrong:
        raise ProtocolError("at_us, cause or to", wrong.args[0]) from None
    for kind, value in message.items():
        if kind in words.FACTS:
            try:
                return Message(kind, read(words.FACTS[kind], value), at_us, cause, to)
            except Wrong as wrong:
                where = wrong.inside(kind)
                raise ProtocolError(where.place, where.args[0]) from None
    return Message(next((kind for kind in message if kind not in ENVELOPE), ""), None, at_us, cause, to)


# -- Writing ----------------------------------------------------------------------------------------------------------

def from_value(code: str, value: Any, place: str) -> Any:
    """What JSON has for it. Raises BadIntent."""
    from . import words

    if code.endswith("[]"):
        if not isinstance(value, (list, tuple)):
            raise BadIntent(place, "not a list")
        return [from_value(code[:-2], one, f"{place}.{number}") for number, one in enumerate(value)]
    if code in ("double", "float"):
        try:
            number = float(value)  # also numbers of other libraries
        except (TypeError, ValueError, OverflowError):
            raise BadIntent(place, f"{value!r:.40} is not a number") from None
        if isinstance(value, (str, bool)) or not math.isfinite(number):
            raise BadIntent(place, f"{value!r:.40} is not a finite number")
        return number
    if code in ("uint32", "uint64"):
        try:
            number = value.__index__()
        except AttributeError:
            raise BadIntent(place, f"{value!r:.40} is not a whole number") from None
        if isinstance(value, bool) or not 0 <= number <= (U32 if code == "uint32" else U64):
            raise BadIntent(place, f"{value!r:.40} is not a whole number that is not negative and fits in {code[4:]} bits")
        return number if code == "uint32" else str(number)
    if code == "bool":
        if not isinstance(value, bool):
            raise BadIntent(place, f"{value!r:.40} is not True or False")
        return value
    if code == "bytes":
        return base64.b64encode(value).decode()
    if code in words.MESSAGES:
        return to_object(value, place)
    if not isinstance(value, str):
        raise BadIntent(place, f"{value!r:.40} is not a text")
    if code in words.ENUMS and value not in words.ENUMS[code]:
        raise BadIntent(place, f"{value!r:.40} is not one of {', '.join(words.ENUMS[code])}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadIntent(place, "not valid Unicode") from None
    return value


def to_object(word: Word, place: str) -> dict[str, Any]:
    made = {}
    for name, (attribute, code) in word.FIELDS.items():
        value = getattr(word, attribute)
        if value is None:
            continue
        value = from_value(code.rstrip("?"), value, f"{place}.{name}")
        if value or code.endswith("?"):  # otherwise 0 is the same as left out
            made[name] = value
    return made


def spell_intent(word: Word) -> bytes:
    """An intent as one line, without its end. Raises BadIntent."""
    from . import words

    if words.INTENTS.get(getattr(word, "KIND", "")) is not type(word):
        raise BadIntent(type(word).__name__, "not an intent")
    line = json.dumps({word.KIND: to_object(word, word.KIND)}, ensure_ascii=False, separators=(",", ":")).encode()
    if len(line) >= LONGEST_INTENT:
        raise BadIntent(word.KIND, f"longer than {LONGEST_INTENT} bytes")
    return line


def make_intent(kind: str, fields: dict[str, Any]) -> Word:
    """An intent by the name of its kind. Raises BadIntent."""
    from . import words

    known = words.INTENTS.get(kind)
    if known is None:
        raise BadIntent(kind, "there is no such intent")
    attributes = {name: attribute for name, (attribute, _) in known.FIELDS.items()}
    for name in fields:
        if name not in attributes and name not in attributes.values():
            raise BadIntent(f"{kind}.{name}", "there is no such field")
    return known(**{attributes.get(name, name): value for name, value in fields.items()})
