"""The pages of a team about its own items: one frozen dataclass each, holding exactly what its template shows."""

from dataclasses import dataclass

from app.web.account_views import TeamHeading
from app.web.fields import FormView
from app.web.views import Notice, Shell, Tone


@dataclass(frozen=True, slots=True)
class OwnItemRow:
    """One item in the list of a team; `memorisation` and `shown` are in words, empty where there is nothing yet."""

    url: str
    title: str
    item_id: str
    about: str  # topic, kind and level
    state: str
    tone: Tone
    detail: str  # how far verification is, or its first problem
    memorisation: str
    shown: str


@dataclass(frozen=True, slots=True)
class FileProblems:
    """A file that was not stored, with every problem: its line (0 for the whole file), its field, and the sentence."""

    name: str
    problems: tuple[tuple[int, str, str], ...]


@dataclass(frozen=True, slots=True)
class OwnItemsPage:
    """`/teams/{team}/items`: its items with their state, the upload, and what was wrong with one just sent."""

    shell: Shell
    team: TeamHeading
    items: tuple[OwnItemRow, ...]
    waiting: int
    upload: FormView | None
    limit: str  # the most that knowing a key by heart may be worth
    following: bool  # whether the page should look again by itself while items wait
    stored: tuple[tuple[str, str], ...] = ()  # file, and what became of it
    refused: tuple[FileProblems, ...] = ()
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of an item."""

    url: str
    when: str
    state: str
    current: bool  # whether it is the one on the page


@dataclass(frozen=True, slots=True)
class OwnItemPage:
    """`/teams/{team}/items/{item}`: one version: its state, what verification found, its exposure, what can be done."""

    shell: Shell
    team: TeamHeading
    title: str
    item_id: str
    about: str
    state: str
    tone: Tone
    state_words: str
    following: bool  # whether the page should look again by itself
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    versions: tuple[VersionRow, ...]
    preview_url: str | None
    source_url: str | None
    actions: tuple[FormView, ...]  # verify again, archive
    back_url: str
