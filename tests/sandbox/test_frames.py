"""The parser of what children write never lets anything but a FrameError out, and gives back what honest sides sent."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sandbox.frames import FrameError, FrameReader, clean, encode, parse
from app.sandbox.limits import LIMITS
from app.sandbox.testimony import CHECKS, is_plain, is_ready, read_answer, read_done

numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
leaves = st.none() | st.booleans() | numbers | texts
trees = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=20
)

tags = st.sampled_from(sorted(CHECKS)) | st.sampled_from(
    ["value", "raised", "shape", "dtype", "values", "type", "bases"]
)
forged = st.recursive(
    leaves | st.sampled_from(["nan", "inf", "9"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(tags, inner, min_size=1, max_size=3),
    max_leaves=12,
)


@given(trees, st.lists(st.integers(1, 40), max_size=10))
def test_frames_survive_any_cut(data: Any, cuts: list[int]) -> None:
    stream, reader, found = encode(data) * 2, FrameReader(), []
    for size in [*cuts, len(stream)]:
        found += reader.feed(stream[:size])
        stream = stream[size:]
    assert found == [data, data]


@given(st.lists(st.binary(max_size=200), max_size=6))
def test_any_bytes_are_frames_or_a_frame_error(parts: list[bytes]) -> None:
    reader = FrameReader()
    with suppress(FrameError):
        for part in parts:
            json.dumps(reader.feed(part), allow_nan=False).encode()


@given(st.binary(max_size=300) | trees.map(lambda data: json.dumps(data).encode()))
def test_any_payload_is_plain_json_or_a_frame_error(payload: bytes) -> None:
    with suppress(FrameError):
        json.dumps(parse(payload), allow_nan=False, ensure_ascii=False).encode()


HOSTILE = {
    "nan": b"NaN",
    "infinity": b"[-Infinity]",
    "beyond_a_double": b"1e999",
    "huge_integer": b"1" * 5000,
    "integer_a_double_cannot_hold": b"9007199254740993",
    "deep": b"[" * 100_000,
    "deep_and_closed": b"[" * 70 + b"]" * 70,
    "many": b"[" + b"0," * 200_000 + b"0]",
    "not_utf8": b'"\xff"',
    "nothing": b"",
    "two": b"1 2",
}


@pytest.mark.parametrize("payload", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_payload_is_a_frame_error(payload: bytes) -> None:
    with pytest.raises(FrameError):
        parse(payload)


def test_lone_surrogates_are_written_out() -> None:
    assert parse(b'{"\\ud800": ["\\udfff"]}') == {"\\ud800": ["\\udfff"]}
    assert clean("a\ud800") == "a\\ud800"


def test_frame_too_large_is_refused_before_it_arrives() -> None:
    with pytest.raises(FrameError):
        FrameReader().feed((LIMITS.frame + 1).to_bytes(4, "big"))


@given(trees | forged)
def test_any_testimony_is_read_or_a_frame_error(data: Any) -> None:
    for frame in (data, {"done": data}, {"answer": data}, {"answer": [{"value": data, "raised": None}]}):
        with suppress(FrameError):
            is_ready(frame)
        with suppress(FrameError):
            read_done(frame, LIMITS)
        with suppress(FrameError):
            read_answer(frame, 1, LIMITS)


@pytest.mark.parametrize(
    "value",
    [
        {"tensor": "forged"},
        {"tensor": {"shape": [2], "dtype": "float32", "values": [1.0]}},
        {"tensor": {"shape": [1], "dtype": "float32", "values": ["9"]}},
        {"tensor": {"shape": [-1], "dtype": "float32", "values": None}},
        {"float": "1.0"},
        {"int": "x"},
        {"int": "1", "list": []},
        {"list": [[1]]},
        {"dict": [[1, 2, 3]]},
        {"shape": [True]},
        {"exception": {"type": "E"}},
        {"unknown": 1},
        [1],
        {},
    ],
)
def test_data_outside_the_protocol_is_not_plain(value: Any) -> None:
    assert not is_plain(value)
