"""The bank in memory: its items, topics and misconceptions, and the questions one asks of them. Immutable."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from app.bank.glossary import GlossaryEntry
from app.bank.item import Distractor, Item, Option
from app.bank.problems import Problem
from app.bank.variants import content_hash
from app.errors import NotFoundError

AnyOption: TypeAlias = Option | Distractor
_LISTS = ("reasons", "symptoms", "bugs", "repairs", "distractors", "causes")


class NoItemError(NotFoundError):
    """The bank has no item of this id."""

    title = "There is no such item"


@dataclass(frozen=True, slots=True)
class Topic:
    """A folder of items, with the words a person reads for it; `reading` is a page of Markdown."""

    id: str
    title: str
    introduction: str
    reading: str = ""


@dataclass(frozen=True, slots=True)
class Misconception:
    """A wrong belief with a name: a sentence, and the axis it lies on."""

    id: str
    sentence: str
    axis: str


@dataclass(frozen=True, slots=True)
class Bank:
    """Everything that was read: good items by id in topic order, and every problem of the files.

    `drafts` are files that are named and not read: items without probes.
    """

    items: Mapping[str, Item] = field(default_factory=dict)
    topics: tuple[Topic, ...] = ()
    misconceptions: Mapping[str, Misconception] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    glossary: Mapping[str, GlossaryEntry] = field(default_factory=dict)
    drafts: tuple[str, ...] = ()
    hashes: Mapping[str, str] = field(init=False)
    """The content hash of each item, by id."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "items", MappingProxyType(dict(self.items)))
        hashes = {item_id: content_hash(item) for item_id, item in self.items.items()}
        object.__setattr__(self, "hashes", MappingProxyType(hashes))
        object.__setattr__(self, "misconceptions", MappingProxyType(dict(self.misconceptions)))
        object.__setattr__(self, "glossary", MappingProxyType(dict(self.glossary)))

    def get(self, item_id: str) -> Item | None:
        """Return the item of this id, or `None`."""
        return self.items.get(item_id)

    def item(self, item_id: str) -> Item:
        """Return the item of this id, or raise `NoItemError`."""
        found = self.items.get(item_id)
        if found is None:
            raise NoItemError("The bank has no item of this name. It may have been renamed: look in the list of items.")
        return found

    def topic(self, topic_id: str) -> Topic | None:
        """Return the topic of this id, or `None`."""
        return next((topic for topic in self.topics if topic.id == topic_id), None)

    def title_of(self, topic_id: str) -> str:
        """Return the title of a topic; an unknown one reads as its id."""
        return next((topic.title for topic in self.topics if topic.id == topic_id), topic_id)

    def select(
        self,
        *,
        topic: str | None = None,
        kind: str | None = None,
        level: int | None = None,
        misconception: str | None = None,
        current: bool = True,
    ) -> tuple[Item, ...]:
        """Return the items that fit every filter given, in topic order, then by level and id.

        `current` leaves out what was retracted or superseded.
        """
        return tuple(
            item
            for item in self.items.values()
            if (topic is None or item.topic == topic)
            and (kind is None or item.kind == kind)
            and (level is None or item.level == level)
            and (misconception is None or misconception in misconceptions_of(item))
            and not (current and (item.status == "retracted" or item.superseded_by))
        )


def misconceptions_of(item: Item) -> tuple[str, ...]:
    """Return every misconception an item names, its own and those of its options, each once."""
    options = [option.misconception for _, option in options_of(item)]
    return tuple(dict.fromkeys([*item.misconceptions, *(name for name in options if name)]))


def options_of(item: Item) -> list[tuple[str, AnyOption]]:
    """Return each option the file lists, with the name of the field it stands in, in file order."""
    return [(name, option) for name in _LISTS for option in getattr(item, name, ())]
