"""Reading Python source as a tree, one text at a time.

CPython before 3.11.8 counts the depth of a tree in one place for all threads, so that two of them that parse at once
can end in a `SystemError` that is about neither text. Verification parses in several threads.
"""

import ast
import threading
from typing import Literal, cast, overload

_alone = threading.Lock()


@overload
def parse(text: str) -> ast.Module: ...
@overload
def parse(text: str, mode: Literal["eval"]) -> ast.Expression: ...
@overload
def parse(text: str, mode: Literal["exec", "eval"]) -> ast.Module | ast.Expression: ...


def parse(text: str, mode: Literal["exec", "eval"] = "exec") -> ast.Module | ast.Expression:
    """Return the tree of `text`; raise `SyntaxError`, `ValueError`, `RecursionError` or `MemoryError` as `ast` does."""
    with _alone:
        return cast("ast.Module | ast.Expression", ast.parse(text, mode=mode))  # noqa: TID251 - the one place that may
