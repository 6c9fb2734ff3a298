# Fields of a wire format. One description reads, writes and invents values.
# Invariant: written only from the games' documents. Bytes that can be read are written again unchanged; others raise Wrong.
#
# Values are those of JSON: numbers, text, lists, dicts. Bytes are text in hexadecimal. Text is UTF-8; bytes that are not valid
# UTF-8 become lone surrogates. A NaN is text with its bits ("nan:7fc00000"), so that no bit is lost.
from __future__ import annotations

import math
import random
import struct
from typing import Any, Callable

Value = Any
Seen = dict[str, Value]  # the fields before this one, in the innermost record


class Wrong(Exception):
    """These bytes or values do not match the document."""


class Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        if size > self.left():
            raise Wrong(f"{size} bytes needed at offset {self.at}, {self.left()} left")
        self.at += size
        return self.data[self.at - size:self.at]

    def left(self) -> int:
        return len(self.data) - self.at


class Field:
    """One type of value. `blank` is the default, for a value that is not given."""
    blank: Value = 0

    def read(self, reader: Reader, seen: Seen) -> Value:
        raise NotImplementedError

    def write(self, value: Value, seen: Seen) -> bytes:
        raise NotImplementedError

    def invent(self, dice: random.Random, seen: Seen) -> Value:
        raise NotImplementedError


class Int(Field):
    """An integer. `form` is a format of the module struct (">H")."""

    def __init__(self, form: str) -> None:
        self.form = struct.Struct(form)
        bits = 8 * self.form.size
        self.lowest = -(1 << (bits - 1)) if form[-1].islower() else 0
        self.highest = self.lowest + (1 << bits) - 1

    def read(self, reader: Reader, seen: Seen) -> int:
        return self.form.unpack(reader.take(self.form.size))[0]

    def write(self, value: int, seen: Seen) -> bytes:
        if not self.lowest <= value <= self.highest:
            raise Wrong(f"{value} is not within {self.lowest} to {self.highest}")
        return self.form.pack(value)

    def invent(self, dice: random.Random, seen: Seen) -> int:
        return dice.choice((self.lowest, self.highest, 0, 1, dice.randint(self.lowest, self.highest),
                            dice.randint(self.lowest, self.highest)))


class Float(Field):
    """An IEEE 754 single. `order`, the byte order, is ">" or "<"."""
    blank = 0.0

    def __init__(self, order: str) -> None:
        self.number, self.bits = struct.Struct(order + "f"), struct.Struct(order + "I")

    def read(self, reader: Reader, seen: Seen) -> float | str:
        data = reader.take(4)
        number = self.number.unpack(data)[0]
        return f"nan:{self.bits.unpack(data)[0]:08x}" if math.isnan(number) else number

    def write(self, value: float | str, seen: Seen) -> bytes:
        if isinstance(value, str):
            return self.bits.pack(int(value.removeprefix("nan:"), 16))
        return self.number.pack(value)

    def invent(self, dice: random.Random, seen: Seen) -> float | str:
        single = self.number.unpack(self.number.pack(dice.uniform(-5000, 5000)))[0]
        return dice.choice((0.0, -0.0, 1.0, -math.inf, "nan:7fc00001", single, single, single))


class Array(Field):
    """A list of values of one type. `count` is their number, or the field before them that has their number."""

    def __init__(self, item: Field, count: int | Int) -> None:
        self.item, self.count = item, count
        self.blank = [item.blank] * count if isinstance(count, int) else []

    def read(self, reader: Reader, seen: Seen) -> list:
        count = self.count if isinstance(self.count, int) else self.count.read(reader, seen)
        return [self.item.read(reader, {}) for _ in range(count)]

    def write(self, value: list, seen: Seen) -> bytes:
        items = b"".join(self.item.write(item, {}) for item in value)
        if not isinstance(self.count, int):
            return self.count.write(len(value), seen) + items
        if len(value) != self.count:
            raise Wrong(f"{len(value)} items, the document has {self.count}")
        return items

    def invent(self, dice: random.Random, seen: Seen) -> list:
        count = self.count if isinstance(self.count, int) else dice.randint(0, 4)
        return [self.item.invent(dice, {}) for _ in range(count)]


class Rest(Field):
    """Values of one type, up to the end of the message."""
    blank: Value = []

    def __init__(self, item: Field) -> None:
        self.item = item

    def read(self, reader: Reader, seen: Seen) -> list:
        items = []
        while reader.left():
            items.append(self.item.read(reader, {}))
        return items

    def write(self, value: list, seen: Seen) -> bytes:
        return b"".join(self.item.write(item, {}) for item in value)

    def invent(self, dice: random.Random, seen: Seen) -> list:
        return [self.item.invent(dice, {}) for _ in range(dice.randint(0, 4))]


class UntilZero(Field):
    """Items, ended by an `end` of zero in place of the next item. REQUIRES: each item begins with a field like `end`."""
    blank: Value = []

    def __init__(self, item: Field, end: Int) -> None:
        self.item, self.end = item, end

    def read(self, reader: Reader, seen: Seen) -> list:
        items, size = [], self.end.form.size
        while any(reader.take(size)):
            reader.at -= size
            items.append(self.item.read(reader, {}))
        return items

    def write(self, value: list, seen: Seen) -> bytes:
        items = [self.item.write(item, {}) for item in value]
        if any(not any(item[:self.end.form.size]) for item in items):
            raise Wrong("an item begins with zero, which ends the list")
        return b"".join(items) + self.end.write(0, {})

    def invent(self, dice: random.Random, seen: Seen) -> list:
        invented = [self.item.invent(dice, {}) for _ in range(dice.randint(0, 4))]
        return [item for item in invented if any(self.item.write(item, {})[:self.end.form.size])]


class When(Field):
    """An optional field. `there` decides from the fields before it whether it is present."""

    def __init__(self, there: Callable[[Seen], bool], field: Field) -> None:
        self.there, self.field, self.blank = there, field, field.blank
        self.read, self.write, self.invent = field.read, field.write, field.invent


class Record(Field):
    """Named fields, in the document's order."""

    def __init__(self, **fields: Field) -> None:
        self.fields = fields

    @property
    def blank(self) -> Seen:
        return {name: field.blank for name, field in self.fields.items() if not isinstance(field, When)}

    def read(self, reader: Reader, seen: Seen) -> Seen:
        return self._each(lambda name, field, own: field.read(reader, own))

    def write(self, value: Seen, seen: Seen) -> bytes:
        if unknown := set(value) - set(self.fields):
            raise Wrong(f"unknown fields: {', '.join(sorted(unknown))}")
        written: list[bytes] = []

        def put(name: str, field: Field, own: Seen) -> Value:
            given = value.get(name, field.blank)
            written.append(field.write(given, own))
            return given
        kept = self._each(put)
        if left_out := set(value) - set(kept):
            raise Wrong(f"not allowed here: {', '.join(sorted(left_out))}")
        return b"".join(written)

    def invent(self, dice: random.Random, seen: Seen) -> Seen:
        return self._each(lambda name, field, own: field.invent(dice, own))

    def _each(self, visit: Callable[[str, Field, Seen], Value]) -> Seen:
        own: Seen = {}
        for name, field in self.fields.items():
            if not isinstance(field, When) or field.there(own):
                try:
                    own[name] = visit(name, field, own)
                except Wrong as wrong:
                    raise Wrong(f"{name}: {wrong}") from None
        return own
