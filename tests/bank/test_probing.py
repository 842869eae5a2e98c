"""A key is what the runs say: read from results, compared with the file, undecided where a run says nothing."""

import pytest

from app.bank.evidence import Reading
from app.bank.plans import plan
from app.bank.probing import quoted, read
from app.bank.snippets import operands
from app.bank.variants import Variant, with_parameters
from app.sandbox.protocol import Plain, RunResult, Verdict
from tests.bank.content import EDGE, SPOT, TRUE_FALSE, WHY, item_of
from tests.bank.runs import Answers, Failed, job, result, stopped


def variant_of(text: str) -> Variant:
    """Return the first variant of an item."""
    item = item_of(text)
    return with_parameters(item, {name: values[0] for name, values in item.parameters.items()})


def reading(text: str, *results: tuple[Answers, str | None] | RunResult) -> Reading:
    """Read a job whose programs gave these answers and ended with this exception."""
    variant = variant_of(text)
    planned = plan(variant)
    pairs = zip(planned.programs, results, strict=False)
    return read(
        variant,
        planned,
        job([given if isinstance(given, RunResult) else result(program, *given) for program, given in pairs]),
    )


TRUE_FALSE_SEEN: dict[str, Plain | Failed] = {
    "second == 3": False,
    "second == first + 3": True,
    "second": 5.0,
    "first": 2.0,
    "first + 3": 5.0,
}
HEALTHY = "raised is None and w.grad.item() == 36"
SYMPTOMS: dict[str, Plain | Failed] = {
    HEALTHY: False,
    "isinstance(raised, RuntimeError)": True,
    "raised is None": False,
}
GOOD: tuple[Answers, None] = ({HEALTHY: True}, None)
BAD: tuple[Answers, str] = ({HEALTHY: False}, "RuntimeError")
EFFECT = "x.grad.item() > 6"


@pytest.mark.parametrize(
    ("probe", "found"),
    [
        ("second == 2 * first", ("second", "2 * first")),
        ("second == 4 * (2 * 3.0 - 1)", ("second",)),
        ("raised is not None and raised_line == 4", ("raised", "raised_line")),
        ("isinstance(raised, RuntimeError) and 'x' in str(raised)", ("raised", "str(raised)")),
        ("torch.equal(a, b)", ("a", "b")),
        ("not w.is_leaf", ("w.is_leaf",)),
        ("w.is_leaf", ()),
        ("all(g > 0 for g in grads)", ()),
        ("1 < w.item() < 3", ("w.item()",)),
        ("not python (", ()),
    ],
)
def test_operands_are_what_varies_in_a_comparison(probe: str, found: tuple[str, ...]) -> None:
    assert operands(probe) == found


def test_truth_run_asks_probes_first_then_operands_then_quotes() -> None:
    planned = plan(variant_of(TRUE_FALSE))
    assert planned.programs[0].observe == (
        "second == 3",
        "second == first + 3",
        "second",
        "first + 3",
        "first",
        "raised",
    )
    assert planned.programs[0].code == variant_of(TRUE_FALSE).item.snippet


def test_every_patch_is_a_program_of_its_own() -> None:
    planned = plan(variant_of(SPOT))
    assert [(step.role, step.option) for step in planned.steps] == [
        ("truth", ""), ("repair", "1"), ("repair", "2"), ("also_heals", "3"),
    ]  # fmt: skip
    assert "changed = z.add(1)\nloss.backward()" in planned.programs[1].code
    assert planned.programs[1].observe[0] == HEALTHY


def test_confirmed_true_false_agrees() -> None:
    found = reading(TRUE_FALSE, (TRUE_FALSE_SEEN, None))
    assert found.agrees
    assert found.key.right == {"verdict": ("false",), "reason": ("1",)}
    assert {(seen.part, seen.option, seen.holds) for seen in found.evidence.options} == {
        ("verdict", "true", False), ("verdict", "false", True), ("reason", "1", True), ("reason", "2", False),
    }  # fmt: skip
    assert [entry.expression for entry in found.evidence.options[2].seen] == ["second", "first + 3"]


