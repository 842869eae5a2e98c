"""Items leave as questions with the key of their file, and say what stays behind."""

from pathlib import Path
from typing import Any

import pytest

from app.bank.loader import load
from app.exchange import anki
from app.exchange.gift import read_gift, write_gift
from app.exchange.leaving import export
from app.exchange.moodle import read_moodle, write_moodle
from app.exchange.questions import ExchangeError, Parcel
from app.exchange.texts import to_html
from tests.banks import ITEMS, write_bank

PARTS = {
    "two-walks-verdict": ["False"],
    "two-walks-reason": ["The second call adds."],
    "a-late-change-culprit": ["`z.add_(1)`"],
    "a-late-change-symptom": ["`backward()` raises."],
    "a-late-change-repair": ["Add into a new tensor."],
    "three-leaves": ["9.0, None"],
    "a-choice-of-values": ["`3.0`"],
    "a-square-and-more": ["The product adds its slope."],
    "one-slope-two-bugs-bug-1": ["Use the leaf itself."],
    "one-slope-two-bugs-bug-2": ["Keep the graph."],
}


@pytest.fixture
def parcel(tmp_path: Path) -> Parcel:
    items = {name: {key: v for key, v in item.items() if key != "parameters"} for name, item in ITEMS.items()}
    filled = {name: _filled(item, ITEMS[name].get("parameters", {})) for name, item in items.items()}
    return export(load(write_bank(tmp_path / "bank", filled)))


def _filled(data: Any, parameters: dict[str, list[float]]) -> Any:
    if isinstance(data, str):
        for name, values in parameters.items():
            data = data.replace(f"${name}", str(values[0]))
        return data
    if isinstance(data, dict):
        return {key: _filled(value, parameters) for key, value in data.items()}
    return [_filled(value, parameters) for value in data] if isinstance(data, list) else data


def test_every_part_leaves_with_what_its_file_expects(parcel: Parcel) -> None:
    right = {one.id: [answer.text for answer in one.answers if answer.right] for one in parcel.questions}
    assert right == PARTS


def test_what_stays_behind_is_listed(parcel: Parcel, tmp_path: Path) -> None:
    said = "\n".join(map(str, parcel.losses))
    for loss in (
        "two-walks: holds: a probe",
        "two-walks: explanation: it quotes",
        "two-walks: options[].misconception",
        "a-late-change: also_heals",
        "a-square-and-more: rubric",
        "one-slope-two-bugs: bugs[].patch",
        "three-leaves: entry",
    ):
        assert loss in said
    with_parameters = export(load(write_bank(tmp_path / "again")))
    assert "two-walks: parameters: one variant is exported" in "\n".join(map(str, with_parameters.losses))


def test_bank_comes_back_from_both_formats(parcel: Parcel) -> None:
    for back in (read_gift(write_gift(parcel).encode()), read_moodle(write_moodle(parcel).encode())):
        assert back.losses == []
        for question, given in zip(back.questions, parcel.questions, strict=True):
            assert (question.id, question.title, question.form) == (given.id, given.title, given.form)
            assert (question.snippet, question.tags) == (given.snippet, given.tags)
            assert to_html(question.text) == to_html(given.text)
            assert [(to_html(one.text), one.right) for one in question.answers] == [
                (to_html(one.text), one.right) for one in given.answers
            ]


def test_deck_shows_the_key_behind_and_not_in_front(parcel: Parcel, tmp_path: Path) -> None:
    reason = next(one for one in parcel.questions if one.id == "two-walks-reason")
    assert "The second call replaces." in anki.front(reason)
    assert "The second call replaces." not in anki.back(reason)
    assert "The second call adds." in anki.back(reason)
    typed = next(one for one in parcel.questions if one.form == "short")
    assert "9.0" not in anki.front(typed)
    anki.write_anki(parcel, tmp_path / "bank.apkg", "Gradproof")
    assert (tmp_path / "bank.apkg").read_bytes()[:2] == b"PK"


def test_missing_package_is_a_sentence(parcel: Parcel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", absent)
    with pytest.raises(ExchangeError, match=r"pip install 'gradproof\[anki\]'"):
        anki.write_anki(parcel, tmp_path / "bank.apkg", "Gradproof")
