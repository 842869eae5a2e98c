"""A typed answer, read as plain data. Nothing is executed: the syntax tree of one literal is walked."""

import ast
import re
from collections.abc import Mapping

from app.bank.author_values import DTYPES, MAX_DEPTH, elements, exception, of_result, tensor
from app.bank.parsing import parse
from app.bank.showing import NON_FINITE
from app.errors import BadRequestError
from app.sandbox.protocol import Plain

MAX_ENTRY = 400
_EXCEPTION = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*(Error|Exception|Warning|Interrupt|Exit|Iteration)\Z")
HOW_TO_ENTER = (
    "Write a number (2.5), None, True, a list ([1, 2]), tensor([1., 2.]), torch.Size([2, 3]), torch.float32, "
    "or the name of an exception (RuntimeError)."
)


class EntryError(BadRequestError):
    """A typed answer that cannot be read as a value; the message says how to write one."""

    title = "This answer cannot be read"


def parse_entry(text: str) -> Plain:
    """Return a typed answer as plain data, or raise `EntryError` with a sentence. Nothing is executed."""
    text = text.strip()
    if not text:
        raise EntryError(f"The answer is empty. {HOW_TO_ENTER}")
    if len(text) > MAX_ENTRY:
        raise EntryError(f"The answer is longer than {MAX_ENTRY} characters. {HOW_TO_ENTER}")
    if _EXCEPTION.match(text):
        return exception(text)
    try:
        return _entry(parse(text, "eval").body, 0)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise EntryError(f"`{text[:60]}` cannot be read as a value. {HOW_TO_ENTER}") from error


_SPELLED: Mapping[str, Plain] = {
    "nan": {"float": "nan"},
    "inf": {"float": "inf"},
    "null": None,
    "none": None,
    "true": True,
    "false": False,
}


def _entry(node: ast.expr, depth: int) -> Plain:  # noqa: PLR0911 - one return per form of a literal
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    match node:
        case ast.Constant(value=None | bool() | int() | float() | str() as value):
            return of_result(value)
        case ast.Name(id=name):
            return _entry_name(name)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            return _signed(_entry(operand, depth + 1), negative=isinstance(sign, ast.USub))
        case ast.List(elts=elements):
            return {"list": [_entry(element, depth + 1) for element in elements]}
        case ast.Tuple(elts=elements):
            return {"tuple": [_entry(element, depth + 1) for element in elements]}
        case ast.Attribute(value=ast.Name(id="torch" | "math" | "np" | "numpy"), attr=name):
            return _entry_name(name)
        case ast.Call(func=function, args=[argument], keywords=keywords):
            return _entry_call(ast.unparse(function), _entry(argument, depth + 1), keywords)
    raise ValueError("no value")


def _entry_name(name: str) -> Plain:
    if name in DTYPES:
        return {"dtype": name}
    if name in {"float", "double", "half", "long", "int"}:
        aliases = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32"}
        return {"dtype": aliases[name]}
    if name.lower() not in _SPELLED:
        raise ValueError("no value")
    return _SPELLED[name.lower()]


def _signed(value: Plain, *, negative: bool) -> Plain:
    if isinstance(value, dict) and "float" in value:
        value = NON_FINITE[value["float"]]
    elif isinstance(value, dict) and "int" in value:
        value = int(value["int"])
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("a sign before something that is no number")  # noqa: TRY004 - one error for the caller
    return of_result(-value if negative else value)


def _entry_call(function: str, argument: Plain, keywords: list[ast.keyword]) -> Plain:
    if function in {"tensor", "torch.tensor"}:
        dtype = next((ast.unparse(word.value).removeprefix("torch.") for word in keywords if word.arg == "dtype"), "")
        if dtype and dtype not in DTYPES:
            raise ValueError("no dtype")
        return tensor(argument, dtype)
    if keywords:
        raise ValueError("no value")
    if function in {"torch.Size", "Size"} and isinstance(argument, dict):
        sizes = elements(argument)
        if sizes is not None and all(type(size) is int for size in sizes):
            return {"shape": sizes}
    if function == "float" and argument in ("nan", "inf", "-inf"):
        return {"float": argument}
    raise ValueError("no value")
