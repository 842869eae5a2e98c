"""A thousand malformed item files through loader and verifier: problems with file and line, no traceback, no hang."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bank.catalog import Bank
from app.bank.loader import check, load
from app.bank.verify import verify
from app.sandbox.protocol import JobResult, Observation, Program, Raised, RunResult, Verdict
from tests.bank.content import ALL, item_of, unhurried, write_bank
from tests.bank.runs import job

FILES = 1000
SNIPS = (
    *("[", "{", "]: ", "- ", ": ", "'", '"', "|", ">", "&a ", "*a", "!!int ", "---\n", "...", "\t", "\n", "\r", "#"),
    *("$", "$w0", "$nobody", "{{", "}}", "{{1/0}}", "{{x:=1}}", "%", "`", "\\", "é", "\u2028", "\x00", "\ud7ff", "😀"),
    *("null", "~", "yes", "1e999", "-1", "0", "99999999999999999999", "1_000", "0x10", "1:30", ".nan", "2020-01-01"),
    *("lambda: 0", "await x", "yield", "import os", "(" * 300, "-" * 200, "a" * 9000, "9**9**9**9", "[0]*10**9"),
    *("raised", "stdout", "torch", "not ", "==", " if 1 else ", "holds", "expect: ", "parameters: {a: [1]}\n"),
)


def malformed(seed: int) -> bytes:
    """Return a good item's file with a few random mistakes in it."""
    chance = random.Random(seed)
    text = chance.choice(ALL)
    for _ in range(chance.randint(1, 4)):
        place, length = chance.randrange(len(text)), chance.choice((0, 0, 1, 5, 40))
        text = text[:place] + chance.choice(SNIPS) + text[place + length :]
        if chance.random() < 0.2:
            lines = text.splitlines(keepends=True)
            chance.shuffle(lines)
            text = "".join(lines)
    return text.encode("utf-8", "surrogatepass")


def answer_anything(programs: Sequence[Program]) -> JobResult:
    """Answer each expression with some value, and some runs with another ending."""
    values: tuple[Any, ...] = (
        True,
        False,
        None,
        1.5,
        "x",
        {"float": "nan"},
        {"list": [1]},
        {"object": "X"},
        {"odd": 1},
    )
    results = []
    for program in programs:
        chance = random.Random(len(program.code) + program.seed)
        verdict = chance.choice((Verdict.OK, Verdict.OK, Verdict.ERROR, Verdict.TIME_LIMIT, Verdict.KILLED))
        ended = verdict in (Verdict.OK, Verdict.ERROR)
        seen = [Observation(chance.choice(values)) for _ in program.observe]
        seen = [one if chance.random() < 0.9 else Observation(raised=Raised("NameError", "m")) for one in seen]
        error = Raised("RuntimeError", "m", 1) if verdict is Verdict.ERROR else None
        results.append(RunResult(verdict, exception=error, observations=tuple(seen) if ended else ()))
    return job(results[: len(results) - (len(results) > 3)])  # and sometimes one result too few


def test_a_thousand_malformed_files_give_problems_with_file_and_line(tmp_path: Path) -> None:
    folder = write_bank(tmp_path, ALL[0])
    for seed in range(FILES):
        (folder / "leaves").mkdir(exist_ok=True)
        (folder / "leaves" / f"item-{seed}.yaml").write_bytes(malformed(seed))
    bank = load(folder)
    named = {problem.file for problem in bank.problems}
    assert {f"leaves/item-{seed}.yaml" for seed in range(FILES)} <= named
    assert all(problem.line >= 1 and problem.message for problem in bank.problems)
    report = verify(bank, answer_anything)
    assert {error.item for error in report.errors} >= named
    assert "two-passes" in report.variants_of


def test_items_that_survive_their_mistakes_go_through_the_verifier() -> None:
    items = [checked.item for seed in range(FILES) if (checked := check(malformed(seed), "upload.yaml")).item]
    assert len(items) > 20
    for item in items:
        report = verify(Bank(items={item.id: item}), answer_anything, limit=3)
        assert report.items == 1
        assert all(finding.message for finding in (*report.errors, *report.warnings))


@pytest.mark.parametrize("text", ALL)
@unhurried
@given(data=st.data())
def test_no_answer_of_the_sandbox_breaks_the_verifier(text: str, data: st.DataObject) -> None:
    plain: st.SearchStrategy[Any] = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(SHAPES), inner, max_size=2),
        max_leaves=4,
    )
    values = data.draw(st.lists(plain, min_size=1, max_size=4))

    def run(programs: Sequence[Program]) -> JobResult:
        return job(
            [
                RunResult(Verdict.OK, observations=tuple(Observation(values[i % len(values)]) for i, _ in seen))
                for seen in ([*enumerate(program.observe)] for program in programs)
            ]
        )

    item = item_of(text)
    assert verify(Bank(items={item.id: item}), run, limit=2).items == 1


SHAPES = ("tensor", "list", "tuple", "dict", "float", "int", "shape", "dtype", "exception", "object", "values", "type")
