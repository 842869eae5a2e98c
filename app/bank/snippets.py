"""Text transformations of a snippet: parameters filled in, lines patched, syntax judged. Nothing is executed."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.bank.parsing import parse

PARAMETER = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
QUOTED = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SyntaxFlaw:
    """Why a text is not valid Python, and on which of its lines (from 1)."""

    line: int
    message: str


_BINDS_TIGHTER = re.compile(r"\s*\*\*|\.\w|\[")  # a power, an attribute or an index


def literal(value: object) -> str:
    """Return the Python literal a parameter stands for; a negative number is in parentheses."""
    text = repr(value)
    return f"({text})" if text.startswith("-") else text


def fill(text: str, literals: Mapping[str, str]) -> str:
    """Replace every `$name`; a name without a literal stays. Parentheses stay only where they are needed."""

    def put(match: re.Match[str]) -> str:
        found = literals.get(match[1], match[0])
        bare = found.startswith("(-") and _stands_alone(text[: match.start()], text[match.end() :])
        return found[1:-1] if bare else found

    return PARAMETER.sub(put, text)


def _stands_alone(before: str, after: str) -> bool:
    """Say whether a negative number reads and means the same without parentheses between two texts."""
    operand = before.rstrip().endswith(("+", "-", "*", "/", "%", "@", "~"))
    return not operand and _BINDS_TIGHTER.match(after) is None


def fill_all(data: Any, literals: Mapping[str, str]) -> Any:
    """Replace every `$name` in every text inside of nested data, keys aside."""
    if isinstance(data, str):
        return fill(data, literals)
    if isinstance(data, dict):
        return {key: fill_all(value, literals) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [fill_all(value, literals) for value in data]
    return data


def parameters_in(text: str) -> set[str]:
    """Return the names of the parameters a text uses."""
    return set(PARAMETER.findall(text))


def lines_of(snippet: str) -> list[str]:
    """Return the lines of a snippet, the first being line 1."""
    return snippet.rstrip("\n").split("\n")


def patched(snippet: str, patch: Mapping[int, str]) -> str:
    """Return the snippet with the lines of `patch` (from 1) replaced; a line it does not have is left alone."""
    lines = lines_of(snippet)
    return "\n".join(patch.get(number, line).rstrip("\n") for number, line in enumerate(lines, 1)) + "\n"


def dropped(snippet: str, number: int) -> str | None:
    """Return the snippet without one line, or `None` where the rest would not be valid Python."""
    line = lines_of(snippet)[number - 1]
    indentation = line[: len(line) - len(line.lstrip())]
    without = patched(snippet, {number: f"{indentation}pass"})
    return without if syntax_flaw(without) is None else None


def syntax_flaw(code: str, *, expression: bool = False) -> SyntaxFlaw | None:
    """Say why `code` is not valid Python, or `None` if it is."""
    try:
        parse(code.strip() if expression else code, "eval" if expression else "exec")
    except SyntaxError as error:
        return SyntaxFlaw(max(error.lineno or 1, 1), error.msg)
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxFlaw(1, str(error) or "it is nested too deeply")
    return None


def quotes(text: str) -> tuple[str, ...]:
    """Return the expressions that a text quotes as `{{ expression }}`, each once, in order."""
    return tuple(dict.fromkeys(expression.strip() for expression in QUOTED.findall(text)))


def operands(probe: str) -> tuple[str, ...]:
    """Return what a probe compares: the sides of its comparisons and the arguments of its calls, without constants."""
    try:
        tree = parse(probe.strip(), "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found = [ast.unparse(node) for node in _operands(tree.body)]
    return tuple(dict.fromkeys(text for text in found if text != ast.unparse(tree.body)))


def _operands(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BoolOp(values=parts):
            return [operand for part in parts for operand in _operands(part)]
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _operands(inner)
        case ast.Compare(left=left, comparators=rest):
            return [side for side in (left, *rest) if _varies(side)]
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass" | "hasattr"), args=[first, *_]):
            return [first] if _varies(first) else []
        case ast.Call(args=arguments):
            return [argument for argument in arguments if _varies(argument)]
    return [node] if _varies(node) else []


def _varies(node: ast.expr) -> bool:
    """Say whether an expression names something of the run and may be evaluated once more on its own."""
    walked = list(ast.walk(node))
    unfit = (ast.NamedExpr, ast.Lambda, ast.comprehension, ast.Starred, ast.Await, ast.Yield)
    return any(isinstance(part, ast.Name) for part in walked) and not any(isinstance(part, unfit) for part in walked)
