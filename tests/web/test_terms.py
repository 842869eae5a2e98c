"""Terms become links once, and never where a link would be wrong."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bank.glossary import GlossaryEntry
from app.web.markdown import markdown
from app.web.terms import TermLinks
from tests.bank.content import unhurried

LEAF = GlossaryEntry("leaf", "leaf", "A tensor.", also=("leaves", "leaf tensor"))
SEED = GlossaryEntry("seed", "seed", "A start.")
LINKS = TermLinks([LEAF, SEED])


def linked(text: str) -> list[str]:
    return re.findall(r'<a href="/glossary#[a-z]+" class="term">([^<]*)</a>', LINKS(text))


def test_first_occurrence_of_each_term_is_linked_and_no_other() -> None:
    assert linked("A leaf and a seed, a leaf again, and all leaves.") == ["leaf", "seed"]


def test_spelling_keeps_its_capitals_and_the_longest_wins() -> None:
    assert linked("Leaf tensor") == ["Leaf tensor"]


@pytest.mark.parametrize(
    "text",
    [
        "`leaf`",
        "```\nleaf\n```",
        "[a leaf](https://example.org)",
        "# A leaf",
        "\\( leaf \\)",
        "leaflet",
        "cloverleaf",
        "is_leaf",
        "non-leaf",
        "leaf.grad",
    ],
)
def test_code_links_headings_formulas_and_other_words_stay_as_they_are(text: str) -> None:
    assert linked(text) == []
    assert LINKS(text) == markdown(text)


def test_definition_does_not_link_to_itself() -> None:
    assert "term" not in LINKS("A leaf is a leaf.", "leaf")


def test_without_a_glossary_it_is_plain_markdown() -> None:
    assert TermLinks()("A *leaf*.") == markdown("A *leaf*.")


@unhurried
@given(st.text(alphabet="leaf sd`*[]()#\n<>&\\_", max_size=60))
def test_links_change_nothing_else(text: str) -> None:
    without = re.sub(r'<a href="/glossary#[a-z]+" class="term">([^<]*)</a>', r"\1", LINKS(text))
    assert without == markdown(text)
