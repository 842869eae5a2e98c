import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bank.evidence import Key
from app.grading.grade import Confidence, Outcome, Policy, Response, grade
from app.sandbox.protocol import Observation

TWO_TIER = Key({"verdict": ("false",), "reason": ("2",)})
SPOT = Key({"culprit": ("4", "3"), "symptom": ("1",), "repair": ("1", "3")})


def two_tier(verdict: str, reason: str, policy: Policy | None = None) -> Outcome:
    return grade(Response({"verdict": verdict, "reason": reason}), TWO_TIER, policy)


def test_verdict_and_reason_both_right_earn_one() -> None:
    assert two_tier("false", "2").credit == 1
    assert two_tier("false", "2").all_right


def test_verdict_alone_earns_nothing_and_is_named() -> None:
    outcome = two_tier("false", "1")
    assert (outcome.credit, outcome.verdict_only, outcome.all_right) == (0, True, False)


def test_policy_may_give_the_verdict_part_of_the_credit() -> None:
    assert two_tier("false", "1", Policy(verdict_only=0.25)).credit == 0.25


def test_right_reason_of_a_wrong_verdict_earns_nothing() -> None:
    outcome = two_tier("true", "2", Policy(verdict_only=0.25))
    assert (outcome.credit, outcome.verdict_only) == (0, False)


@pytest.mark.parametrize(
    ("choices", "credit"),
    [
        ({"culprit": "4", "symptom": "1", "repair": "1"}, 1),
        ({"culprit": "3", "symptom": "1", "repair": "3"}, 1),
        ({"culprit": "5", "symptom": "1", "repair": "3"}, 2 / 3),
        ({"culprit": "5", "symptom": "2", "repair": "2"}, 0),
        ({}, 0),
    ],
)
def test_each_part_of_other_kinds_earns_its_share(choices: dict[str, str], credit: float) -> None:
    assert grade(Response(choices), SPOT).credit == pytest.approx(credit)


def test_typed_values_are_compared_as_values() -> None:
    key = Key({}, (Observation({"tensor": {"shape": [], "dtype": "float32", "values": 6.0}}), Observation(None)))
    outcome = grade(Response({}, ("6", "0.0")), key)
    assert [(part.name, part.right) for part in outcome.parts] == [("value 1", True), ("value 2", False)]
    assert outcome.credit == 0.5


def test_fewer_entries_than_values_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="zip"):
        grade(Response({}, ("6",)), Key({}, (Observation(6), Observation(7))))


options = st.sampled_from(["1", "2", "3", "4", "true", "false"])


@given(
    st.dictionaries(st.sampled_from(["verdict", "reason", "cause", "repair"]), options),
    st.dictionaries(
        st.sampled_from(["verdict", "reason", "cause", "repair"]), st.lists(options, min_size=1).map(tuple), min_size=1
    ),
)
def test_credit_lies_between_zero_and_one_and_only_all_right_earns_one(
    choices: dict[str, str], right: dict[str, tuple[str, ...]]
) -> None:
    outcome = grade(Response(choices), Key(right))
    assert 0 <= outcome.credit <= 1
    assert (outcome.credit == 1) == outcome.all_right
    assert Outcome.from_json(outcome.to_json()) == outcome


def test_response_comes_back_from_storage_as_it_was() -> None:
    sent = Response({"cause": "1"}, ("2.5",), "the chain rule", Confidence.CERTAIN)
    assert Response.from_json(sent.to_json()) == sent
