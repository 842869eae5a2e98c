"""Trees of Python source, read by several threads at once."""

import ast
import gc
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.bank.parsing import parse

NESTED = "[" * 30 + "x" + "]" * 30


def test_it_reads_what_ast_reads() -> None:
    assert ast.dump(parse("x = 1")) == ast.dump(ast.parse("x = 1"))
    assert ast.dump(parse("x + 1", "eval")) == ast.dump(ast.parse("x + 1", mode="eval"))


def test_it_raises_what_ast_raises() -> None:
    with pytest.raises(SyntaxError):
        parse("x = ", "eval")
    with pytest.raises((RecursionError, MemoryError)):
        parse("-" * 100_000 + "1", "eval")


def test_threads_that_parse_at_once_leave_each_other_alone() -> None:
    """Collecting garbage runs Python in the middle of a parse, which is where another thread can get its turn."""
    parses = 300

    class Cycle:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            sum(range(200))

    def work(_: int) -> int:
        for _ in range(parses):
            Cycle()
            parse(NESTED, "eval")
        return parses

    before = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(10)
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(work, range(8))) == [parses] * 8
    finally:
        gc.set_threshold(*before[0])
        sys.setswitchinterval(before[1])
