"""What a team takes away as files: the same figures as the pages, no formula, and no key before the release."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from app.settings import Settings
from tests.banks import write_bank
from tests.live import LiveSite
from tests.web.reported import ITEMS, fixed_quiz, member, taken
from tests.web.test_quiz_sessions import invited, right_answer


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


def words_in(data: object) -> set[str]:
    """Return every text and number of JSON data that stands alone, numbers as they are written."""
    if isinstance(data, dict):
        return set().union(*(words_in(one) for one in data.values()))
    if isinstance(data, list):
        return set().union(*map(words_in, data))
    return set(re.findall(r"[\w.]+", str(data)))


def test_report_comes_as_csv_workbook_and_json(live: LiveSite) -> None:
    quiz = fixed_quiz(live, ask_reasons=True)
    session = taken(live, quiz, right=(False, True), sure="certain", reason="=1+1")
    client, url = member(live, quiz)
    sent = client.get(f"{url}{session}/report.csv").content.decode("utf-8-sig")
    head, first, second = csv.reader(io.StringIO(sent))
    wrong, right = dict(zip(head, first, strict=True)), dict(zip(head, second, strict=True))
    assert (wrong["title"], wrong["credit"], wrong["confidence"]) == ("A square", "0.0", "certain")
    assert wrong["reason"] == "'=1+1"
    assert wrong["misconceptions"] == "A call replaces the gradient."
    assert right["response"] == f"w.grad: {right_answer(live, session, 2)}"
    book = client.get(f"{url}{session}/report.xlsx")
    assert book.headers["content-disposition"] == 'attachment; filename="report.xlsx"'
    assert "xl/worksheets/sheet2.xml" in zipfile.ZipFile(io.BytesIO(book.content)).namelist()
    data = client.get(f"{url}{session}/report.json").json()
    assert data["score"]["points"] == 1
    assert data["misconceptions"] == [
        {"id": "replaces", "sentence": "A call replaces the gradient.", "confidence": "certain", "items": [1]}
    ]
    assert data["focus"] is None


def test_json_has_the_key_only_after_the_release(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    session = taken(live, quiz, right=(False, False))
    author, url = member(live, quiz, "author")
    before = author.get(f"{url}{session}/report.json")
    assert [one["key"] for one in before.json()["items"]] == [None, None]
    assert right_answer(live, session, 1) not in words_in(before.json()["items"][0])
    assert author.post(f"{url}{session}/release", data={"": ""}).status_code == 303
    after = author.get(f"{url}{session}/report.json").json()
    assert right_answer(live, session, 1) in words_in(after["items"][0])


def test_files_of_a_session_that_runs_hold_no_key_and_no_grade(live: LiveSite) -> None:
    quiz = fixed_quiz(live)
    session = invited(live, quiz).start()
    client, url = member(live, quiz)
    data = client.get(f"{url}{session}/report.json").json()
    assert data["score"] is None
    assert [(one["credit"], one["key"]) for one in data["items"]] == [(None, None), (None, None)]
    assert client.get(f"{url}{session}/report.csv").status_code == 200


def test_results_come_as_workbook_and_json(live: LiveSite) -> None:
    quiz = fixed_quiz(live, pass_mark=0.5)
    taken(live, quiz, right=(True, False))
    invited(live, quiz, "Bo")
    client, url = member(live, quiz)
    data = json.loads(client.get(f"{url}/results.json").content)
    assert data["quiz"]["pass_mark"] == 0.5
    assert [(one["name"], one["state"], one["share"]) for one in data["results"]] == [
        ("Ada", "finished", 0.5),
        ("Bo", "invited", None),
    ]
    book = zipfile.ZipFile(io.BytesIO(client.get(f"{url}/results.xlsx").content))
    assert "Ada" in book.read("xl/sharedStrings.xml").decode()