def test_key_that_the_run_contradicts_is_a_disagreement() -> None:
    found = reading(TRUE_FALSE, (TRUE_FALSE_SEEN | {"second == 3": True}, None))
    assert found.key.right["verdict"] == ("true",)
    assert [(entry.part, entry.observed) for entry in found.disagreements] == [
        ("verdict", "verdict true"), ("reason", "reason 1 and 2"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "says"),
    [(Failed("NameError"), "raised NameError"), (1.0, "no truth value"), (None, "no truth value")],
)
def test_probe_without_a_truth_value_is_undecided(answer: Plain | Failed, says: str) -> None:
    found = reading(TRUE_FALSE, (TRUE_FALSE_SEEN | {"second == first + 3": answer}, None))
    assert says in found.undecided[0]
    assert found.evidence.options[2].holds is None
    assert not found.agrees


def test_bool_tensor_is_a_truth_value() -> None:
    truth = {"tensor": {"shape": [], "dtype": "bool", "values": True}}
    assert reading(TRUE_FALSE, (TRUE_FALSE_SEEN | {"second == first + 3": truth}, None)).agrees


@pytest.mark.parametrize("verdict", [Verdict.KILLED, Verdict.INTERNAL, Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT])
@pytest.mark.parametrize("text", [TRUE_FALSE, SPOT, EDGE, WHY])
def test_run_that_did_not_end_gives_no_key(text: str, verdict: Verdict) -> None:
    found = reading(text, *[stopped(verdict)] * 4)
    assert not any(found.key.right.values())
    assert str(verdict) in found.undecided[0]


@pytest.mark.parametrize("text", [TRUE_FALSE, SPOT, EDGE, WHY])
def test_missing_results_are_undecided(text: str) -> None:
    assert not reading(text).agrees


def test_culprit_is_the_line_that_working_repairs_touch() -> None:
    found = reading(SPOT, (SYMPTOMS, "RuntimeError"), GOOD, BAD, GOOD)
    assert found.agrees
    assert found.key.right == {"culprit": ("4",), "symptom": ("1",), "repair": ("1",)}
    lines = {seen.option: seen for seen in found.evidence.options if seen.part == "culprit"}
    assert [line for line, seen in lines.items() if seen.holds] == ["4"]
    assert (lines["4"].run, lines["4"].patch) == (1, {4: "changed = z.add(1)"})
    assert [seen.option for seen in found.evidence.also] == ["3"]


def test_other_cures_count_as_culprits_where_the_author_accepts_them() -> None:
    text = SPOT.replace("level: 2", "level: 2\naccept_other_lines: true")
    found = reading(text, (SYMPTOMS, "RuntimeError"), GOOD, BAD, GOOD)
    assert found.agrees
    assert found.key.right["culprit"] == ("3", "4")


def test_cure_that_does_not_heal_is_a_disagreement() -> None:
    found = reading(SPOT, (SYMPTOMS, "RuntimeError"), GOOD, BAD, BAD)
    assert [entry.part for entry in found.disagreements] == ["culprit"]


def test_repair_that_works_unexpectedly_is_a_disagreement() -> None:
    found = reading(SPOT, (SYMPTOMS, "RuntimeError"), GOOD, GOOD, GOOD)
    assert found.key.right["culprit"] == ("4", "5")
    assert [entry.part for entry in found.disagreements] == ["culprit", "repair"]


def test_snippet_that_is_healthy_as_shown_is_a_disagreement() -> None:
    found = reading(SPOT, (SYMPTOMS | {HEALTHY: True}, None), GOOD, BAD, GOOD)
    assert found.disagreements[0].observed == "it is healthy without any repair"


def test_check_that_raises_on_a_patched_run_is_not_healthy() -> None:
    found = reading(SPOT, (SYMPTOMS, "RuntimeError"), GOOD, ({HEALTHY: Failed("AttributeError")}, None), GOOD)
    assert found.agrees
    assert "AttributeError" in next(
        seen.note for seen in found.evidence.options if seen.option == "2" and seen.run == 2
    )


def test_patched_run_that_ran_out_of_time_is_undecided() -> None:
    found = reading(SPOT, (SYMPTOMS, "RuntimeError"), GOOD, stopped(Verdict.TIME_LIMIT), GOOD)
    assert "repair 2 ended with time_limit" in found.undecided[0]


def tensor(value: float) -> Plain:
    """Return a scalar tensor as the sandbox reports it."""
    return {"tensor": {"shape": [], "dtype": "float32", "values": value}}


