"""Plain data as a person reads it: `20.0`, `None`, `tensor([1., 2.])`, `torch.float32`, `RuntimeError`."""

import math
import struct
from collections.abc import Callable, Mapping
from typing import Any

from app.bank.author_values import MAX_DEPTH
from app.sandbox.protocol import Observation, Plain

NON_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def show(value: Plain) -> str:
    """Return a plain value as a person reads it; data of no known shape reads as "a value that cannot be shown"."""
    try:
        return _show(value, 0)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return "a value that cannot be shown"


def show_observation(observation: Observation) -> str:
    """Return what was observed; an expression that raised reads as the name of the exception."""
    return observation.raised.type if observation.raised is not None else show(observation.value)


def _show(value: Any, depth: int) -> str:
    if depth > MAX_DEPTH:
        return "…"
    if value is None or isinstance(value, bool | int | str):
        return repr(value)
    if isinstance(value, float):
        return show_float(value)
    name, content = next(iter(value.items()), ("", None))
    return _SHOWN[name](content, depth + 1)


def show_float(value: float) -> str:
    """Return the shortest decimal that reads back as the same number, in float32 where that holds the value."""
    if not math.isfinite(value):
        return str(value)
    if value and fits_float32(value):
        for digits in range(1, 10):
            shorter = float(f"{value:.{digits}g}")
            if _fits_same_float32(shorter, value):
                return repr(shorter)
    return repr(value)


def fits_float32(value: float) -> bool:
    """Say whether float32 holds exactly this value."""
    return _fits_same_float32(value, value) and struct.unpack("f", struct.pack("f", value))[0] == value


def _fits_same_float32(shorter: float, value: float) -> bool:
    try:
        return struct.pack("f", shorter) == struct.pack("f", value)
    except OverflowError:
        return False


def _show_tensor(tensor: Mapping[str, Any], _depth: int) -> str:
    values, dtype = tensor["values"], tensor["dtype"]
    if values is None:
        return f"tensor of shape {list(tensor['shape'])}, torch.{dtype}"
    if not isinstance(values, list):
        return values if values in NON_FINITE else _show(values, 0)
    usual = dtype in {"", "float32", "int64", "bool"} and values != []
    return f"tensor({_show_nested(values)}{'' if usual or not dtype else f', dtype=torch.{dtype}'})"


def _show_nested(values: Any) -> str:
    if isinstance(values, list):
        return f"[{', '.join(map(_show_nested, values))}]"
    if isinstance(values, float):
        text = show_float(values)
        return text.removesuffix("0") if text.endswith(".0") else text
    return values if isinstance(values, str) else _show(values, 0)


def _joined(values: list[Any], depth: int) -> str:
    return ", ".join(_show(value, depth) for value in values)


def _show_tuple(values: list[Any], depth: int) -> str:
    return f"({_joined(values, depth)},)" if len(values) == 1 else f"({_joined(values, depth)})"


def _show_dict(pairs: list[Any], depth: int) -> str:
    return "{" + ", ".join(f"{_show(key, depth)}: {_show(value, depth)}" for key, value in pairs) + "}"


_SHOWN: Mapping[str, Callable[[Any, int], str]] = {
    "float": lambda content, _depth: str(NON_FINITE[content]),
    "int": lambda content, _depth: str(content),
    "complex": lambda content, _depth: str(complex(*map(float, content))),
    "tensor": _show_tensor,
    "shape": lambda content, _depth: f"torch.Size({[int(size) for size in content]})",
    "dtype": lambda content, _depth: f"torch.{content}",
    "list": lambda content, depth: f"[{_joined(content, depth)}]",
    "tuple": _show_tuple,
    "dict": _show_dict,
    "exception": lambda content, _depth: str(content["type"]),
    "object": lambda content, _depth: str(content),
}
