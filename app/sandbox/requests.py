"""Reading a job from a request body: every mistake is a sentence that says what is allowed."""

import json
import math
from typing import Any, TypeGuard

from app.sandbox.limits import Limits
from app.sandbox.protocol import Program


class RequestError(Exception):
    """A body that is not a job; `status` is 400, or 413 where it is only too large."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


def read_job(body: bytes, limits: Limits) -> tuple[tuple[Program, ...], float | None]:
    """Return the programs of a job and the wall limit it asks for."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError("The body must be JSON.") from None
    if not isinstance(data, dict) or not data.keys() <= {"programs", "wall_s"}:
        raise RequestError("A job is an object with `programs` and, if you like, `wall_s`.")
    return _programs(data.get("programs"), limits), _wall(data.get("wall_s"))


def _wall(value: Any) -> float | None:
    if value is None:
        return None
    if type(value) not in (int, float) or not 0 < value < math.inf:
        raise RequestError("`wall_s` must be a number of seconds above zero.")
    return float(value)


def _programs(value: Any, limits: Limits) -> tuple[Program, ...]:
    if not isinstance(value, list) or not value:
        raise RequestError("`programs` must be a list of at least one program.")
    if len(value) > limits.programs:
        raise RequestError(f"A job may hold {limits.programs} programs, and this one has {len(value)}.", 413)
    return tuple(_program(one, limits) for one in value)


def _program(value: Any, limits: Limits) -> Program:
    if not isinstance(value, dict) or not value.keys() <= {"code", "observe", "seed"}:
        raise RequestError("A program is an object with `code` and, if you like, `observe` and `seed`.")
    code, observe = value.get("code"), value.get("observe", [])
    if not _is_text(code):
        raise RequestError("`code` must be text.")
    if len(code.encode()) > limits.code:
        raise RequestError(f"The code may be {limits.code // 1024} KiB long, and this is longer.", 413)
    if not isinstance(observe, list) or not all(map(_is_text, observe)):
        raise RequestError("`observe` must be a list of expressions.")
    if len(observe) > limits.expressions or any(len(one.encode()) > limits.expression for one in observe):
        allowed = f"{limits.expressions} expressions of {limits.expression // 1024} KiB each"
        raise RequestError(f"A program may observe {allowed}, and this one asks for more.", 413)
    seed = value.get("seed", 0)
    if type(seed) is not int or not 0 <= seed < 2**32:
        raise RequestError("`seed` must be a whole number from 0 to 4294967295.")
    return Program(code, tuple(observe), seed)


def _is_text(value: Any) -> TypeGuard[str]:
    """Say whether `value` is text that can be sent on: a lone surrogate cannot."""
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
