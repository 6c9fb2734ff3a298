"""What can go wrong. Every exception of this package is an entente.Error."""
from __future__ import annotations

import re
from typing import Any, Optional


class Error(Exception):
    """`may_retry`: the same connection, or a new one, may succeed later."""

    may_retry = False


class BadIntent(Error, ValueError):
    """An intent that was not sent, because it is wrong. `place` is its field, such as "toward.x"."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place}: {why}")
        self.place, self.why = place, why


class ProtocolError(Error):
    """The server sent something that is not the native protocol. `place` is the field, such as "pose.x"."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place}: {why}")
        self.place, self.why = place, why


class Refused(Error):
    """The server did not admit you, or could not read a message of yours.

    `code` and `text` are the server's. `message` is the number of the message that it could not read, from 1; 0: it read
    all. `place` then says which field or byte of it is wrong.
    """

    def __init__(self, code: str, text: str, may_retry: bool = False) -> None:
        super().__init__(text or code)
        self.code, self.text, self.may_retry = code, text, may_retry
        found = re.match(r"message (\d{1,15}): (.*)", text, re.DOTALL)
        self.message = int(found[1]) if found else 0
        self.place = found[2] if found else ""


class ClaimRefused(Error):
    """The server did not do what you asked. `intent` is what you sent, if the server says which it was."""

    def __init__(self, why: str, intent: Any = None) -> None:
        super().__init__(why)
        self.why, self.intent = why, intent


class Kicked(Error):
    """The server ended the session."""


class ConnectionLost(Error):
    """There is no connection, or it ended without a reason."""

    may_retry = True


class TimeLimit(Error, TimeoutError):
    """What was awaited did not happen in time. `limit` is in seconds."""

    may_retry = True

    def __init__(self, what: str, limit: Optional[float] = None) -> None:
        super().__init__(f"{what} did not happen within {limit:g} s" if limit is not None else what)
        self.limit = limit
