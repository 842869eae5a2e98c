"""What an author writes as a value, and the plain data it stands for."""

import math
from typing import Any, TypeAlias

from app.bank.expressions import Result, evaluate
from app.sandbox.protocol import Plain

# What a file may hold as a value: a scalar, a list, or one of the mappings that `_author_mapping` names.
AuthorValue: TypeAlias = Any

MAX_DEPTH = 12
MAX_PARAMETER_TEXT = 200
_FLOATS = ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
DTYPES = frozenset({*_FLOATS, "uint8", "int8", "int16", "int32", "int64", "bool"})


def read_author_value(value: object) -> AuthorValue:
    """Return a value of an item file in its stored form, or raise `ValueError` with a sentence.

    A float that JSON cannot hold becomes the expression that names it (`"nan"`, `"inf"`, `"-inf"`).
    """
    return _author(value, 0)


def _author(value: object, depth: int) -> AuthorValue:
    if depth > MAX_DEPTH:
        raise ValueError("the value is nested too deeply")
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list | tuple):
        return [_author(element, depth + 1) for element in value]
    if isinstance(value, dict):
        return _author_mapping(value, depth + 1)
    raise ValueError("a value is a number, text, true, false, null, a list, or one mapping such as {raises: X}")


def _author_mapping(value: dict[object, object], depth: int) -> AuthorValue:
    keys = set(value)
    if keys == {"raises"} and isinstance(value["raises"], str) and value["raises"].isidentifier():
        return dict(value)
    if keys == {"shape"} and _is_sizes(value["shape"]):
        return {"shape": [*_listed(value["shape"])]}
    if keys == {"dtype"} and value["dtype"] in DTYPES:
        return dict(value)
    if keys in ({"tensor"}, {"tensor", "dtype"}) and value.get("dtype", "float32") in DTYPES:
        return {**value, "tensor": _author(value["tensor"], depth)}
    raise ValueError(
        "a mapping as a value is {raises: RuntimeError}, {shape: [2, 3]}, {dtype: float32} or "
        "{tensor: [1.0, 2.0], dtype: float32} (dtype may be left out)"
    )


def _listed(value: object) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _is_sizes(value: object) -> bool:
    """Say whether `value` is a list of sizes; a size may be an expression over the parameters."""
    return isinstance(value, list | tuple) and all(
        isinstance(size, str) or (type(size) is int and size >= 0) for size in value
    )


def read_drawable(value: object) -> object:
    """Return one value a parameter may take: a finite number, text, true, false, null, or a list of those."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a parameter must be finite: write float('nan') in the snippet instead")
    if isinstance(value, str) and len(value) > MAX_PARAMETER_TEXT:
        raise ValueError(f"a parameter's text is at most {MAX_PARAMETER_TEXT} characters")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple) and len(repr(value)) <= MAX_PARAMETER_TEXT:
        return [read_drawable(element) for element in value]
    raise ValueError("a parameter is drawn from numbers, text, true, false, null or short lists of those")


def to_plain(value: AuthorValue) -> Plain:
    """Compute an author's value: text is an expression (`ExpressionError` where it is none)."""
    if isinstance(value, str):
        return of_result(evaluate(value))
    if isinstance(value, list):
        return {"list": [to_plain(element) for element in value]}
    return _mapping_to_plain(value) if isinstance(value, dict) else of_result(value)


def _mapping_to_plain(value: dict[str, Any]) -> Plain:
    if "raises" in value:
        return exception(value["raises"])
    if "shape" in value:
        return {"shape": [evaluate(size) if isinstance(size, str) else size for size in value["shape"]]}
    if "tensor" in value:
        return tensor(to_plain(value["tensor"]), value.get("dtype", ""))
    return dict(value)


def exception(name: str) -> Plain:
    """Return an exception class as an answer."""
    return {"exception": {"type": name.rpartition(".")[2], "bases": [], "message": ""}}


def of_result(value: Result) -> Plain:
    if isinstance(value, list):
        return {"list": [of_result(element) for element in value]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53:
        return {"int": str(value)}
    return value


def tensor(value: Plain, dtype: str) -> Plain:
    values = nested(value)
    shape: list[int] = []
    level = values
    while isinstance(level, list):
        shape.append(len(level))
        level = level[0] if level else None
    return {"tensor": {"shape": shape, "dtype": dtype, "values": values}}


def elements(value: Any) -> list[Any] | None:
    """Return the elements of a list, tuple or size, or `None`."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and len(value) == 1:
        for name in ("list", "tuple", "shape"):
            if name in value:
                return list(value[name])
    return None


def nested(value: Any) -> Any:
    """Return a plain list as the nested `values` of a tensor."""
    items = elements(value)
    if items is not None:
        return [nested(element) for element in items]
    return value.get("float", value) if isinstance(value, dict) else value
