"""Canonical values: what was observed compared with what an author expects or a person typed.

All three become plain data (`app.sandbox.protocol`), so that one comparison serves them. An expected or typed tensor
may leave its dtype open (`"dtype": ""`), and an exception that is expected or typed has no message.
"""

import math
from collections.abc import Mapping
from typing import Any

from app.bank.author_values import MAX_DEPTH, elements, exception, nested
from app.bank.showing import NON_FINITE, fits_float32
from app.sandbox.protocol import Observation, Plain

NO_TOLERANCE = (0.0, 0.0)
FLOAT32 = (1e-5, 1e-12)
FLOAT64 = (1e-9, 1e-15)
# Relative and absolute tolerance per dtype; what is not named here is compared exactly.
TOLERANCES: Mapping[str, tuple[float, float]] = {
    "float64": FLOAT64,
    "complex128": FLOAT64,
    "float32": FLOAT32,
    "complex64": FLOAT32,
    "": FLOAT32,
    "float16": (2e-3, 1e-7),
    "bfloat16": (1.6e-2, 1e-7),
}
# Too wide to be an answer: everything that can be raised is one of them.
_WIDE_BASES = frozenset({"object", "BaseException", "Exception"})


def matches(observation: Observation, answer: Plain) -> bool:
    """Say whether what was observed is `answer`; an expression that raised matches the exception it raised."""
    if observation.raised is not None:
        return same(exception(observation.raised.type), answer)
    return same(observation.value, answer)


def same(observed: Plain, answer: Plain) -> bool:
    """Compare an observation with an answer.

    Integers, bools and text are compared exactly; an integer answer equals the float of the same value. Floats have
    the tolerance of the observed dtype, NaN equals NaN, a 0-d tensor is its number, a list of numbers matches a
    tensor, a tuple or a size. An exception matches its class or a base that says something (not `Exception`).
    """
    try:
        return _same(_number_of(observed), _number_of(answer), "", 0)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return False  # data that no encoder of ours writes


def _number_of(value: Any) -> Any:
    """Unwrap numbers; a 0-d tensor keeps its dtype, as it decides the tolerance."""
    if isinstance(value, dict):
        if set(value) == {"float"}:
            return NON_FINITE[value["float"]]
        if set(value) == {"int"}:
            return int(value["int"]) if len(value["int"]) < 400 else value
        if set(value) == {"complex"}:
            return complex(*(float(part) for part in value["complex"]))
    return value


def _same(observed: Any, answer: Any, dtype: str, depth: int) -> bool:
    if depth > MAX_DEPTH:
        return False
    observed, answer = _number_of(observed), _number_of(answer)
    if _is_tensor(observed) or _is_tensor(answer):
        return _same_tensor(observed, answer, depth)
    if isinstance(observed, dict) and isinstance(answer, dict) and "exception" in observed:
        return _same_exception(observed["exception"], answer.get("exception"))
    items, others = elements(observed), elements(answer)
    if items is not None and others is not None:
        pairs = zip(items, others, strict=False)
        return len(items) == len(others) and all(_same(a, b, dtype, depth + 1) for a, b in pairs)
    if isinstance(observed, dict) and isinstance(answer, dict):
        return observed == answer
    return _same_scalar(observed, answer, dtype)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, dict) and "tensor" in value


def _same_tensor(observed: Any, answer: Any, depth: int) -> bool:
    if _is_tensor(observed) and _is_tensor(answer):
        left, right = observed["tensor"], answer["tensor"]
        known = left["dtype"] and right["dtype"]
        if list(left["shape"]) != list(right["shape"]) or (known and left["dtype"] != right["dtype"]):
            return False
        dtype = left["dtype"] or right["dtype"]
        return _has_values(left, right) and _same(left["values"], right["values"], dtype, depth + 1)
    tensor, other = (observed, answer) if _is_tensor(observed) else (answer, observed)
    values, dtype = tensor["tensor"]["values"], tensor["tensor"]["dtype"]
    if values is None or _is_size(other):
        return False
    return _same(values, nested(other) if elements(other) is not None else other, dtype, depth + 1)


def _is_size(value: Any) -> bool:
    return isinstance(value, dict) and "shape" in value


def _has_values(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    return left["values"] is not None and right["values"] is not None


def _same_exception(observed: Mapping[str, Any], answer: Mapping[str, Any] | None) -> bool:
    if answer is None:
        return False
    bases = set(observed["bases"]) - _WIDE_BASES
    return bool(answer["type"] == observed["type"] or answer["type"] in bases)


def _same_scalar(observed: Any, answer: Any, dtype: str) -> bool:
    if isinstance(observed, bool) or isinstance(answer, bool):
        return observed is answer
    if isinstance(observed, str) and isinstance(answer, int | float):
        observed = NON_FINITE.get(observed, observed)
    if isinstance(answer, str) and isinstance(observed, int | float):
        answer = NON_FINITE.get(answer, answer)
    if isinstance(observed, int | float | complex) and isinstance(answer, int | float | complex):
        return _close(observed, answer, dtype)
    return bool(observed == answer)


def _close(observed: complex, answer: complex, dtype: str) -> bool:
    if isinstance(observed, complex) or isinstance(answer, complex):
        left, right = complex(observed), complex(answer)
        return _close(left.real, right.real, dtype) and _close(left.imag, right.imag, dtype)
    if observed == answer or (math.isnan(observed) and math.isnan(answer)):
        return True
    relative, absolute = _tolerance(observed, answer, dtype)
    return math.isclose(observed, answer, rel_tol=relative, abs_tol=absolute)


def _tolerance(observed: float, answer: float, dtype: str) -> tuple[float, float]:
    """Return the tolerance; a bare float that float32 can hold exactly may have come from a float32 tensor."""
    if dtype:
        return TOLERANCES.get(dtype, NO_TOLERANCE)
    if type(observed) is int:
        return NO_TOLERANCE if type(answer) is int else FLOAT64
    return FLOAT32 if fits_float32(observed) else FLOAT64
