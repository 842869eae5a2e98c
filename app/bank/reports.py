"""What `verify` found, per item and as a whole, as records and as JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from app.sandbox.protocol import BareForks

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Finding:
    """One error or warning about an item; `parameters` names the variant it was seen on, where there is one.

    `heuristic` says that it is a guess worth a look, not something a run has proved.
    """

    item: str
    message: str
    part: str = ""
    parameters: str = ""
    heuristic: bool = False

    def __str__(self) -> str:
        seen_on = f" ({self.parameters})" if self.parameters else ""
        guess = " [heuristic]" if self.heuristic else ""
        return f"{self.item}{seen_on}: {f'{self.part}: ' if self.part else ''}{self.message}{guess}"


@dataclass(slots=True)
class ItemReport:
    """What the runs of one item showed. This is what is kept, so it holds nothing that other items decide.

    `keys` has, per variant (its parameters as text), the right options of every part and what was observed for it;
    `memorisation` is the best score, from 0 to 1, of somebody who knows the key of one variant by heart;
    `runs` counts every run, `programs` each program once, `words` what a person reads before answering.
    """

    item: str
    content_hash: str = ""
    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)
    keys: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    memorisation: float = 0.0
    variants: int = 0
    programs: int = 0
    runs: int = 0
    probes: int = 0
    words: int = 0
    torch: str = ""
    python: str = ""
    layers: tuple[str, ...] = ()

    def error(self, message: str, part: str = "", parameters: str = "") -> None:
        """Add an error once."""
        _add(self.errors, Finding(self.item, message, part, parameters))

    def warn(self, message: str, part: str = "", parameters: str = "") -> None:
        """Add a warning once."""
        _add(self.warnings, Finding(self.item, message, part, parameters))

    def suspect(self, message: str, part: str = "", parameters: str = "") -> None:
        """Add a warning that is a guess, once."""
        _add(self.warnings, Finding(self.item, message, part, parameters, heuristic=True))

    def to_json(self) -> dict[str, Any]:
        """Return the record as JSON data."""
        return {"format": FORMAT, **asdict(self), "layers": list(self.layers)}


def read_item_report(data: Mapping[str, Any]) -> ItemReport:
    """Rebuild a record from `to_json` data; raises `KeyError`, `TypeError` or `ValueError` for anything else."""
    if data["format"] != FORMAT:
        raise ValueError("a record of another format")
    values = {name: value for name, value in data.items() if name != "format"}
    values["errors"] = [Finding(**one) for one in data["errors"]]
    values["warnings"] = [Finding(**one) for one in data["warnings"]]
    values["layers"] = tuple(data["layers"])
    return ItemReport(**values)


@dataclass(slots=True)
class Report:
    """Errors keep an item from being issued; warnings are for its author. `not_run` says what was left out.

    `seconds` is the time of the runs, the measuring of bare forks and reading aside, and `bare` what bare forks of
    the same warm process reached in between, where that could be measured. `cached` items were not run at all;
    `quiz` says of each item what kind of quiz it may serve in.
    """

    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)
    memorisation: dict[str, float] = field(default_factory=dict)
    variants_of: dict[str, int] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    quiz: dict[str, str] = field(default_factory=dict)
    cached: list[str] = field(default_factory=list)
    items: int = 0
    variants: int = 0
    programs: int = 0
    runs: int = 0
    probes: int = 0
    runs_made: int = 0
    seconds: float = 0.0
    bare: BareForks | None = None
    torch: str = ""
    python: str = ""
    layers: tuple[str, ...] = ()
    found: dict[str, ItemReport] = field(default_factory=dict, repr=False)

    @property
    def ok(self) -> bool:
        """Say whether there is no error."""
        return not self.errors

    @property
    def failed(self) -> frozenset[str]:
        """Return the ids of the items with errors."""
        return frozenset(finding.item for finding in self.errors)

    @property
    def runs_per_s(self) -> float:
        """Return how many runs were made per second; 0 where everything came from the records."""
        return self.runs_made / self.seconds if self.seconds and self.runs_made else 0.0

    @property
    def ratio(self) -> float | None:
        """Return runs per second as a share of the bare forks that run the sample, where both were measured."""
        return self.runs_per_s / self.bare.running_per_s if self.bare and self.runs_made else None

    def error(self, item: str, message: str, part: str = "", parameters: str = "") -> None:
        """Add an error once."""
        _add(self.errors, Finding(item, message, part, parameters))

    def suspect(self, item: str, message: str) -> None:
        """Add a warning that is a guess, once."""
        _add(self.warnings, Finding(item, message, heuristic=True))

    def take(self, found: ItemReport) -> None:
        """Add what one item's runs, or the record of them, showed."""
        self.errors += found.errors
        self.warnings += found.warnings
        self.not_run += found.not_run
        self.memorisation[found.item] = found.memorisation
        self.variants_of[found.item] = found.variants
        self.words[found.item] = found.words
        self.found[found.item] = found
        self.items += 1
        for name in ("variants", "programs", "runs", "probes"):
            setattr(self, name, getattr(self, name) + getattr(found, name))
        if found.item not in self.cached:
            self.runs_made += found.runs
        if found.torch:
            self.torch, self.python, self.layers = found.torch, found.python, found.layers

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        data = asdict(self)
        del data["found"]  # keys: what an author needs of them is in the findings
        ratio = None if self.ratio is None else round(self.ratio, 3)
        return {"ok": self.ok, **data, "runs_per_s": round(self.runs_per_s, 2), "ratio": ratio}


def _add(findings: list[Finding], finding: Finding) -> None:
    """Keep one finding per item, part and message: the first variant it was seen on is enough."""
    seen = ((old.item, old.part, old.message) for old in findings)
    if (finding.item, finding.part, finding.message) not in seen:
        findings.append(finding)
