"""The glossary: what a term means, in our own words, and where in the bank one meets it."""

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from app.bank.documents import Document
from app.bank.rows import Columns, read_rows

GLOSSARY = "glossary.yaml"
COLUMNS = Columns(("id", "term", "definition"), lists=("also", "see"))


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """One term: `also` are other spellings of it, `definition` is Markdown, `see` names topics and items."""

    id: str
    term: str
    definition: str
    also: tuple[str, ...] = ()
    see: tuple[str, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        """Return every way to write the term, itself first."""
        return (self.term, *self.also)


def read_glossary(document: Document, known: Collection[str]) -> dict[str, GlossaryEntry]:
    """Return the entries of glossary.yaml by id; `known` are the topics and items that an entry may name."""
    entries = read_rows(document, COLUMNS, GlossaryEntry)
    rows = document.data if isinstance(document.data, list) else []
    _check_spellings(document, entries)
    for index, row in enumerate(rows):
        entry = entries.get(row.get("id", "")) if isinstance(row, dict) else None
        for place, name in enumerate(entry.see if entry is not None else ()):
            if name not in known:
                near = difflib.get_close_matches(name, sorted(known), n=1)
                hint = f"Did you mean `{near[0]}`?" if near else "Correct or remove it."
                document.report((index, "see", place), f"There is no topic or item `{name}`. {hint}")
    return entries


def _check_spellings(document: Document, entries: Mapping[str, GlossaryEntry]) -> None:
    """Report a spelling that two entries claim: a link could lead to either."""
    owner: dict[str, str] = {}
    for index, entry in enumerate(entries.values()):
        for spelling in entry.spellings:
            first = owner.setdefault(spelling.lower(), entry.id)
            if first != entry.id:
                document.report((index, "also"), f"`{spelling}` is a spelling of `{first}` already. Keep one.")
