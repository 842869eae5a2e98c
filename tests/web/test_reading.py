"""What there is to read: the glossary, the topics, and the state of the bank, over HTTP."""

import re
from pathlib import Path

import httpx
import pytest
import yaml

from app.settings import Settings
from tests.banks import ITEMS, write_bank
from tests.fakes import FakeSandbox
from tests.live import LiveSite, form_of, running, words_of

GLOSSARY = [
    {"id": "leaf", "term": "leaf", "definition": "It owns a *slope*.", "see": ["basics", "two-walks"]},
    {"id": "slope", "term": "slope", "also": ["slopes"], "definition": "How much a leaf matters."},
]


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    bank = write_bank(tmp_path / "bank")
    (bank / "glossary.yaml").write_text(yaml.safe_dump(GLOSSARY))
    topic = {"id": "basics", "title": "The basics", "introduction": "Where to begin.", "reading": "A leaf.\n\nMore."}
    (bank / "topics.yaml").write_text(yaml.safe_dump([topic, {"id": "b", "title": "B", "introduction": "Later."}]))
    return settings.model_copy(update={"bank": bank})


def test_glossary_defines_links_and_says_where_to_look(visitor: httpx.Client) -> None:
    page = visitor.get("/glossary")
    assert 'id="leaf"' in page.text
    assert re.search(r'How much a <a href="/glossary#leaf" class="term">leaf</a> matters', page.text)
    assert '<a href="/topics/basics">The basics</a>, <a href="/practice/two-walks">Two walks</a>' in page.text


def test_prompt_links_a_term_before_and_after_the_answer(visitor: httpx.Client) -> None:
    page = visitor.get("/practice/two-walks")
    link = '<a href="/glossary#leaf" class="term">leaf</a>'
    assert link in page.text
    form = form_of(page)
    reveal = visitor.post(form.action, data=form.filled(), follow_redirects=True)
    assert reveal.status_code == 200
    assert link in reveal.text


def test_topic_introduces_itself_and_lists_its_items(visitor: httpx.Client) -> None:
    page = visitor.get("/topics/basics")
    words = words_of(page)
    assert "Where to begin." in words
    assert f"{len(ITEMS)} items" in words
    assert "Keeping the graph cures all." in words
    assert '<a href="/glossary#leaf">leaf</a>' in page.text
    for item in ITEMS:
        assert f'href="/practice/{item}"' in page.text


def test_topic_shows_how_this_person_did(visitor: httpx.Client) -> None:
    form = form_of(visitor.get("/practice/three-leaves"))
    visitor.post(form.action, data=form.filled())
    words = words_of(visitor.get("/topics/basics"))
    assert f"1 of {len(ITEMS)} answered" in words
    assert "wrong" in words.split("Three leaves")[1]


def test_topic_without_items_and_one_that_is_not_there(visitor: httpx.Client) -> None:
    assert "This topic has no item yet." in words_of(visitor.get("/topics/b"))
    missing = visitor.get("/topics/nowhere")
    assert missing.status_code == 404
    assert "There is no such topic" in words_of(missing)


def test_home_and_item_lead_to_the_topic(visitor: httpx.Client) -> None:
    for path in ("/", "/practice/two-walks"):
        assert 'href="/topics/basics"' in visitor.get(path).text


def test_bank_says_what_was_checked(live: LiveSite, visitor: httpx.Client) -> None:
    assert f"0 verified, 0 withheld, {len(ITEMS)} not checked yet" in words_of(visitor.get("/bank"))
    visitor.get("/practice/two-walks")
    assert f"1 verified, 0 withheld, {len(ITEMS) - 1} not checked yet" in words_of(visitor.get("/bank"))


def test_bank_says_why_an_item_is_withheld_and_never_its_key(settings: Settings, fake: FakeSandbox) -> None:
    wrong = {**ITEMS, "two-walks": {**ITEMS["two-walks"], "expect": {"verdict": True, "reason": 2}}}
    write_bank(settings.bank, wrong)
    (settings.bank / "basics" / "broken.yaml").write_text("id: broken\nkind: why\n")
    (settings.bank / "basics" / "a-plan.draft.yaml").write_text("title: a plan\n")
    with running(settings, fake) as live, live.visitor() as visitor:
        assert visitor.get("/practice/two-walks").status_code == 409
        page = visitor.get("/bank")
    words = words_of(page)
    assert "1 withheld" in words
    assert "Its run and its file differ on: verdict, reason." in words
    assert "basics/broken.yaml: 10 problems, the first in line 1" in words
    assert "basics/a-plan.draft.yaml" in words
    row = words.split("Two walks")[1].split("A late change")[0].replace("true or false, and why", "")
    assert not re.search(r"\b(true|false|adds|replaces)\b", row)
