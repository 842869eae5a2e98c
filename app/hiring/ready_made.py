"""Ready-made quizzes: `question_bank/quizzes/*.yaml`, each a draft that a team can begin with.

    title: …               shown in the list and taken as the draft's title
    about: …               one or two sentences for the author
    minutes: 40
    introduction: …        Markdown for candidates, optional
    slots:                 fixed items (`item: id`) or draws (`topic`, `kind`, `level`, `count`), each with `points`

They ask public items, so such a quiz is open book. Every problem of a file is said, and the file left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.bank.catalog import Bank
from app.bank.item import KINDS
from app.hiring.quizzes import QuizSettings, SlotSpec

FOLDER = "quizzes"


class SlotFile(BaseModel):
    """One slot as the file writes it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    item: str = ""
    topic: str = ""
    kind: str = ""
    level: Annotated[int, Field(ge=0, le=3)] = 0
    count: Annotated[int, Field(ge=1, le=50)] = 1
    points: Annotated[float, Field(gt=0, le=100)] = 1.0


class QuizFile(BaseModel):
    """A ready-made quiz as the file writes it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    title: Annotated[str, Field(min_length=1, max_length=190)]
    about: Annotated[str, Field(min_length=1, max_length=500)]
    minutes: Annotated[int, Field(ge=1, le=480)]
    introduction: Annotated[str, Field(max_length=4000)] = ""
    slots: Annotated[list[SlotFile], Field(min_length=1, max_length=50)]


@dataclass(frozen=True, slots=True)
class ReadyMade:
    """A ready-made quiz: its id is the name of its file."""

    id: str
    about: str
    settings: QuizSettings
    slots: tuple[SlotSpec, ...]

    @property
    def items(self) -> int:
        """Return how many items it asks."""
        return sum(slot.count for slot in self.slots)


def load_ready_made(folder: Path, bank: Bank) -> tuple[Sequence[ReadyMade], Mapping[str, str]]:
    """Return the ready-made quizzes of a bank's folder by title, and a sentence per file that has a problem."""
    made, problems = [], {}
    for path in sorted((folder / FOLDER).glob("*.yaml")):
        try:
            read = QuizFile.model_validate(yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))
        except (OSError, ValueError, yaml.YAMLError, ValidationError) as error:
            problems[path.name] = str(error)
            continue
        slots = tuple(
            SlotSpec(one.item, None, one.topic, one.kind, one.level, one.count, one.points) for one in read.slots
        )
        wrong = [problem for slot in slots if (problem := _problem(slot, bank))]
        if wrong:
            problems[path.name] = " ".join(wrong)
            continue
        settings = QuizSettings(read.title, read.minutes, read.introduction)
        made.append(ReadyMade(path.stem, read.about, settings, slots))
    return made, problems


def _problem(slot: SlotSpec, bank: Bank) -> str:
    if slot.item_id:
        return "" if bank.get(slot.item_id) else f"There is no item {slot.item_id}."
    if slot.topic and slot.topic not in {topic.id for topic in bank.topics}:
        return f"There is no topic {slot.topic}."
    if slot.kind and slot.kind not in KINDS:
        return f"There is no kind {slot.kind}."
    found = bank.select(topic=slot.topic or None, kind=slot.kind or None, level=slot.level or None)
    return "" if len(found) >= slot.count else f"A draw of {slot.count} finds {len(found)} items."
