"""Reports of items of every kind, whatever was entered: nothing, half of it, or all of it."""

import re
from pathlib import Path

import pytest

from app.settings import Settings
from tests.banks import ITEMS, write_bank
from tests.live import LiveSite, form_of, words_of
from tests.web.reported import member, quiz_of_every_kind, taken_of_every_kind
from tests.web.test_quiz_sessions import invited


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


@pytest.mark.parametrize("how", ["nothing", "half", "all"])
def test_every_page_reads_what_was_entered(live: LiveSite, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    quiz = quiz_of_every_kind(live, monkeypatch)
    session = taken_of_every_kind(live, quiz, how)
    client, url = member(live, quiz)
    report = words_of(client.get(f"{url}{session}"))
    assert f"{0 if how == 'nothing' else 6} of 6 items answered" in report
    for position in range(1, 7):
        page = client.get(f"{url}{session}/items/{position}")
        assert page.status_code == 200
        words = words_of(page)
        assert ("Nothing, or not everything, was entered here." in words) is (how == "nothing") or how == "half"
        assert not re.search(r"You (were|said|wrote)|your answer|\byou (said|chose|entered)", words)
    sheet = words_of(client.get(f"{url}{session}/interview"))
    assert sheet.count("Why it is so") == 3
    assert client.get(f"{url}{session}/report.xlsx").status_code == 200
    assert client.get(f"{url}{session}/report.json").json()["items"][4]["kind"] == "why"
    assert "names both paths" in words_of(client.get(f"{url}{session}/items/5"))
    assert "6 places" in words_of(client.get(f"{url}/results/items"))


def test_own_reason_and_chosen_reason_are_two_things(live: LiveSite, monkeypatch: pytest.MonkeyPatch) -> None:
    quiz = quiz_of_every_kind(live, monkeypatch, ask_reasons=True)
    candidate = invited(live, quiz)
    session = candidate.start()
    form = form_of(candidate.page(session, 1))
    sent = form.filled(go="next", verdict="false", reason="2", own_reason="Both calls add.")
    assert candidate.client.post(form.action, data=sent).headers["location"] == f"{session}/items/2"
    scripted = taken_of_every_kind(live, quiz, "all")
    candidate.client.post(f"{session}/finish", data={"": ""})
    client, url = member(live, quiz)
    for address, words in ((session, "Both calls add."), (scripted, "So.")):
        first = client.get(f"{url}{address}/report.json").json()["items"][0]
        assert set(first["response"]["choices"]) == {"verdict", "reason"}
        assert first["reason"] == words


def test_receipt_comes_after_the_end_and_to_a_candidate_who_may_see_the_items(
    live: LiveSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiz = quiz_of_every_kind(live, monkeypatch, show_items="after_submit")
    candidate = invited(live, quiz)
    session = candidate.start()
    client, url = member(live, quiz)
    team, own = f"{url}{session}/items/1/receipt.py", f"{session}/reveals/1/receipt.py"
    assert (client.get(team).status_code, candidate.client.get(own).status_code) == (409, 404)
    candidate.client.post(f"{session}/finish", data={"": ""})
    assert f'href="{team}"' in client.get(f"{url}{session}/items/1").text
    assert f'href="{own}"' in candidate.client.get(f"{session}/reveals/1").text
    received = client.get(team)
    assert received.headers["content-disposition"].endswith('.py"')
    assert "DATA = {" in received.text
    assert candidate.client.get(own).text == received.text
