"""Frames: a length in four bytes, then JSON. Both sides write them; what a child wrote is parsed as hostile.

`parse` answers with plain JSON data that is safe to hand on: no deeper than the cap, no more nodes than the cap, no
NaN or infinity, no integer a double cannot hold, no lone surrogate. Anything else is a `FrameError`.
"""

import json
import math
from typing import Any

from app.sandbox.limits import LIMITS, Limits

HEADER = 4
LARGEST = 2**53


class FrameError(ValueError):
    """A frame that no honest child writes."""


def encode(data: object) -> bytes:
    """Return `data` as a frame."""
    payload = json.dumps(data, allow_nan=False, separators=(",", ":")).encode()
    return len(payload).to_bytes(HEADER, "big") + payload


def parse(payload: bytes, limits: Limits = LIMITS) -> Any:
    """Return the JSON data of one frame."""
    try:
        data = json.loads(payload, parse_constant=_refuse, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        raise FrameError("not JSON") from error
    return _Checked(limits).walk(data, limits.frame_depth)


def _refuse(word: str) -> None:
    raise FrameError(f"{word} is not JSON")


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > LARGEST:
        raise FrameError("an integer beyond 2**53")
    return int(digits)


class _Checked:
    """A walk that counts what it has seen."""

    def __init__(self, limits: Limits) -> None:
        self.left = limits.frame_nodes

    def walk(self, data: Any, depth: int) -> Any:
        self.left -= 1
        if depth == 0 or self.left < 0:
            raise FrameError("too deep or too many values")
        if isinstance(data, str):
            return clean(data)
        if isinstance(data, float) and not math.isfinite(data):
            raise FrameError("a number beyond a double")
        if isinstance(data, list):
            return [self.walk(one, depth - 1) for one in data]
        if isinstance(data, dict):
            return {clean(key): self.walk(one, depth - 1) for key, one in data.items()}
        return data


def clean(text: str) -> str:
    """Return `text` with lone surrogates written out."""
    return text.encode("utf-8", "backslashreplace").decode()


class FrameReader:
    """Bytes in, frames out. Refuses a frame larger than the limit before holding it."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._held = bytearray()

    def feed(self, data: bytes) -> list[Any]:
        """Take bytes as they come and return the frames they complete."""
        self._held += data
        frames = []
        while (size := self._size()) is not None and len(self._held) >= HEADER + size:
            frames.append(parse(bytes(self._held[HEADER : HEADER + size]), self._limits))
            del self._held[: HEADER + size]
        return frames

    def _size(self) -> int | None:
        if len(self._held) < HEADER:
            return None
        size = int.from_bytes(self._held[:HEADER], "big")
        if size > self._limits.frame:
            raise FrameError("a frame too large")
        return size
