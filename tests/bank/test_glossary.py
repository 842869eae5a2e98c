"""The glossary and the topics' readings: read whole, every mistake with its line, the shipped ones complete."""

from pathlib import Path

import pytest

from app.bank.loader import load
from tests.bank.content import TRUE_FALSE, write_bank

BANK = Path(__file__).parents[2] / "question_bank"
GOOD = "- id: leaf\n  term: leaf\n  also: [leaves]\n  definition: A tensor.\n  see: [leaves, two-passes]\n"


def problems(folder: Path, glossary: str) -> list[str]:
    write_bank(folder, TRUE_FALSE)
    (folder / "glossary.yaml").write_text(glossary, encoding="utf-8")
    return [str(problem) for problem in load(folder).problems]


def test_entry_is_read_with_its_spellings(tmp_path: Path) -> None:
    assert problems(tmp_path, GOOD) == []
    entry = load(tmp_path).glossary["leaf"]
    assert (entry.spellings, entry.see) == (("leaf", "leaves"), ("leaves", "two-passes"))


@pytest.mark.parametrize(
    ("glossary", "said"),
    [
        (GOOD.replace("two-passes", "two-pases"), "glossary.yaml:5: [1].see[2]: There is no topic or item `two-pases`"),
        (GOOD + "- id: other\n  term: Leaves\n  definition: d\n", "`Leaves` is a spelling of `leaf` already"),
        (GOOD.replace("[leaves]", "leaves"), "glossary.yaml:3: [1].also: `also` is a list of texts"),
        ("- id: leaf\n  term: leaf\n", "`definition` is missing"),
        ("leaf: a tensor\n", "The file is a list"),
        ("- [1]\n", "A row has id, term, definition"),
    ],
)
def test_mistake_is_named_with_its_line(tmp_path: Path, glossary: str, said: str) -> None:
    assert any(said in problem for problem in problems(tmp_path, glossary))


def test_bank_without_a_glossary_is_fine(tmp_path: Path) -> None:
    bank = load(write_bank(tmp_path, TRUE_FALSE))
    assert (bank.problems, dict(bank.glossary)) == ((), {})


def test_lists_beside_the_topics_are_no_items(tmp_path: Path) -> None:
    write_bank(tmp_path, TRUE_FALSE)
    (tmp_path / "claims.yaml").write_text("- id: A\n")
    (tmp_path / "item.schema.json").write_text("{}")
    assert load(tmp_path).problems == ()


def test_draft_is_named_and_never_an_item(tmp_path: Path) -> None:
    write_bank(tmp_path, TRUE_FALSE)
    (tmp_path / "leaves").mkdir()
    (tmp_path / "leaves" / "a-plan.draft.yaml").write_text("{{{ not even YAML", encoding="utf-8")
    bank = load(tmp_path)
    assert (bank.drafts, bank.problems, list(bank.items)) == (("leaves/a-plan.draft.yaml",), (), ["two-passes"])


def test_shipped_glossary_defines_forty_terms_and_every_topic_has_a_reading() -> None:
    bank = load(BANK)
    assert len(bank.glossary) >= 40
    assert [topic.id for topic in bank.topics if topic.reading.count("\n\n") not in range(1, 4)] == []