def test_observed_values_choose_the_option() -> None:
    found = reading(EDGE, ({"a.grad": tensor(2.0)}, None))
    assert found.agrees
    assert found.key.right == {"value": ("1",)}
    assert [entry.value for entry in found.key.values] == [tensor(2.0), None]


def test_distractor_that_is_observed_is_the_key_and_a_disagreement() -> None:
    found = reading(EDGE, ({"a.grad": tensor(2.0), "c.grad": tensor(0.0)}, None))
    assert found.key.right == {"value": ("3",)}
    assert (found.disagreements[0].expected, found.disagreements[0].observed) == ("2.0, None", "2.0, 0.0")


def test_value_nobody_offers_is_a_disagreement() -> None:
    found = reading(EDGE, ({"a.grad": tensor(7.0)}, None))
    assert found.key.right == {"value": ()}
    assert found.disagreements[0].observed == "7.0, None"


def test_ask_that_raises_is_undecided_unless_an_exception_is_offered() -> None:
    assert "raised NameError" in reading(EDGE, ({"a.grad": Failed("NameError")}, None)).undecided[0]


RAISES = EDGE.replace('expect: ["1.0 * $factor", null]', "expect: {raises: RuntimeError}").replace("{{a.grad}}", "it")


def test_exception_of_the_snippet_answers_what_is_asked() -> None:
    found = reading(RAISES, ({}, "RuntimeError"))
    assert found.agrees
    assert found.key.right == {"value": ("1",)}
    assert reading(RAISES, ({"a.grad": tensor(2.0)}, None)).disagreements[0].expected == "RuntimeError"


def test_exception_of_the_ask_answers_it_too() -> None:
    single = (
        RAISES.replace("[a.grad, c.grad]", "a.grad").replace("[null, null]", "null").replace('["$factor", 0.0]', "0.0")
    )
    assert reading(single, ({"a.grad": Failed("RuntimeError")}, None)).agrees


def test_typed_answers_keep_their_key() -> None:
    found = reading(EDGE.replace("level: 2", "level: 2\nentry: enter"), ({"a.grad": tensor(2.0)}, None))
    assert found.key.right == {"value": ("1",)}


def test_cause_is_what_takes_the_effect_away() -> None:
    found = reading(WHY, ({EFFECT: True}, None), ({EFFECT: False}, None), ({EFFECT: True}, None))
    assert found.agrees
    assert found.key.right == {"cause": ("1",)}


def test_effect_that_is_not_there_is_a_disagreement() -> None:
    found = reading(WHY, ({EFFECT: False}, None), ({EFFECT: False}, None), ({EFFECT: True}, None))
    assert found.disagreements[0].observed == "it is not"


def test_counterfactual_with_a_new_exception_shows_nothing() -> None:
    found = reading(WHY, ({EFFECT: True}, None), ({EFFECT: False}, None), ({EFFECT: False}, "RuntimeError"))
    assert found.agrees
    assert "raises RuntimeError" in found.evidence.options[1].note


def test_exception_that_is_the_effect_may_go_but_not_turn_into_another() -> None:
    effect = "isinstance(raised, RuntimeError)"
    text = WHY.replace(EFFECT, effect)
    found = reading(text, ({effect: True}, "RuntimeError"), ({effect: False}, None), ({effect: False}, "NameError"))
    assert found.key.right == {"cause": ("1",)}


def test_explanation_quotes_what_was_observed_as_code() -> None:
    found = reading(TRUE_FALSE, (TRUE_FALSE_SEEN, None))
    assert quoted("From {{first}} to `{{ second }}`.", found.evidence) == "From `2.0` to `5.0`."
    assert quoted("{{ nothing }}", found.evidence) == "`not observed`"


def test_quoted_text_cannot_leave_its_code_span() -> None:
    found = reading(TRUE_FALSE, (TRUE_FALSE_SEEN | {"first": "a`b``\n<i>"}, None))
    assert quoted("{{first}}", found.evidence) == "```'a`b``\\n<i>'```"


def test_quote_that_cannot_be_observed_is_undecided() -> None:
    found = reading(TRUE_FALSE, (TRUE_FALSE_SEEN | {"first": Failed("NameError")}, None))
    assert "The explanation quotes `first`" in found.undecided[0]
