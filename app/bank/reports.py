"""What `verify` found, as records and as JSON."""

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """One error or warning about an item; `parameters` names the variant it was seen on, where there is one."""

    item: str
    message: str
    part: str = ""
    parameters: str = ""

    def __str__(self) -> str:
        seen_on = f" ({self.parameters})" if self.parameters else ""
        return f"{self.item}{seen_on}: {f'{self.part}: ' if self.part else ''}{self.message}"


@dataclass(slots=True)
class Report:
    """Errors keep an item from being issued; warnings are for its author. `not_run` says what was left out.

    `variants_of` counts the variants that were run per item;
    `memorisation` is the best score per item, from 0 to 1, of somebody who knows the key of one variant by heart.
    """

    errors: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)
    memorisation: dict[str, float] = field(default_factory=dict)
    variants_of: dict[str, int] = field(default_factory=dict)
    items: int = 0
    variants: int = 0
    programs: int = 0
    probes: int = 0
    seconds: float = 0.0
    torch: str = ""
    python: str = ""
    layers: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Say whether there is no error."""
        return not self.errors

    @property
    def failed(self) -> frozenset[str]:
        """Return the ids of the items with errors."""
        return frozenset(finding.item for finding in self.errors)

    def error(self, item: str, message: str, part: str = "", parameters: str = "") -> None:
        """Add an error once."""
        _add(self.errors, Finding(item, message, part, parameters))

    def warn(self, item: str, message: str, part: str = "", parameters: str = "") -> None:
        """Add a warning once."""
        _add(self.warnings, Finding(item, message, part, parameters))

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {"ok": self.ok, **asdict(self), "layers": list(self.layers)}


def _add(findings: list[Finding], finding: Finding) -> None:
    """Keep one finding per item, part and message: the first variant it was seen on is enough."""
    seen = ((old.item, old.part, old.message) for old in findings)
    if (finding.item, finding.part, finding.message) not in seen:
        findings.append(finding)
