"""Draws: every element from a sub-seed of its own, no forbidden and no colliding variant, and a frozen copy."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from app.bank.item import EdgeCase, SpotTheError, TrueFalse, read_item
from app.bank.snippets import fill, literal
from app.bank.variants import (
    FrozenVariantError,
    NoVariantError,
    content_hash,
    draw,
    from_json,
    survey,
    to_json,
    variants,
    with_parameters,
)
from tests.bank.content import ALL, EDGE, SPOT, TRUE_FALSE, item_of, unhurried

seeds = st.integers(0, 2**48)


def test_parameters_are_filled_in_everywhere_but_the_identity() -> None:
    text = TRUE_FALSE.replace("prompt: The", "prompt: With $w0, the").replace(
        "second == 3\nreasons", "second == 3 + $w0\nreasons"
    )
    item = with_parameters(item_of(text), {"w0": -3.0}).item
    assert isinstance(item, TrueFalse)
    assert "torch.tensor(-3.0, requires_grad=True)" in item.snippet
    assert item.prompt.startswith("With -3.0, the")
    assert item.holds == "second == 3 + (-3.0)"
    assert (item.id, item.kind, item.topic) == ("two-passes", "true_false", "accumulation")


@unhurried
@given(seeds)
def test_adding_a_parameter_does_not_change_what_another_draws(seed: int) -> None:
    text = TRUE_FALSE.replace("[2.0, -3.0]", "[1.0, 2.0, 3.0, 4.0, 5.0]")
    more = text.replace("snippet: |\n", "  lr: [0.1, 0.2, 0.3]\nsnippet: |\n  rate = $lr\n").replace(
        "0.1, 0.2", "0.1, 0.2"
    )
    one, other = draw(item_of(text), seed), draw(item_of(more), seed)
    assert one.parameters["w0"] == other.parameters["w0"]
    assert one.orders == other.orders


@unhurried
@given(seeds)
def test_same_seed_draws_the_same_variant(seed: int) -> None:
    assert all(draw(item_of(text), seed) == draw(item_of(text), seed) for text in ALL)


def test_every_order_and_every_value_is_drawn() -> None:
    drawn = [draw(item_of(EDGE), seed) for seed in range(200)]
    assert {variant.parameters["factor"] for variant in drawn} == {2.0, 5.0}
    assert {variant.orders["value"] for variant in drawn} == {
        (a, b, c) for a in "123" for b in "123" for c in "123" if len({a, b, c}) == 3
    }


@unhurried
@given(seeds)
def test_where_is_respected(seed: int) -> None:
    text = TRUE_FALSE.replace("[2.0, -3.0]", "[1.0, 2.0, -3.0]").replace("level: 1", "level: 1\nwhere: ['$w0 < 0']")
    assert draw(item_of(text), seed).parameters == {"w0": -3.0}


@unhurried
@given(seeds)
def test_rare_combination_is_found_by_enumeration(seed: int) -> None:
    values = ", ".join(f"{number}.0" for number in range(60))
    text = TRUE_FALSE.replace("[2.0, -3.0]", f"[{values}]").replace("level: 1", "level: 1\nwhere: ['$w0 == 59']")
    assert draw(item_of(text), seed).parameters == {"w0": 59.0}


@unhurried
@given(seeds)
def test_colliding_variant_is_never_drawn(seed: int) -> None:
    text = EDGE.replace("[2.0, 5.0]", "[2.0, 0.0]")  # with 0.0 the second distractor would be [0.0, 0.0]
    text = text.replace('["$factor", 0.0]', "[0.0, null]")
    assert draw(item_of(text), seed).parameters == {"factor": 2.0}


def test_item_without_a_possible_variant_says_so() -> None:
    text = EDGE.replace('["$factor", 0.0]', '["$factor", null]')
    item = read_item(yaml.load(text, Loader=yaml.CSafeLoader))  # the loader refuses it
    found = survey(item, 10)
    assert (len(found.variants), len(found.refused)) == (0, 2)
    assert found.refused[0].flaws[-1] == "Options 1 and 3 of value are the same value."
    with pytest.raises(NoVariantError):
        draw(item, 1)


def test_options_that_read_the_same_collide() -> None:
    variant = with_parameters(
        read_item(yaml.load(TRUE_FALSE.replace("replaces.", "adds."), Loader=yaml.CSafeLoader)), {"w0": 2.0}
    )
    assert variant.flaws == ("Options 1 and 2 of reason read the same.",)


def test_all_variants_are_listed_up_to_a_limit_then_a_sample() -> None:
    values = ", ".join(f"{number}.0" for number in range(50))
    item = item_of(TRUE_FALSE.replace("[2.0, -3.0]", f"[{values}]"))
    assert len({variant.parameters["w0"] for variant in variants(item, 50)}) == 50
    sample = variants(item, 7)
    assert len({variant.parameters["w0"] for variant in sample}) == 7
    assert sample == variants(item, 7)
    assert not survey(item, 7).exhaustive


def test_item_without_parameters_has_one_variant() -> None:
    assert len(variants(item_of(SPOT), 10)) == 1


def test_lines_and_verdict_are_not_shuffled() -> None:
    for seed in range(20):
        culprit = draw(item_of(SPOT), seed).parts[0]
        assert [option.id for option in culprit.options] == ["1", "2", "3", "4", "5"]
        assert [option.id for option in draw(item_of(TRUE_FALSE), seed).parts[0].options] == ["true", "false"]


def test_parts_are_named_and_hold_what_is_shown() -> None:
    names = [[part.name for part in draw(item_of(text), 3).parts] for text in ALL]
    assert names == [["verdict", "reason"], ["culprit", "symptom", "repair"], ["value"], ["cause"]]
    shown = with_parameters(item_of(EDGE), {"factor": 5.0}).parts[0]
    assert {option.id: option.text for option in shown.options} == {
        "1": "5.0, None",
        "2": "None, None",
        "3": "5.0, 0.0",
    }
    assert shown.legend == "What do the buffers hold?"


def test_typed_answer_has_no_options() -> None:
    assert draw(item_of(EDGE.replace("level: 2", "level: 2\nentry: enter")), 1).parts[0].options == ()


@unhurried
@given(seeds, st.sampled_from(ALL))
def test_frozen_copy_reads_back_the_same(seed: int, text: str) -> None:
    variant = draw(item_of(text), seed)
    again = from_json(json.loads(json.dumps(to_json(variant), allow_nan=False)))
    assert again == variant
    assert again.parts == variant.parts


def test_frozen_copy_keeps_line_numbers_and_values_that_are_not_finite() -> None:
    item = from_json(json.loads(json.dumps(to_json(draw(item_of(SPOT), 1))))).item
    assert isinstance(item, SpotTheError)
    assert item.also_heals == {3: "loss = z.clone().square()"}
    edge = draw(item_of(EDGE.replace("[null, null]", "[.nan, -.inf]")), 1)
    kept = from_json(json.loads(json.dumps(to_json(edge), allow_nan=False))).item
    assert isinstance(kept, EdgeCase)
    assert kept.distractors[0].value == ["nan", "-inf"]


@pytest.mark.parametrize("change", [{"format": 2}, {"item": {}}, {"item": None}, {"orders": 3}, {"sub_seed": "x"}])
def test_damaged_copy_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(FrozenVariantError):
        from_json({**to_json(draw(item_of(SPOT), 1)), **change})


def test_content_hash_follows_the_content_and_not_the_layout() -> None:
    item = item_of(TRUE_FALSE)
    moved = item_of(TRUE_FALSE.replace("level: 1\n", "").replace("title:", "level:   1 # easy\ntitle:"))
    assert content_hash(item) == content_hash(moved) == draw(item, 5).content_hash
    assert content_hash(item) != content_hash(item_of(TRUE_FALSE.replace("level: 1", "level: 2")))


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("w = $k", "w = -2.0"),
        ("f($k, $k)", "f(-2.0, -2.0)"),
        ("`w` is $k.", "`w` is -2.0."),
        ("x == $k", "x == -2.0"),
        ("$k * 3", "-2.0 * 3"),
        ("3 * $k", "3 * (-2.0)"),
        ("1 - $k", "1 - (-2.0)"),
        ("-$k", "-(-2.0)"),
        ("$k ** 2", "(-2.0) ** 2"),
        ("$k**2", "(-2.0)**2"),
        ("$k.real", "(-2.0).real"),
        ("2 ** $k", "2 ** (-2.0)"),
    ],
)
def test_negative_number_is_in_parentheses_only_where_it_has_to_be(text: str, filled: str) -> None:
    assert fill(text, {"k": literal(-2.0)}) == filled
