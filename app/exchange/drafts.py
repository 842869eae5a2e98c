"""Drafts: what an import writes. A draft is no item: it has no probes, is never loaded, and says so in its first lines.

If somebody renames one without giving it probes, the loader refuses it: `draft`, `options` and `claimed` are no fields.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from app.bank.loader import DRAFT
from app.bank.starters import write_new
from app.errors import NotFoundError
from app.exchange.questions import Parcel, Question
from app.exchange.texts import slug

HEAD = """\
# A draft, made by `gradproof bank import` from a question of another program. It is no item: nothing here was run, and
# what is `claimed` is what its source says, not a key. To make an item of it, choose a kind, write a snippet, give
# each option a probe (docs/authoring.md), verify it, and rename the file to the id and .yaml.
"""
STATUS = "waits for a kind, a snippet and probes"
_DOLLAR = re.compile(r"\$[A-Za-z_]\w*")


def write_drafts(parcel: Parcel, folder: Path) -> list[Path]:
    """Write a draft per question into a topic's folder and return their paths; nothing is overwritten.

    Raises `NotFoundError` where the folder is not there.
    """
    if not folder.is_dir():
        raise NotFoundError(f"There is no folder {folder}. Name the folder of a topic with --into, or create it.")
    bank = folder.absolute().parent
    taken = {path.name.split(".")[0] for path in bank.glob("*/*.yaml")}
    written = []
    for question in parcel.questions:
        name = _free(question.id or slug(question.title) or "a-question", taken)
        taken.add(name)
        if "$" in question.title + question.text and _DOLLAR.search(question.title + question.text):
            parcel.lose(question.title, "text", "a dollar before a name is a parameter in an item", question.line)
        written.append(write_new(folder / f"{name}{DRAFT}", draft_text(question, name, folder.absolute().name)))
    return written


def draft_text(question: Question, name: str, topic: str) -> str:
    """Return the text of a draft file."""
    data = _fields(question, name, topic)
    return HEAD + yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks, which is how people write them."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def _fields(question: Question, name: str, topic: str) -> dict[str, Any]:
    kinds = {"true_false": "true_false", "number": "edge_case", "short": "edge_case"}
    fields: dict[str, Any] = {
        "draft": STATUS,
        "id": name,
        "kind": kinds.get(question.form),
        "topic": topic,
        "level": 2,
        "title": question.title,
        "prompt": question.text,
        "snippet": question.snippet or None,
        "options": [_option(answer.text, answer.right, answer.feedback) for answer in question.answers],
        "tolerance": question.tolerance or None,
        "explanation": question.explanation or None,
        "tags": list(question.tags) or None,
    }
    needed = ("kind", "snippet")
    return {key: value for key, value in fields.items() if value is not None or key in needed}


def _option(text: str, right: bool, feedback: str) -> dict[str, Any]:
    option: dict[str, Any] = {"text": text, "claimed": right}
    return {**option, "feedback": feedback} if feedback else option


def _free(name: str, taken: Iterable[str]) -> str:
    names = (name if number == 1 else f"{name}-{number}" for number in range(1, 100_000))
    return next(one for one in names if one not in taken)
