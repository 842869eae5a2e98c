"""What a live check is read as: the key it gives, and for every option what was observed.

All of it is plain data, frozen with the attempt, so that an old reveal reads the same for ever.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.sandbox.protocol import Observation, RunResult, read_observation, read_run_result


@dataclass(frozen=True, slots=True)
class Key:
    """The right options per part, by option id; `values` holds what `ask` observed (edge cases only).

    A part is named as in `Variant.parts`: `verdict`, `reason`, `culprit`, `symptom`, `repair`, `value`, `cause`.
    An option id is its place in the file, from "1"; a verdict is "true" or "false"; a culprit is a line number.
    """

    right: dict[str, tuple[str, ...]]
    values: tuple[Observation, ...] = ()


@dataclass(frozen=True, slots=True)
class ExpressionSeen:
    """One expression and what it gave."""

    expression: str
    observation: Observation


@dataclass(frozen=True, slots=True)
class OptionSeen:
    """What the live check says of one option.

    `holds` is `None` where the probe was undecided. `probe` is the expression that decided it, `seen` what the
    probe's operands were (so that the page can show `second == 2 * first -> 40.0 and 40.0`), `run` the index in
    `Evidence.runs` of the program that was run for it (0 is the truth run), `patch` the lines that this program
    replaced (line number -> text), `note` a sentence where something more must be said.
    """

    part: str
    option: str
    holds: bool | None
    probe: str = ""
    seen: tuple[ExpressionSeen, ...] = ()
    run: int = 0
    patch: dict[int, str] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One live check: its runs in order (truth run first), every option's observation, and where it ran.

    `quoted` are the values that the explanation quotes (`{{ expression }}`), `options` cover every option of every
    part, and `also` what else was run (other lines that heal, the effect of a `why`).
    """

    runs: tuple[RunResult, ...]
    options: tuple[OptionSeen, ...]
    quoted: dict[str, Observation]
    also: tuple[OptionSeen, ...]
    torch: str
    python: str
    layers: tuple[str, ...]
    wall_ms: float


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Where the run differs from what the file expects; `part` names it, the sentences say what each side holds."""

    part: str
    expected: str
    observed: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A live check read: the observed key, its evidence, and each point where it contradicts the file.

    `undecided` are mistakes of the item (a probe that raised on the truth run, a probe that is no truth value):
    sentences for its author. An item with disagreements or undecided probes is not issued.
    """

    key: Key
    evidence: Evidence
    disagreements: tuple[Disagreement, ...] = ()
    undecided: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Say whether the run confirms what the file expects."""
        return not self.disagreements and not self.undecided


def read_reading(data: Mapping[str, Any]) -> Reading:
    """Rebuild a reading from the JSON data that `dataclasses.asdict` made of it."""
    key, evidence = data["key"], data["evidence"]
    return Reading(
        key=Key(
            {part: tuple(options) for part, options in key["right"].items()},
            tuple(map(read_observation, key["values"])),
        ),
        evidence=Evidence(
            runs=tuple(map(read_run_result, evidence["runs"])),
            options=tuple(map(_read_option, evidence["options"])),
            quoted={name: read_observation(one) for name, one in evidence["quoted"].items()},
            also=tuple(map(_read_option, evidence["also"])),
            torch=evidence["torch"],
            python=evidence["python"],
            layers=tuple(evidence["layers"]),
            wall_ms=evidence["wall_ms"],
        ),
        disagreements=tuple(Disagreement(**one) for one in data["disagreements"]),
        undecided=tuple(data["undecided"]),
    )


def _read_option(data: Mapping[str, Any]) -> OptionSeen:
    seen = tuple(ExpressionSeen(one["expression"], read_observation(one["observation"])) for one in data["seen"])
    patch = data["patch"]
    # JSON has text keys only.
    lines = None if patch is None else {int(line): text for line, text in patch.items()}
    return OptionSeen(**{**data, "seen": seen, "patch": lines})
