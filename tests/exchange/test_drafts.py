"""A draft is readable, never overwrites, and can never pass for an item."""

from pathlib import Path

import pytest
import yaml

from app.bank.loader import check, load
from app.errors import NotFoundError
from app.exchange.drafts import write_drafts
from tests.bank.content import TRUE_FALSE, write_bank
from tests.exchange.samples import ALL, CHOICE, NUMBER, parcel_of


def test_draft_keeps_text_options_and_what_is_claimed(tmp_path: Path) -> None:
    (path,) = write_drafts(parcel_of(CHOICE), write_bank(tmp_path, TRUE_FALSE) / "accumulation")
    data = yaml.safe_load(path.read_text())
    assert path.name == "two-walks.draft.yaml"
    assert (data["id"], data["topic"], data["title"]) == ("two-walks", "accumulation", CHOICE.title)
    assert (data["prompt"], data["snippet"]) == (CHOICE.text, CHOICE.snippet)
    assert [option["claimed"] for option in data["options"]] == [True, False]
    assert data["options"][1]["feedback"] == "No: it adds."
    assert "not a key" in path.read_text()


def test_bank_names_drafts_and_loads_none(tmp_path: Path) -> None:
    write_drafts(parcel_of(*ALL), write_bank(tmp_path, TRUE_FALSE) / "accumulation")
    bank = load(tmp_path)
    assert (len(bank.drafts), list(bank.items), bank.problems) == (len(ALL), ["two-passes"], ())


@pytest.mark.parametrize("question", ALL, ids=lambda one: str(one.form))
def test_renamed_draft_is_refused_as_an_item(tmp_path: Path, question: object) -> None:
    (path,) = write_drafts(parcel_of(question), write_bank(tmp_path, TRUE_FALSE) / "accumulation")  # type: ignore[arg-type]  # a sample
    checked = check(path.read_bytes(), path.name)
    assert checked.item is None
    assert checked.problems


def test_nothing_is_overwritten_and_ids_stay_apart(tmp_path: Path) -> None:
    folder = write_bank(tmp_path, TRUE_FALSE.replace("two-passes", "two-walks")) / "accumulation"
    names = [path.name for _ in range(2) for path in write_drafts(parcel_of(CHOICE), folder)]
    assert names == ["two-walks-2.draft.yaml", "two-walks-3.draft.yaml"]


def test_tolerance_is_kept_and_a_dollar_is_pointed_out(tmp_path: Path) -> None:
    parcel = parcel_of(NUMBER, CHOICE)
    parcel.questions[1] = CHOICE.__class__("", "☃ costs $x", "choice", "$y?", CHOICE.answers)
    first, second = write_drafts(parcel, write_bank(tmp_path, TRUE_FALSE) / "accumulation")
    assert yaml.safe_load(first.read_text())["tolerance"] == "0.1"
    assert second.name == "costs-x.draft.yaml"
    assert any("a dollar before a name" in str(loss) for loss in parcel.losses)


def test_missing_folder_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="--into"):
        write_drafts(parcel_of(CHOICE), tmp_path / "nowhere")
