"""Observed values against expected and typed ones, and how each reads."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bank.author_values import read_author_value, to_plain
from app.bank.entries import EntryError, parse_entry
from app.bank.showing import show, show_observation
from app.bank.values import matches, same
from app.sandbox.protocol import Observation, Plain, Raised
from tests.bank.content import unhurried


def tensor(values: Any, dtype: str = "float32", shape: list[int] | None = None) -> Plain:
    """Return a tensor as the sandbox reports it."""
    sizes = shape if shape is not None else [len(values)] if isinstance(values, list) else []
    return {"tensor": {"shape": sizes, "dtype": dtype, "values": values}}


def error(name: str, *bases: str) -> Plain:
    """Return an exception as the sandbox reports it."""
    return {"exception": {"type": name, "bases": [*bases, "Exception", "BaseException", "object"], "message": "m"}}


@pytest.mark.parametrize(
    ("observed", "author"),
    [
        (20.0, 20),
        (2, 2.0),
        (None, None),
        (True, True),
        ("mean", "'mean'"),
        (tensor(20.0), 20.0),
        (tensor(0.3), "0.1 + 0.2"),
        (0.10000000149011612, 0.1),
        (tensor(1.001, "float16"), 1.0),
        (tensor(1.01, "bfloat16"), 1.0),
        (tensor(1.0 + 1e-10, "float64"), 1.0),
        (tensor("nan"), "nan"),
        ({"float": "nan"}, float("nan")),
        ({"float": "-inf"}, "-inf"),
        (tensor(["inf", 1.0]), ["inf", 1.0]),
        (tensor([1.0, 2.0]), [1, 2]),
        (tensor([1.0, 2.0]), {"tensor": [1.0, 2.0]}),
        (tensor([[1.0], [2.0]], shape=[2, 1]), {"tensor": [[1.0], [2.0]], "dtype": "float32"}),
        (tensor([True, False], "bool"), [True, False]),
        ({"list": [tensor(6.0), None]}, [6.0, None]),
        ({"tuple": [2, 3]}, [2, 3]),
        ({"shape": [2, 3]}, {"shape": [2, 3]}),
        ({"shape": [2, 3]}, [2, 3]),
        ({"dtype": "float32"}, {"dtype": "float32"}),
        ({"int": str(2**70)}, "2**70"),
        (error("IndexError", "LookupError"), {"raises": "LookupError"}),
        (error("RuntimeError"), {"raises": "RuntimeError"}),
    ],
)
def test_equal_values_match(observed: Plain, author: Any) -> None:
    assert same(observed, to_plain(read_author_value(author)))


@pytest.mark.parametrize(
    ("observed", "author"),
    [
        (20.0, 20.1),
        (True, 1),
        (1, True),
        (None, 0.0),
        (tensor(0.0), None),
        (tensor(1.001), 1.0),
        (tensor(1.0 + 1e-8, "float64"), 1.0),
        (tensor(3, "int64"), 3.0000001),
        (tensor([1.0, 2.0]), [1.0]),
        (tensor([1.0, 2.0]), {"tensor": [1.0, 2.0], "dtype": "float64"}),
        (tensor([1.0]), 1.0),
        (tensor(None, shape=[1000]), [1.0]),
        ({"shape": [2, 3]}, {"shape": [3, 2]}),
        ({"dtype": "float32"}, {"dtype": "float64"}),
        (error("IndexError", "LookupError"), {"raises": "RuntimeError"}),
        (error("IndexError"), {"raises": "Exception"}),
        (None, {"raises": "RuntimeError"}),
        ({"object": "MulBackward0"}, "'MulBackward0'"),
        ({"float": "nan"}, 0.0),
        ({"tensor": "broken"}, 1.0),
        ({"int": "12x"}, 12),
        ({}, None),
    ],
)
def test_different_values_do_not_match(observed: Plain, author: Any) -> None:
    assert not same(observed, to_plain(read_author_value(author)))


def test_expression_that_raised_matches_its_exception() -> None:
    raised = Observation(raised=Raised("RuntimeError", "m"))
    assert matches(raised, {"exception": {"type": "RuntimeError", "bases": [], "message": ""}})
    assert not matches(raised, None)
    assert show_observation(raised) == "RuntimeError"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (20.0, "20.0"),
        (20, "20"),
        (None, "None"),
        (True, "True"),
        ("mean", "'mean'"),
        (0.10000000149011612, "0.1"),
        (0.1, "0.1"),
        (1 / 3, "0.3333333333333333"),
        (tensor(20.0), "20.0"),
        (tensor("nan"), "nan"),
        (tensor([1.0, 2.5]), "tensor([1., 2.5])"),
        (tensor([1, 2], "int64"), "tensor([1, 2])"),
        (tensor([1.0], "float64"), "tensor([1.], dtype=torch.float64)"),
        (tensor([True], "bool"), "tensor([True])"),
        (tensor(["nan", 1.0]), "tensor([nan, 1.])"),
        (tensor(None, shape=[9, 9]), "tensor of shape [9, 9], torch.float32"),
        ({"shape": [2, 3]}, "torch.Size([2, 3])"),
        ({"dtype": "float32"}, "torch.float32"),
        ({"list": [1, None]}, "[1, None]"),
        ({"tuple": [1]}, "(1,)"),
        ({"dict": [["a", 1]]}, "{'a': 1}"),
        ({"float": "-inf"}, "-inf"),
        ({"int": "123"}, "123"),
        ({"complex": [1.0, 2.0]}, "(1+2j)"),
        ({"object": "MulBackward0"}, "MulBackward0"),
        (error("RuntimeError"), "RuntimeError"),
        ({"unheard": 1}, "a value that cannot be shown"),
        ({}, "a value that cannot be shown"),
    ],
)
def test_value_reads_as_a_person_writes_it(value: Plain, text: str) -> None:
    assert show(value) == text


@pytest.mark.parametrize(
    ("text", "observed"),
    [
        ("None", None),
        (" none ", None),
        ("2.5", 2.5),
        ("2", tensor(2.0)),
        ("-3", -3),
        ("[1, 2]", {"list": [1, 2]}),
        ("[1, 2]", tensor([1.0, 2.0])),
        ("tensor([1., 2.])", tensor([1.0, 2.0])),
        ("torch.tensor([1., 2.], dtype=torch.float64)", tensor([1.0, 2.0], "float64")),
        ("tensor(3.)", tensor(3.0)),
        ("True", True),
        ("RuntimeError", error("RuntimeError")),
        ("torch.OutOfMemoryError", error("OutOfMemoryError")),
        ("torch.float32", {"dtype": "float32"}),
        ("float32", {"dtype": "float32"}),
        ("(2, 3)", {"shape": [2, 3]}),
        ("torch.Size([2,3])", {"shape": [2, 3]}),
        ("nan", {"float": "nan"}),
        ("-inf", {"float": "-inf"}),
        ("float('nan')", {"float": "nan"}),
        ("6.0, None", {"list": [tensor(6.0), None]}),
        ("'mean'", "mean"),
        (str(-(2**60)), {"int": str(-(2**60))}),
    ],
)
def test_typed_answer_is_read(text: str, observed: Plain) -> None:
    assert same(observed, parse_entry(text))


@pytest.mark.parametrize(
    "text",
    ["", "  ", "hello", "1 +", "1 + 1", "f(x)", "torch.rand(3)", "open('x')", "-True", "-'a'", "x" * 401, "[" * 150,
     "-" * 300 + "1", "\0", "tensor([1], device='cuda', dtype=float128)", "torch.Size([1.5])", "{1: 2}", "x.y.z"],
)  # fmt: skip
def test_other_answers_are_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(EntryError) as caught:
        parse_entry(text)
    assert caught.value.message.endswith(".")


@unhurried
@given(st.text(max_size=60))
def test_any_typed_text_is_a_value_or_a_sentence(text: str) -> None:
    with contextlib.suppress(EntryError):
        assert show(parse_entry(text))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["tensor", "list", "int", "float", "shape", "values", "dtype", "exception", "dict"]), inner,
        max_size=3,
    ),
    max_leaves=8,
)  # fmt: skip


@unhurried
@given(json_values, json_values)
def test_data_no_encoder_writes_never_raises(one: Any, other: Any) -> None:
    assert isinstance(same(one, other), bool)
    assert isinstance(show(one), str)
