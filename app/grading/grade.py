"""Grading: a pure function of (response, key, policy). It never sees a database, a page or a running snippet."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from app.bank.entries import EntryError, parse_entry
from app.bank.evidence import Key
from app.bank.item import EdgeCase, Item
from app.bank.values import matches
from app.sandbox.protocol import Observation


class Confidence(StrEnum):
    """How sure a person says they are."""

    GUESS = "guess"
    FAIRLY_SURE = "fairly_sure"
    CERTAIN = "certain"


@dataclass(frozen=True, slots=True)
class Response:
    """What a person entered: an option id per part (as the file orders them), typed values, their own words."""

    choices: dict[str, str]
    entries: tuple[str, ...] = ()
    own_words: str = ""
    confidence: Confidence | None = None

    @property
    def is_answered(self) -> bool:
        """Say whether anything was entered that can count."""
        return bool(self.choices) or any(self.entries)

    def to_json(self) -> dict[str, Any]:
        """Return JSON data for storage."""
        return {
            "choices": self.choices,
            "entries": list(self.entries),
            "own_words": self.own_words,
            "confidence": self.confidence,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a stored response."""
        confidence = data["confidence"]
        return cls(
            dict(data["choices"]),
            tuple(data["entries"]),
            data["own_words"],
            None if confidence is None else Confidence(confidence),
        )


@dataclass(frozen=True, slots=True)
class Policy:
    """How parts become credit. `verdict_only` is the credit of a right verdict for a wrong reason, from 0 to 1."""

    verdict_only: float = 0.0


@dataclass(frozen=True, slots=True)
class PartOutcome:
    """Whether one part (or one typed value, `value 1`, `value 2` …) was right."""

    name: str
    right: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What grading made of a response: `credit` from 0 to 1 and each part."""

    credit: float
    parts: tuple[PartOutcome, ...]

    @property
    def verdict_only(self) -> bool:
        """Say whether the verdict was right and its reason was not."""
        return [(part.name, part.right) for part in self.parts] == [("verdict", True), ("reason", False)]

    @property
    def right_parts(self) -> int:
        """Count the parts that were right."""
        return sum(part.right for part in self.parts)

    @property
    def all_right(self) -> bool:
        """Say whether every part was right."""
        return self.right_parts == len(self.parts)

    def to_json(self) -> dict[str, Any]:
        """Return JSON data for storage."""
        return {"credit": self.credit, "parts": [[part.name, part.right] for part in self.parts]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a stored outcome."""
        return cls(data["credit"], tuple(PartOutcome(name, right) for name, right in data["parts"]))


def blank(item: Item) -> Response:
    """Return the response of somebody who left an item empty; it grades to nothing right."""
    typed = isinstance(item, EdgeCase) and item.entry == "enter"
    return Response({}, ("",) * len(item.asks) if isinstance(item, EdgeCase) and typed else ())


def grade(response: Response, key: Key, policy: Policy | None = None) -> Outcome:
    """Return the outcome of `response` under `key`.

    A two-tier item earns 1 only where verdict and reason are both right; of any other item each part earns its share.
    """
    parts = _entered(response, key) if response.entries else _chosen(response, key)
    return Outcome(_credit(parts, policy or Policy()), tuple(parts))


def _chosen(response: Response, key: Key) -> list[PartOutcome]:
    return [PartOutcome(name, response.choices.get(name) in right) for name, right in key.right.items()]


def _entered(response: Response, key: Key) -> list[PartOutcome]:
    pairs = zip(response.entries, key.values, strict=True)
    return [
        PartOutcome(f"value {place}", _is_value(entry, observed))
        for place, (entry, observed) in enumerate(pairs, start=1)
    ]


def _is_value(entry: str, observed: Observation) -> bool:
    """Say whether an entry is the observed value; one that cannot be read, or is empty, is not."""
    try:
        return matches(observed, parse_entry(entry))
    except EntryError:
        return False


def _credit(parts: list[PartOutcome], policy: Policy) -> float:
    right = {part.name for part in parts if part.right}
    if {part.name for part in parts} == {"verdict", "reason"}:
        if "verdict" not in right:
            return 0.0
        return 1.0 if "reason" in right else policy.verdict_only
    return len(right) / len(parts)
