"""A small arithmetic evaluator for what an item's author writes: expected values, distractors and `where:`.

It walks the syntax tree of one expression and knows numbers, strings, `True`, `False`, `None`, `nan`, `inf`, lists,
arithmetic, comparisons, `and`/`or`/`not`, `a if c else b`, and `min`, `max`, `abs`, `round`. Nothing is ever
executed, and every size is bounded: the text, the depth, the numbers and what a list or a string may grow to.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from app.bank.parsing import parse
from app.errors import BadRequestError

Result: TypeAlias = bool | int | float | str | list[Any] | None

MAX_TEXT = 500
MAX_DEPTH = 40
MAX_BITS = 256
MAX_ITEMS = 1000
NAMES: Mapping[str, float] = {"nan": math.nan, "inf": math.inf}

_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARISON: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {"min": min, "max": max, "abs": abs, "round": round}


class ExpressionError(BadRequestError):
    """The text is not an expression this evaluator computes; the message says what to write instead."""

    title = "This expression cannot be computed"


def evaluate(text: str) -> Result:
    """Return the value of `text`, or raise `ExpressionError` with a sentence for its author."""
    if len(text) > MAX_TEXT:
        raise ExpressionError(f"The expression is longer than {MAX_TEXT} characters. Shorten it.")
    try:
        tree = parse(text.strip(), "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"`{text[:60]}` is not an expression. Check its spelling and brackets.") from error
    try:
        result: Result = _value(tree.body, 0)
    except (TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise ExpressionError(f"`{text[:60]}` has no value: {error}.") from error
    return result


def _value(node: ast.expr, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise ExpressionError("The expression is nested too deeply. Write it in a flatter way.")
    step = _STEPS.get(type(node))
    if step is None:
        raise ExpressionError(f"`{ast.unparse(node)[:60]}` is more than arithmetic. Write a number instead.")
    return _bounded(step(node, depth + 1))


def _bounded(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ExpressionError("A number in the expression grows too large. Use smaller ones.")
    if isinstance(value, str | list) and len(value) > MAX_ITEMS:
        raise ExpressionError(f"A list or text in the expression grows beyond {MAX_ITEMS} elements.")
    if isinstance(value, complex | bytes) or value is Ellipsis:
        raise ExpressionError("Only real numbers, text, lists, True, False and None are known here.")
    return value


def _constant(node: ast.Constant, _depth: int) -> Any:
    return node.value


def _name(node: ast.Name, _depth: int) -> Any:
    if node.id not in NAMES:
        raise ExpressionError(f"`{node.id}` is not known here. Write `${node.id}` if it is a parameter.")
    return NAMES[node.id]


def _list(node: ast.List | ast.Tuple, depth: int) -> Any:
    return [_value(element, depth) for element in node.elts]


def _unary(node: ast.UnaryOp, depth: int) -> Any:
    if type(node.op) not in _UNARY:
        raise ExpressionError("`~` is not known here.")
    return _UNARY[type(node.op)](_value(node.operand, depth))


def _binary(node: ast.BinOp, depth: int) -> Any:
    if type(node.op) not in _ARITHMETIC:
        raise ExpressionError(f"The operator in `{ast.unparse(node)[:60]}` is not known here.")
    left, right = _value(node.left, depth), _value(node.right, depth)
    _check_growth(node.op, left, right)
    return _ARITHMETIC[type(node.op)](left, right)


def _check_growth(operation: ast.operator, left: Any, right: Any) -> None:
    if isinstance(operation, ast.Mod) and isinstance(left, str):
        raise ExpressionError("Text cannot be formatted here. Write it out.")
    whole = isinstance(left, int) and isinstance(right, int)
    if isinstance(operation, ast.Pow) and whole and abs(right) * max(left.bit_length(), 1) > 2 * MAX_BITS:
        raise ExpressionError("A power in the expression grows too large. Use smaller numbers.")
    if isinstance(operation, ast.Mult):
        for sized, count in ((left, right), (right, left)):
            if isinstance(sized, str | list) and isinstance(count, int) and len(sized) * count > MAX_ITEMS:
                raise ExpressionError(f"A list or text in the expression grows beyond {MAX_ITEMS} elements.")


def _boolean(node: ast.BoolOp, depth: int) -> Any:
    stops_at = isinstance(node.op, ast.Or)
    value: Any = None
    for part in node.values:
        value = _value(part, depth)
        if bool(value) is stops_at:
            break
    return value


def _compare(node: ast.Compare, depth: int) -> Any:
    left = _value(node.left, depth)
    for operation, right_node in zip(node.ops, node.comparators, strict=True):
        right = _value(right_node, depth)
        if not _COMPARISON[type(operation)](left, right):
            return False
        left = right
    return True


def _choice(node: ast.IfExp, depth: int) -> Any:
    return _value(node.body if _value(node.test, depth) else node.orelse, depth)


def _call(node: ast.Call, depth: int) -> Any:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name not in _FUNCTIONS or node.keywords:
        raise ExpressionError(f"`{ast.unparse(node)[:60]}` is not known here: only min, max, abs and round are.")
    return _FUNCTIONS[name](*[_value(argument, depth) for argument in node.args])


_STEPS: Mapping[type[ast.expr], Callable[[Any, int], Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.List: _list,
    ast.Tuple: _list,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _choice,
    ast.Call: _call,
}
