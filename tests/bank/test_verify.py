"""Verification: it fails where a run disagrees with a file, warns where an item is weak, and says what it left out."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.bank.lab import BATCH
from app.bank.similar import alike, form_of, perturbed
from app.bank.verify import verify
from app.sandbox.protocol import JobResult, Observation, Plain, Program, RunResult
from tests.bank.content import EDGE, SPOT, TRUE_FALSE, WHY, bank_of, write_bank
from tests.bank.runs import Failed, answering, job, result

HEALTHY = "raised is None and w.grad.item() == 36"
EFFECT = "x.grad.item() > 6"


def two_passes(program: Program) -> RunResult:
    """Answer the true-false item as torch does."""
    seen: dict[str, Plain | Failed] = {"second == first + 3": True, "second == 3": False, "second": 5.0, "first": 2.0}
    return result(program, seen | {"first + 3": 5.0, "3": 3, "w": program.code.partition(",")[0]})


def five_lines(program: Program) -> RunResult:
    """Answer the spot-the-error item as torch does."""
    healed = "z.add_(1)" not in program.code or "z.clone()" in program.code
    seen: dict[str, Plain | Failed] = {
        HEALTHY: healed,
        "isinstance(raised, RuntimeError)": not healed,
        "raised is None": healed,
    }
    return result(program, seen, None if healed else "RuntimeError")


def three_leaves(program: Program) -> RunResult:
    """Answer the edge case as torch does."""
    return result(program, {"a.grad": 2.0 if "(a * 2.0)" in program.code else 5.0})


def two_paths(program: Program) -> RunResult:
    """Answer the why item as torch does."""
    return result(program, {EFFECT: "x.detach()" not in program.code, "x.grad.item()": 10.0})


@pytest.mark.parametrize(
    ("text", "answer"), [(TRUE_FALSE, two_passes), (SPOT, five_lines), (EDGE, three_leaves), (WHY, two_paths)]
)
def test_item_that_runs_confirm_is_ok(tmp_path: Path, text: str, answer: object) -> None:
    assert callable(answer)
    report = verify(bank_of(tmp_path, text), answering(answer))
    assert report.ok, [str(finding) for finding in report.errors]
    assert report.warnings == []
    assert report.items == 1
    assert report.programs > 0
    assert report.probes > 0
    assert json.loads(json.dumps(report.to_json()))["ok"] is True


def test_item_that_a_run_contradicts_is_an_error(tmp_path: Path) -> None:
    text = TRUE_FALSE.replace("{verdict: false, reason: 1}", "{verdict: true, reason: 1}")
    report = verify(bank_of(tmp_path, text), answering(two_passes))
    assert [(finding.part, finding.parameters) for finding in report.errors] == [("verdict", "w0=2.0")]
    assert report.failed == {"two-passes"}


def test_problems_of_files_are_errors_of_a_whole_verification(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, TRUE_FALSE.replace("level: 1", "level: 9"), EDGE)
    assert "level" in verify(bank, answering(three_leaves)).errors[0].message
    assert verify(bank, answering(three_leaves), ["three-leaves"]).ok


def test_unknown_id_is_an_error(tmp_path: Path) -> None:
    assert not verify(bank_of(tmp_path), answering(two_passes), ["nobody"]).ok


def test_batches_are_small_and_a_program_runs_twice_at_most_with_other_seeds(tmp_path: Path) -> None:
    values = ", ".join(f"{number}.0" for number in range(30))
    sizes: list[int] = []
    programs: list[Program] = []

    def run(batch: Sequence[Program]) -> JobResult:
        sizes.append(len(batch))
        programs.extend(batch)
        return job([two_passes(program) for program in batch])

    report = verify(bank_of(tmp_path, TRUE_FALSE.replace("[2.0, -3.0]", f"[{values}]")), run, limit=20)
    assert max(sizes) <= BATCH
    assert len(programs) == len(set(programs)) == report.runs > report.programs
    assert report.variants == 20
    assert any("a sample of 20 variants" in sentence for sentence in report.not_run)


def test_probe_that_depends_on_those_before_it_is_an_error(tmp_path: Path) -> None:
    def moody(program: Program) -> RunResult:
        if program.observe == ("second == 3",):
            return result(program, {"second == 3": True})
        return two_passes(program)

    report = verify(bank_of(tmp_path, TRUE_FALSE), answering(moody))
    assert [finding.part for finding in report.errors] == ["probe"]


def test_same_question_in_other_words_is_a_warning(tmp_path: Path) -> None:
    def equal_passes(program: Program) -> RunResult:
        seen: dict[str, Plain | Failed] = {
            "second == first + 3": True,
            "second == first": False,
            "second == mean": False,
        }
        return result(
            program,
            seen
            | {"second == 3": False, "second": 6.0, "first": 3.0, "mean": 3.0, "first + 3": 6.0}
            | {"w": program.code.partition(",")[0]},
        )

    text = TRUE_FALSE.replace("holds: second == 3\n    ", "holds: second == first\n    ")
    text = text.replace("expect: {", "  - text: The mean.\n    holds: second == mean\nexpect: {")
    report = verify(bank_of(tmp_path, text), answering(equal_passes))
    assert report.ok
    assert [finding.message[:17] for finding in report.warnings] == ["Options 2 and 3 p"]


def test_dropped_line_that_heals_is_a_warning(tmp_path: Path) -> None:
    def lenient(program: Program) -> RunResult:
        return result(program, {HEALTHY: True}) if "loss = z" not in program.code else five_lines(program)

    text = SPOT.replace('also_heals: {3: "loss = z.clone().square()"}\n', "")
    report = verify(bank_of(tmp_path, text), answering(lenient))
    assert [finding.message[:27] for finding in report.warnings] == [
        "Line 3: dropping it heals a",
        "Line 3: cloning `z` there h",
    ]


def test_counterfactual_that_raises_is_a_warning(tmp_path: Path) -> None:
    def raising(program: Program) -> RunResult:
        found = two_paths(program)
        return result(program, {EFFECT: True}, "RuntimeError") if "y = torch.tensor(4.0)\n" in program.code else found

    report = verify(bank_of(tmp_path, WHY), answering(raising))
    assert [finding.part for finding in report.warnings] == ["cause 2"]


def test_exception_that_no_probe_looks_at_is_a_warning(tmp_path: Path) -> None:
    def raising(program: Program) -> RunResult:
        return result(program, {EFFECT: "x.detach()" not in program.code}, "RuntimeError")

    report = verify(bank_of(tmp_path, WHY), answering(raising))
    assert "no probe looks at it" in report.warnings[0].message


def test_same_patch_twice_is_a_warning(tmp_path: Path) -> None:
    text = WHY.replace('{2: "y = torch.tensor(4.0)"}', '{3: "loss = x.square()  + x.detach()*y"}')
    report = verify(bank_of(tmp_path, text), answering(two_paths))
    assert any("same change" in finding.message for finding in report.warnings)


def test_colliding_variants_are_named_and_an_item_without_others_fails(tmp_path: Path) -> None:
    some = EDGE.replace('["$factor", 0.0]', "[2.0, null]")
    report = verify(bank_of(tmp_path, some), answering(three_leaves))
    assert report.ok
    assert report.warnings[0].parameters == "factor=2.0"
    write_bank(tmp_path, EDGE.replace('["$factor", 0.0]', '["$factor", null]'))
    every = bank_of(tmp_path, EDGE.replace('["$factor", 0.0]', '["$factor", null]'))
    assert "No variant can be shown" in verify(every, answering(three_leaves)).errors[0].message


def test_words_that_tell_the_outcome_are_a_warning(tmp_path: Path) -> None:
    report = verify(
        bank_of(tmp_path, EDGE.replace("title: Three leaves", "title: Never None")), answering(three_leaves)
    )
    assert {finding.message.split("`")[1] for finding in report.warnings} == {"never", "none"}


def test_memorisation_is_what_knowing_one_key_is_worth(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, EDGE, TRUE_FALSE)

    def answer(program: Program) -> RunResult:
        return two_passes(program) if "second" in program.code else three_leaves(program)

    assert verify(bank, answering(answer)).memorisation == {"two-passes": 1.0, "three-leaves": 0.5}


def test_progress_is_told_item_by_item(tmp_path: Path) -> None:
    heard: list[tuple[int, int, str]] = []

    def hear(done: int, total: int, item_id: str) -> None:
        heard.append((done, total, item_id))

    verify(bank_of(tmp_path, EDGE), answering(three_leaves), progress=hear)
    assert heard == [(1, 1, "three-leaves")]


def test_forms_compare_shapes_and_sides() -> None:
    assert form_of("a == b and c > 1").sides == ("a", "b", "c", "1")
    seen = {"a": Observation(1.0), "b": Observation(1.0), "c": Observation(2.0)}
    assert alike("x == a", "x == b", seen | {"x": Observation(3.0)})
    assert not alike("x == a", "x == c", seen | {"x": Observation(3.0)})
    assert not alike("x == a", "x is a", seen | {"x": Observation(3.0)})
    assert not alike("x == a", "x == unseen", seen | {"x": Observation(3.0)})


def test_perturbed_values_differ_from_the_authors() -> None:
    assert perturbed({"a": 2.0, "b": 2.0, "n": 3, "s": "mean", "v": [1.0]}).keys() == {"a", "b", "n", "s", "v"}
    moved = perturbed({"a": 2.0, "b": 2.0, "n": 3})
    assert moved["a"] not in (2.0, moved["b"])
    assert moved["n"] == 3
