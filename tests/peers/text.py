# Texts and bytes as fields; the law is in wire.py.
from __future__ import annotations

import random
import string

from wire import Field, Reader, Seen, Wrong

LETTERS = string.ascii_letters + string.digits + " '\"\\<>[]{}=éß漢🐸"


def to_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def some_text(dice: random.Random, most: int) -> str:
    """Random text of at most `most` bytes, without a NUL."""
    text = "".join(dice.choices(LETTERS, k=dice.randint(0, most)))
    return text.encode()[:most].decode("utf-8", "ignore")


class ZeroText(Field):
    """Text that ends with a NUL."""
    blank = ""

    def read(self, reader: Reader, seen: Seen) -> str:
        size = reader.data.find(b"\0", reader.at) - reader.at
        if size < 0:
            raise Wrong(f"the text at offset {reader.at} does not end with a NUL")
        return to_text(reader.take(size + 1)[:-1])

    def write(self, value: str, seen: Seen) -> bytes:
        if "\0" in value:
            raise Wrong("a NUL inside a text that ends with a NUL")
        return to_bytes(value) + b"\0"

    def invent(self, dice: random.Random, seen: Seen) -> str:
        return some_text(dice, 20)


class OpenText(ZeroText):
    """The same, but the end of the message may take the place of the NUL; the value is then {"unended": text}."""

    def read(self, reader: Reader, seen: Seen) -> str | Seen:
        if b"\0" in reader.data[reader.at:]:
            return super().read(reader, seen)
        return {"unended": to_text(reader.take(reader.left()))}

    def write(self, value: str | Seen, seen: Seen) -> bytes:
        if isinstance(value, str):
            return super().write(value, seen)
        return super().write(value["unended"], seen)[:-1]


class FixedText(Field):
    """Text in a field of `size` bytes, padded with NULs. Bytes after the first NUL are part of the value."""
    blank = ""

    def __init__(self, size: int) -> None:
        self.size = size

    def read(self, reader: Reader, seen: Seen) -> str:
        return to_text(reader.take(self.size).rstrip(b"\0"))

    def write(self, value: str, seen: Seen) -> bytes:
        data = to_bytes(value)
        if len(data) > self.size:
            raise Wrong(f"{len(data)} bytes in a field of {self.size}")
        return data.ljust(self.size, b"\0")

    def invent(self, dice: random.Random, seen: Seen) -> str:
        return some_text(dice, self.size - 1)


class RestText(Field):
    """Text to the end of the message."""
    blank = ""

    def read(self, reader: Reader, seen: Seen) -> str:
        return to_text(reader.take(reader.left()))

    def write(self, value: str, seen: Seen) -> bytes:
        return to_bytes(value)

    def invent(self, dice: random.Random, seen: Seen) -> str:
        return some_text(dice, 40)


class Bytes(Field):
    """Bytes, in hexadecimal: `size` bytes, or all up to the end of the message."""
    blank = ""

    def __init__(self, size: int | None = None, most: int = 60) -> None:
        self.size, self.most = size, most

    def read(self, reader: Reader, seen: Seen) -> str:
        return reader.take(reader.left() if self.size is None else self.size).hex()

    def write(self, value: str, seen: Seen) -> bytes:
        data = bytes.fromhex(value)
        if self.size is not None and len(data) != self.size:
            raise Wrong(f"{len(data)} bytes in a field of {self.size}")
        return data

    def invent(self, dice: random.Random, seen: Seen) -> str:
        return dice.randbytes(dice.randint(0, self.most) if self.size is None else self.size).hex()
