"""Reading what a child says, as the hostile text it is: the shape of DONE and ANSWER, and of every observed value.

What passes here is plain data exactly as `app.sandbox.protocol` describes it, so that no reader downstream has to ask
again. Whether it is *true* nobody can know: the snippet shares the process that said it.
"""

import re
from dataclasses import dataclass
from typing import Any

from app.sandbox.frames import FrameError
from app.sandbox.limits import Limits
from app.sandbox.protocol import Observation, Raised

NUMBERS = frozenset({"nan", "inf", "-inf"})
DIGITS = re.compile(r"-?[0-9]{1,1300}")


@dataclass(frozen=True, slots=True)
class Done:
    """How the code ended: what it raised, and whether that was for want of memory."""

    raised: Raised | None
    memory: bool


def read_done(frame: Any, limits: Limits) -> Done:
    """Read a DONE frame."""
    done = _only(frame, "done")
    if done is None:
        return Done(None, memory=False)
    return Done(read_raised(done, limits), memory=isinstance(done, dict) and done.get("memory") is True)


def read_answer(frame: Any, asked: int, limits: Limits) -> tuple[Observation, ...]:
    """Read an ANSWER frame to `asked` expressions."""
    answers = _only(frame, "answer")
    if not isinstance(answers, list) or len(answers) != asked:
        raise FrameError("not one answer for each expression")
    return tuple(_observation(one, limits) for one in answers)


def is_ready(frame: Any) -> bool:
    """Say whether a frame is READY."""
    return _only(frame, "ready") is True


def _observation(data: Any, limits: Limits) -> Observation:
    if not isinstance(data, dict) or data.keys() != {"value", "raised"}:
        raise FrameError("not an observation")
    if data["raised"] is not None:
        return Observation(raised=read_raised(data["raised"], limits))
    if not is_plain(data["value"]):
        raise FrameError("not plain data")
    return Observation(value=data["value"])


def read_raised(data: Any, limits: Limits) -> Raised:
    """Read an exception."""
    if not isinstance(data, dict):
        raise FrameError("not an exception")
    kind, message, line = data.get("type"), data.get("message"), data.get("line")
    if not isinstance(kind, str) or not isinstance(message, str) or not (line is None or type(line) is int):
        raise FrameError("not an exception")
    return Raised(kind[: limits.name + 1], message[: limits.message + 1], line)


def _only(frame: Any, key: str) -> Any:
    if not isinstance(frame, dict) or frame.keys() != {key}:
        raise FrameError(f"a frame that is not {key}")
    return frame[key]


def is_plain(value: Any) -> bool:
    """Say whether `value` is plain data as the protocol defines it."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return True
    if not isinstance(value, dict) or len(value) != 1:
        return False
    [(tag, content)] = value.items()
    check = CHECKS.get(tag)
    return check is not None and check(content)


def _number(value: Any) -> bool:
    return type(value) in (int, float) or (isinstance(value, str) and value in NUMBERS)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _items(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_plain, value))


def _pairs(value: Any) -> bool:
    return isinstance(value, list) and all(_items(pair) and len(pair) == 2 for pair in value)


def _shape(value: Any) -> bool:
    return isinstance(value, list) and all(type(one) is int and one >= 0 for one in value)


def _complex(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_number, value))


def _exception(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {"type", "bases", "message"}:
        return False
    bases = value["bases"]
    return _text(value["type"]) and _text(value["message"]) and isinstance(bases, list) and all(map(_text, bases))


def _tensor(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {"shape", "dtype", "values"}:
        return False
    if not _shape(value["shape"]) or not _text(value["dtype"]):
        return False
    return value["values"] is None or _nested(value["values"], value["shape"])


def _nested(values: Any, shape: list[int]) -> bool:
    if not shape:
        return type(values) is bool or _number(values) or (isinstance(values, dict) and is_plain(values))
    return isinstance(values, list) and len(values) == shape[0] and all(_nested(one, shape[1:]) for one in values)


CHECKS = {
    "float": lambda value: isinstance(value, str) and value in NUMBERS,
    "int": lambda value: isinstance(value, str) and DIGITS.fullmatch(value) is not None,
    "complex": _complex,
    "tensor": _tensor,
    "shape": _shape,
    "dtype": _text,
    "list": _items,
    "tuple": _items,
    "dict": _pairs,
    "exception": _exception,
    "object": _text,
}
