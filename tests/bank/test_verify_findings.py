"""What verification warns of besides a wrong key, each on an item that has just that weakness; and what chance does."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.bank.lab import SEED
from app.bank.reports import Finding, Report
from app.bank.suspicions import clones
from app.bank.verify import verify
from app.bank.wording import words_in
from app.sandbox.protocol import Plain, Program, RunResult, Verdict
from tests.bank.content import EDGE, SPOT, TRUE_FALSE, WHY, bank_of
from tests.bank.runs import Failed, answering, result, stopped
from tests.bank.test_verify import five_lines, three_leaves, two_passes, two_paths

Answer = Callable[[Program], RunResult]


def found(tmp_path: Path, text: str, answer: Answer) -> Report:
    """Return the report on one item."""
    return verify(bank_of(tmp_path, text), answering(answer))


def parts(findings: list[Finding]) -> set[str]:
    """Return the parts that findings name."""
    return {finding.part for finding in findings}


def test_key_that_depends_on_the_seed_is_an_error(tmp_path: Path) -> None:
    def chance(program: Program) -> RunResult:
        return result(program, {"a.grad": 7.0}) if program.seed == SEED else three_leaves(program)

    report = found(tmp_path, EDGE, chance)
    assert parts(report.errors) == {"nondeterministic, snippet"}
    assert "another seed" in report.errors[0].message


def test_key_that_differs_with_the_same_seed_is_flaky(tmp_path: Path) -> None:
    calls: dict[Program, int] = {}

    def moody(program: Program) -> RunResult:
        calls[program] = calls.get(program, 0) + 1
        flips = "c.grad" in program.observe and len(program.observe) > 1
        wrong = result(program, {"a.grad": 7.0})
        return wrong if flips and (program.seed == SEED or calls[program] > 1) else three_leaves(program)

    report = found(tmp_path, EDGE, moody)
    assert parts(report.errors) == {"flaky, snippet"}


def test_exception_that_comes_and_goes_is_an_error(tmp_path: Path) -> None:
    def chance(program: Program) -> RunResult:
        return result(program, {}, "ValueError") if program.seed == SEED else three_leaves(program)

    assert "ValueError" in found(tmp_path, EDGE, chance).errors[0].message


def test_printing_that_differs_is_a_warning_only(tmp_path: Path) -> None:
    report = found(tmp_path, EDGE, lambda program: replace(three_leaves(program), stdout=f"{program.seed}\n"))
    assert report.ok
    assert parts(report.warnings) == {"nondeterministic, snippet"}


def test_quoted_value_that_differs_is_a_warning_only(tmp_path: Path) -> None:
    text = TRUE_FALSE.replace("{{first}}", "{{noise}}")

    def noisy(program: Program) -> RunResult:
        seen = two_passes(program)
        return seen if "noise" not in program.observe else _with(program, seen, "noise", float(program.seed))

    report = found(tmp_path, text, noisy)
    assert report.ok
    assert any("`noise` gives 0.0, then 1.0" in finding.message for finding in report.warnings)


def _with(program: Program, seen: RunResult, expression: str, value: Plain) -> RunResult:
    observations = list(seen.observations)
    place = program.observe.index(expression)
    observations[place] = replace(observations[place], value=value)
    return replace(seen, observations=tuple(observations))


def test_run_that_was_cut_short_once_is_made_again(tmp_path: Path) -> None:
    seen: set[Program] = set()

    def slow_once(program: Program) -> RunResult:
        first = program not in seen
        seen.add(program)
        return stopped(Verdict.TIME_LIMIT) if first else three_leaves(program)

    assert found(tmp_path, EDGE, slow_once).ok


def test_run_that_is_always_cut_short_is_an_error(tmp_path: Path) -> None:
    assert parts(found(tmp_path, EDGE, lambda _: stopped(Verdict.TIME_LIMIT)).errors) == {"undecided"}


def test_writing_to_stderr_is_a_warning_and_a_traceback_is_not(tmp_path: Path) -> None:
    warned = found(tmp_path, EDGE, lambda program: replace(three_leaves(program), stderr="<snippet>:1: UserWarning: x"))
    assert parts(warned.warnings) == {"snippet"}
    trace = "Traceback (most recent call last):\n  boom\n"
    (tmp_path / "other").mkdir()
    raised = found(tmp_path / "other", SPOT, lambda program: replace(five_lines(program), stderr=trace))
    assert raised.warnings == []


def test_line_where_a_clone_heals_is_named(tmp_path: Path) -> None:
    text = SPOT.replace('also_heals: {3: "loss = z.clone().square()"}\n', "")
    report = found(tmp_path, text, five_lines)
    assert [finding.message.split(".")[0] for finding in report.warnings] == ["Line 3: cloning `z` there heals as well"]
    assert report.warnings[0].heuristic


def test_clones_are_of_bound_names_where_a_value_is_used() -> None:
    code = "w = torch.tensor(2.0)\nf = torch.sin\ny = f(w) + w.grad\ny.add_(1)\n"
    assert [(line, name) for line, name, _ in clones(code)] == [(3, "w"), (4, "y")]
    assert clones(code)[0][2].splitlines()[2] == "y = f(w.clone()) + w.grad"


def test_symptom_that_a_repair_leaves_is_a_warning(tmp_path: Path) -> None:
    def lasting(program: Program) -> RunResult:
        seen = five_lines(program)
        probe = "isinstance(raised, RuntimeError)"
        return _with(program, seen, probe, True) if program.observe == (probe,) else seen

    assert parts(found(tmp_path, SPOT, lasting).warnings) == {"symptom"}


def test_reason_that_outlives_the_verdict_is_a_warning(tmp_path: Path) -> None:
    def dropped(program: Program) -> RunResult:
        without = "pass" in program.code.split()
        seen: dict[str, Plain | Failed] = {"second == first + 3": True, "second == 3": without}
        return result(program, seen) if without else two_passes(program)

    report = found(tmp_path, TRUE_FALSE, dropped)
    assert parts(report.warnings) == {"reason"}
    assert all(finding.heuristic for finding in report.warnings)


@pytest.mark.parametrize(
    ("base", "old", "new", "answer", "says"),
    [
        (TRUE_FALSE, "    holds: second == first + 3", "    holds: not (second == 3)", None, "explains nothing"),
        (TRUE_FALSE, "holds: second == 3\n    m", "holds: 3 == 4\n    m", None, "looks at nothing"),
        (TRUE_FALSE, "holds: second == 3\n    m", "holds: second != second\n    m", None, "with itself"),
        (EDGE, "interview:", "torch: '>=2.9'\ninterview:", three_leaves, ""),
        (EDGE, "  good_answer: [Names the rule]\n", "", three_leaves, "`interview.good_answer` is empty"),
        (WHY, "rubric:\n  - names both paths\n", "", two_paths, "`rubric` is empty"),
        (EDGE, "prompt: Two leaves", f"prompt: {'word ' * 170}Two leaves", three_leaves, "words to read"),
        (EDGE, "explanation: One", f"explanation: {'word ' * 170}One", three_leaves, "The explanation has"),
    ],
)
def test_weakness_is_a_warning(
    tmp_path: Path, base: str, old: str, new: str, *, answer: Answer | None, says: str
) -> None:
    def permissive(program: Program) -> RunResult:
        seen: dict[str, Plain | Failed] = dict.fromkeys(program.observe, False)
        code = program.code.partition(",")[0]
        return result(
            program, seen | {"second == first + 3": True, "not (second == 3)": True, "second": 5.0, "w": code}
        )

    assert old in base
    report = found(tmp_path, base.replace(old, new, 1), answer or permissive)
    assert report.ok, [str(error) for error in report.errors]
    assert [finding for finding in report.warnings if says and says in finding.message] or (
        not says and not report.warnings
    ), [str(finding) for finding in report.warnings]


def test_versions_that_cannot_be_read_are_an_error(tmp_path: Path) -> None:
    report = found(tmp_path, EDGE.replace("interview:", "torch: new ones\ninterview:"), three_leaves)
    assert parts(report.errors) == {"torch"}


def test_parameter_that_changes_nothing_is_a_warning(tmp_path: Path) -> None:
    text = EDGE.replace("factor: [2.0, 5.0]", "factor: [2.0, 5.0]\n  idle: [1.0, 3.0]")
    text = text.replace("  (a * $factor)", "  d = $idle\n  (a * $factor)")
    assert parts(found(tmp_path, text, three_leaves).warnings) == {"parameters"}


def test_second_item_of_the_same_title_is_a_warning_that_is_never_kept(tmp_path: Path) -> None:
    other = EDGE.replace("id: three-leaves", "id: other-leaves").replace("c = torch", "d = torch")
    report = verify(bank_of(tmp_path, EDGE, other), answering(three_leaves))
    assert any("same title" in finding.message for finding in report.warnings)


def test_use_in_quizzes_depends_on_memorisation_and_status(tmp_path: Path) -> None:
    retracted = EDGE.replace("id: three-leaves", "id: old-leaves").replace("title: Three", "title: Old")
    retracted = retracted.replace("level: 2", "level: 2\nstatus: retracted")
    bank = bank_of(tmp_path, EDGE, TRUE_FALSE, retracted)

    def answer(program: Program) -> RunResult:
        return two_passes(program) if "second" in program.code else three_leaves(program)

    quiz = verify(bank, answering(answer)).quiz
    assert quiz == {"two-passes": "open book", "three-leaves": "any", "old-leaves": "no"}


def test_words_count_names_in_code_as_one() -> None:
    assert words_in("After `x.grad` it holds 2.5, not more.") == 7
