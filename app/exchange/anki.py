"""Anki decks, by genanki, which only the extra `anki` installs."""

import hashlib
import importlib
from html import escape
from pathlib import Path
from typing import Any

from app.exchange.questions import ExchangeError, Parcel, Question
from app.exchange.texts import to_html, with_code

MODEL = 1_720_418_233
CSS = ".card { font-family: system-ui, sans-serif; } pre { text-align: left; } .right { font-weight: bold; }"
MISSING = "Anki decks need the package genanki: pip install 'gradproof[anki]', then try again."


def write_anki(parcel: Parcel, path: Path, name: str) -> None:
    """Write the questions as a deck of this name: question and options in front, what is right behind.

    The ids of deck and notes come from their names, so that a second import updates the first.
    Raises `ExchangeError` where genanki is not installed.
    """
    genanki = _genanki()
    model = genanki.Model(
        MODEL,
        "Gradproof",
        fields=[{"name": "front"}, {"name": "back"}],
        templates=[{"name": "card", "qfmt": "{{front}}", "afmt": "{{FrontSide}}<hr id=answer>{{back}}"}],
        css=CSS,
    )
    deck = genanki.Deck(_number(name), name)
    for question in parcel.questions:
        tags = [tag.replace(" ", "-") for tag in question.tags]
        note = genanki.Note(model, [front(question), back(question)], guid=genanki.guid_for(question.id), tags=tags)
        deck.add_note(note)
    genanki.Package(deck).write_to_file(str(path))


def _genanki() -> Any:
    try:
        return importlib.import_module("genanki")
    except ImportError as error:
        raise ExchangeError(MISSING) from error


def _number(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") >> 1


def front(question: Question) -> str:
    """Return the question and its options as HTML, without its key."""
    text = f"<p><b>{escape(question.title)}</b></p>{to_html(with_code(question.text, question.snippet))}"
    if question.form in ("short", "number"):
        return text
    return f"{text}<ul>{''.join(f'<li>{to_html(answer.text)}</li>' for answer in question.answers)}</ul>"


def back(question: Question) -> str:
    """Return what is right, and why, as HTML."""
    right = "".join(f'<li class="right">{to_html(answer.text)}</li>' for answer in question.answers if answer.right)
    return f"<ul>{right}</ul>{to_html(question.explanation)}"
