"""Then and now: what a run of today shows beside what was stored, and which differences matter."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies

from app.bank.evidence import Evidence, ExpressionSeen, Key, OptionSeen, Reading
from app.bank.item import read_item
from app.bank.variants import Variant, draw
from app.grading.grade import Response, grade
from app.history.then_and_now import NOT_OBSERVED, NOTHING, Change, Kept, answer_of, compare, ended, held, printed
from app.sandbox.protocol import Observation, Raised, RunResult, Verdict
from tests.banks import ITEMS

RUN = RunResult(Verdict.OK, stdout="7.0\n")


def variant_of(name: str) -> Variant:
    return draw(read_item(ITEMS[name] | {"id": name, "topic": "basics"}), 0)


TWO_WALKS, VALUES, CHANGE = variant_of("two-walks"), variant_of("a-choice-of-values"), variant_of("a-late-change")
SEVEN = ExpressionSeen("w.grad.item()", Observation(7.0))
OPTIONS = (
    OptionSeen("reason", "1", True, "w.grad.item() == 7", (SEVEN,)),
    OptionSeen("reason", "2", False, "w.grad.item() == 5", (SEVEN,)),
)


def reading(right: dict[str, tuple[str, ...]], *, torch: str = "2.13.0", **changes: Any) -> Reading:
    values = changes.pop("values", ())
    facts: dict[str, Any] = {"runs": (RUN,), "options": OPTIONS, "quoted": {"w.grad": Observation(7.0)}, "also": ()}
    evidence = Evidence(**facts | changes, torch=torch, python="3.11", layers=(), wall_ms=1.0)
    return Reading(Key(right, values), evidence)


ADDS: dict[str, tuple[str, ...]] = {"verdict": ("false",), "reason": ("1",)}
REPLACES: dict[str, tuple[str, ...]] = {"verdict": ("true",), "reason": ("2",)}


def kept(variant: Variant, then: Reading, **choices: str) -> Kept:
    response = Response(choices)
    return Kept(variant, response, grade(response, then.key), then)


def differing(rows: Any) -> list[str]:
    return [f"{one.what}{one.code}" for one in rows if one.differs]


def test_the_same_run_changes_nothing() -> None:
    then = reading(ADDS)
    found = compare(kept(TWO_WALKS, then, verdict="false", reason="1"), reading(ADDS, torch="2.14.0"))
    assert (found.change, found.right_then, found.right_now) == (Change.NONE, True, True)
    assert differing(found.rows) == []
    assert [one.then for one in found.rows] == ["ran to its end", "7.0", "right: 7.0", "not right: 7.0", "7.0"]


def test_another_answer_is_another_answer_and_the_old_response_is_graded_by_it() -> None:
    five = tuple(replace(one, seen=(replace(SEVEN, observation=Observation(5.0)),)) for one in OPTIONS)
    now = reading(REPLACES, options=five, quoted={"w.grad": Observation(5.0)}, runs=(replace(RUN, stdout="5.0\n"),))
    found = compare(kept(TWO_WALKS, reading(ADDS), verdict="false", reason="1"), now)
    assert (found.change, found.right_then, found.right_now) == (Change.ANSWER, True, False)
    assert differing(found.rows) == [
        "It printed",
        "Reason 1w.grad.item() == 7",
        "Reason 2w.grad.item() == 5",
        "w.grad",
    ]


def test_other_words_of_an_exception_are_observed_and_change_no_answer() -> None:
    runs = [(RunResult(Verdict.ERROR, exception=Raised("RuntimeError", text, 2)),) for text in ("was\nmore", "is")]
    found = compare(kept(TWO_WALKS, reading(ADDS, runs=runs[0]), verdict="true"), reading(ADDS, runs=runs[1]))
    assert (found.change, found.right_now) == (Change.OBSERVED, False)
    assert (found.rows[0].then, found.rows[0].now) == ("RuntimeError in line 2: was", "RuntimeError in line 2: is")


def test_values_that_were_asked_are_compared_one_by_one() -> None:
    two, three = (Observation(2.0),), (Observation(3.0),)
    key: dict[str, tuple[str, ...]] = {"value": ("1",)}
    then, now = (reading(key, options=(), quoted={}, values=one) for one in (two, three))
    found = compare(kept(VALUES, then, value="1"), now)
    assert differing(found.rows) == ["a.grad"]
    assert found.change is Change.ANSWER
    without = compare(kept(VALUES, then, value="1"), reading(key, options=(), quoted={}))
    assert (without.rows[-1].then, without.rows[-1].now) == ("2.0", NOT_OBSERVED)


def test_of_the_lines_only_culprits_have_a_row() -> None:
    def lines(culprit: str) -> Reading:
        options = tuple(OptionSeen("culprit", one, one == culprit) for one in ("1", "2", "3"))
        return reading({"culprit": (culprit,)}, options=options, quoted={}, runs=(replace(RUN, stdout=""),))

    same, moved = (compare(kept(CHANGE, lines("2")), lines(culprit)) for culprit in ("2", "3"))
    assert [one.what for one in same.rows] == ["The snippet", "Culprit 2"]
    assert differing(moved.rows) == ["Culprit 2", "Culprit 3"]


def test_what_one_of_the_runs_lacks_is_said() -> None:
    now = reading(ADDS, options=(), quoted={}, runs=())
    found = compare(kept(TWO_WALKS, reading(ADDS)), now)
    assert {one.now for one in found.rows} == {NOT_OBSERVED, NOTHING}


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (RUN, "ran to its end"),
        (RunResult(Verdict.TIME_LIMIT), "ended early (time_limit)"),
        (RunResult(Verdict.TIME_LIMIT, "2 s"), "ended early (2 s)"),
        (RunResult(Verdict.ERROR, exception=Raised("KeyError", "", None)), "KeyError"),
        (RunResult(Verdict.ERROR, exception=Raised("KeyError", " 'a' ", 3)), "KeyError in line 3: 'a'"),
    ],
)
def test_endings_in_words(run: RunResult, words: str) -> None:
    assert ended([run]) == words
    assert ended([]) == NOT_OBSERVED
    assert printed([]) == NOTHING


def test_options_in_words() -> None:
    key = Key({"reason": ("1",)})
    assert held(None, key) == NOT_OBSERVED
    assert held(OptionSeen("reason", "1", None), key) == "right, could not be told"
    assert held(OptionSeen("repair", "1", False, "x", (ExpressionSeen("x", Observation(1)),)), key) == "not right"


parts = strategies.dictionaries(
    strategies.sampled_from(["reason", "verdict"]), strategies.lists(strategies.sampled_from("1234"), unique=True)
)


@given(parts, strategies.randoms())
def test_the_order_of_options_is_no_part_of_an_answer(right: dict[str, list[str]], chance: Any) -> None:
    mixed = {part: chance.sample(options, len(options)) for part, options in reversed(right.items())}
    one, other = (Key({part: tuple(options) for part, options in each.items()}) for each in (right, mixed))
    assert answer_of(one) == answer_of(other)
    assert answer_of(one) != answer_of(replace(one, values=(Observation(1),)))
