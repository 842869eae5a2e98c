"""Turn a value that a snippet computed into plain data, inside the child, without trusting the value.

Types are compared exactly (`type(value) is`), so that a subclass with an `__eq__`, `__iter__` or `__torch_function__`
of its own is never asked anything. The encoding is the table in `app.sandbox.protocol`. The data is testimony all the
same: whoever runs beside this code can change it, so whoever compares does it outside.
"""

import math
from collections import OrderedDict
from typing import Any

import torch

from app.sandbox.limits import LIMITS, Limits

EXACT = 2**53
TENSORS = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)

_isfinite, _isnan = math.isfinite, math.isnan
_type_name = type.__dict__["__name__"].__get__
_type_mro = type.__dict__["__mro__"].__get__
_bare = torch._C.DisableTorchFunctionSubclass  # noqa: SLF001 - the public spelling imports lazily


class Observer:
    """One walk over one value, bounded in depth and in the number of nodes."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left = limits.nodes

    def plain(self, value: object, depth: int) -> Any:
        """Return `value` as plain data."""
        self._left -= 1
        if depth <= 0 or self._left < 0:
            return {"object": "..."}
        kind = type(value)
        if value is None or kind is bool:
            return value
        encode = ENCODERS.get(kind)
        return self._kin(value, kind, depth) if encode is None else encode(self, value, depth)

    def _kin(self, value: Any, kind: type, depth: int) -> Any:
        """Encode what is no exact type of the table: kinds of exceptions and tensors, or only a name."""
        if isinstance(value, BaseException):
            return {"exception": describe(value, self._limits)}
        if isinstance(value, torch.Tensor):
            return self.a_tensor(value, depth)
        if kind.__module__ == "torch.return_types":
            return self.a_tuple(value, depth)
        return {"object": type_name(kind, self._limits)}

    def an_int(self, value: int, _: int) -> Any:
        """Encode an int; one that a double cannot hold travels as text."""
        if -EXACT <= value <= EXACT:
            return value
        if value.bit_length() > 4096:
            return {"object": "int"}
        return {"int": str(value)}

    def a_float(self, value: float, _: int) -> Any:
        """Encode a float."""
        return value if _isfinite(value) else {"float": number(value)}

    def a_complex(self, value: complex, _: int) -> Any:
        """Encode a complex number."""
        return {"complex": [number(value.real), number(value.imag)]}

    def a_str(self, value: str, _: int) -> Any:
        """Encode a string, cut at the limit."""
        return cut(value, self._limits.text)

    def a_list(self, value: Any, depth: int) -> Any:
        """Encode a list."""
        return {"list": self._items(list.__iter__(value), depth)}

    def a_tuple(self, value: Any, depth: int) -> Any:
        """Encode a tuple, or a named result of torch as the tuple it is."""
        return {"tuple": self._items(tuple.__iter__(value), depth)}

    def a_dict(self, value: Any, depth: int) -> Any:
        """Encode a dict as pairs, in order."""
        pairs = self._some(dict.items(value))
        return {"dict": [[self.plain(key, depth - 1), self.plain(one, depth - 1)] for key, one in pairs]}

    def a_size(self, value: Any, _: int) -> Any:
        """Encode a torch.Size."""
        return {"shape": [int(one) for one in self._some(tuple.__iter__(value))]}

    def a_dtype(self, value: torch.dtype, _: int) -> Any:
        """Encode a torch.dtype."""
        return {"dtype": dtype_name(value)}

    def a_tensor(self, value: torch.Tensor, _: int) -> Any:
        """Encode a dense tensor; any other layout, and a tensor that cannot be read, is an object."""
        try:
            with _bare(), torch.no_grad():
                return {"tensor": self._dense(value)}
        except MemoryError:
            raise
        except Exception:
            return {"object": type_name(type(value), self._limits)}

    def _dense(self, value: torch.Tensor) -> Any:
        if value.layout is not torch.strided or value.is_nested or value.is_quantized or value.is_meta:
            raise TypeError("not dense")
        known: dict[str, Any] = {"shape": list(value.shape), "dtype": dtype_name(value.dtype), "values": None}
        size = value.numel()
        if size <= self._limits.tensor_elements and size <= self._left:
            self._left -= size
            known["values"] = numbers(value.detach().resolve_conj().resolve_neg().tolist())
        return known

    def _items(self, values: Any, depth: int) -> list[Any]:
        return [self.plain(one, depth - 1) for one in self._some(values)]

    def _some(self, values: Any) -> Any:
        for one in values:
            if self._left <= 0:
                return
            yield one


ENCODERS: dict[type, Any] = {
    int: Observer.an_int,
    float: Observer.a_float,
    complex: Observer.a_complex,
    str: Observer.a_str,
    list: Observer.a_list,
    tuple: Observer.a_tuple,
    dict: Observer.a_dict,
    OrderedDict: Observer.a_dict,
    torch.Size: Observer.a_size,
    torch.dtype: Observer.a_dtype,
    **dict.fromkeys(TENSORS, Observer.a_tensor),
}


def observe(value: object, limits: Limits = LIMITS) -> Any:
    """Return `value` as plain data."""
    return Observer(limits).plain(value, limits.depth)


def numbers(values: Any) -> Any:
    """Return what `tolist` gave with every number that JSON cannot carry written out."""
    kind = type(values)
    if kind is list:
        return [numbers(one) for one in values]
    if kind is float:
        return number(values)
    if kind is complex:
        return {"complex": [number(values.real), number(values.imag)]}
    if kind is int and not -EXACT <= values <= EXACT:
        return {"int": str(values)}
    return values


def number(value: float) -> float | str:
    """Return a float, or the name of one that is not finite."""
    if _isfinite(value):
        return value
    return "nan" if _isnan(value) else "inf" if value > 0 else "-inf"


def dtype_name(dtype: torch.dtype) -> str:
    """Return `float32` for `torch.float32`."""
    return str(dtype).removeprefix("torch.")


def type_name(kind: type, limits: Limits = LIMITS) -> str:
    """Return the name of a type without asking its metaclass."""
    return cut(_type_name(kind), limits.name)


def message_of(error: BaseException, limits: Limits = LIMITS) -> str:
    """Return what an exception says, whatever its `__str__` does short of never returning."""
    try:
        text = str(error)
    except MemoryError:
        raise
    except BaseException:
        return "unprintable"
    return cut(text, limits.message)


def describe(error: BaseException, limits: Limits = LIMITS) -> dict[str, Any]:
    """Return an exception as plain data: its type, the names of that type's bases, its message."""
    kind = type(error)
    bases = [type_name(base, limits) for base in _type_mro(kind)[1:16] if base is not object]
    return {"type": type_name(kind, limits), "bases": bases, "message": message_of(error, limits)}


def cut(text: str, limit: int) -> str:
    """Return `text`, or its head and an ellipsis; lone surrogates are written out."""
    head = text if len(text) <= limit else text[:limit] + "…"
    return head.encode("utf-8", "backslashreplace").decode()
