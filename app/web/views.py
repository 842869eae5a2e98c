"""The pages: one frozen dataclass each, holding exactly what its template shows.

Texts named `*_md` are Markdown with maths; everything else is plain text. Nothing here knows a key before release.
"""

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    """How a message feels; always said in words as well, never by colour alone."""

    RIGHT = "right"
    PARTLY = "partly"
    WRONG = "wrong"
    INFO = "info"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Shell:
    """What every page shares. `section` is the current navigation entry: home, practice, history or none."""

    section: str
    sandbox_state: str  # ready, starting, unavailable
    sandbox_label: str  # "torch 2.13.0, sandbox ready"
    csp_nonce: str


@dataclass(frozen=True, slots=True)
class Notice:
    """A message on top of a page: what happened, what was kept, what to do."""

    tone: Tone
    title: str
    text: str
    refused: bool = False  # whether something was not taken: then it gets the focus, and is announced


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of a filter or a list of links; `count` is how many items it would leave."""

    value: str
    label: str
    selected: bool
    count: int


@dataclass(frozen=True, slots=True)
class ItemLink:
    """One row of a list of items."""

    url: str
    title: str
    topic: str
    kind: str
    level: int
    state: str  # "" (never answered), "right", "partly", "wrong": how this person last did


@dataclass(frozen=True, slots=True)
class TopicCard:
    """One topic of the bank on the home page; `answered` counts items this person has answered."""

    title: str
    introduction_md: str
    url: str
    items: int
    answered: int
    practise_url: str


@dataclass(frozen=True, slots=True)
class SpecimenView:
    """One item shown on the home page so that code is the first thing seen; it holds no answer."""

    title: str
    snippet: str
    question_md: str
    url: str


@dataclass(frozen=True, slots=True)
class HomePage:
    """`/`: what this is, the first item one click away, the topics."""

    shell: Shell
    items: int
    topics: tuple[TopicCard, ...]
    next_url: str
    attempts: int
    specimen: SpecimenView | None = None


@dataclass(frozen=True, slots=True)
class PracticePage:
    """`/practice`: filters as a plain GET form, the list they leave, one button for the next item."""

    shell: Shell
    topics: tuple[Choice, ...]
    kinds: tuple[Choice, ...]
    levels: tuple[Choice, ...]
    filtered: bool
    next_url: str | None  # None where the filters leave nothing
    items: tuple[ItemLink, ...]


@dataclass(frozen=True, slots=True)
class OptionView:
    """One option to choose: its radio button has `name` of the part and this `value` (a position, not an id)."""

    value: str
    text_md: str
    code: str | None  # set where the option is code (a culprit line or a value): shown as code
    hint: str  # the key that chooses it ("t", "1"), or ""
    checked: bool


@dataclass(frozen=True, slots=True)
class PartView:
    """One thing to decide. `style`: pair (two large buttons side by side), list, lines (compact code lines)."""

    name: str
    legend: str
    style: str
    options: tuple[OptionView, ...]
    error: str
    lines: tuple[tuple[int, str], ...] = ()  # what a bug puts in place of the snippet's lines


@dataclass(frozen=True, slots=True)
class EntryView:
    """One value to type in (an edge case entered freely). `label_code` is the expression asked about."""

    name: str
    label_code: str
    value: str
    error: str


@dataclass(frozen=True, slots=True)
class ReasonView:
    """A free text in one's own words (a `why`); optional."""

    legend: str
    value: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """Where an item stands: shown above its title."""

    item_id: str
    title: str
    topic: str
    topic_url: str
    kind: str  # "true or false, and why"
    level: int  # 1 to 3, as dots with a text alternative


@dataclass(frozen=True, slots=True)
class ItemPage:
    """`/practice/{item}`: code, statement or question, parts, confidence, one button. No key of any sort."""

    shell: Shell
    heading: Heading
    prompt_md: str
    snippet: str
    question_md: str  # the statement or question, in the serif of a statement
    parts: tuple[PartView, ...]
    entries: tuple[EntryView, ...]
    reason: ReasonView | None
    confidence: tuple[OptionView, ...]  # guess, fairly sure, certain; optional
    action: str  # where the form posts to
    token: str  # hidden field "token"
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class SeenView:
    """One line of evidence below an option: a probe (`second == 2 * first`) and its operands (`40.0 and 40.0`)."""

    expression: str
    value: str


@dataclass(frozen=True, slots=True)
class PatchView:
    """The lines a repair or counterfactual put in place of the snippet's: (line number, text)."""

    lines: tuple[tuple[int, str], ...]
    ended: str  # how that run ended, in words: "ran to its end", "RuntimeError in line 5: …"


@dataclass(frozen=True, slots=True)
class OptionSeenView:
    """One option on the reveal. `word`: yes, no, true, works, undecided …; `right` says it is in the key."""

    word: str
    right: bool
    yours: bool
    text_md: str
    code: str | None
    seen: tuple[SeenView, ...]
    patch: PatchView | None
    note_md: str
    misconception: str  # the sentence of the misconception, shown where the person chose this option, else ""


@dataclass(frozen=True, slots=True)
class SectionView:
    """The options of one part, in the order the person saw them."""

    legend: str
    options: tuple[OptionSeenView, ...]
    lines: tuple[tuple[int, str], ...] = ()  # the lines of a bug


@dataclass(frozen=True, slots=True)
class EntrySeenView:
    """A typed value beside the observed one."""

    label_code: str
    entered: str
    observed: str
    right: bool


@dataclass(frozen=True, slots=True)
class RunView:
    """One run of the live check, for the quiet line that opens."""

    label: str  # "the snippet", "repair 2", ...
    verdict: str
    milliseconds: str
    exception: str
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """`summary` is one quiet line: "3 runs, 31 ms · torch 2.13.0 · isolated by namespaces, Landlock, seccomp"."""

    summary: str
    runs: tuple[RunView, ...]
    torch: str
    python: str
    layers: tuple[str, ...]
    checked_at: str
    parameters: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SourceView:
    """An item taken from a source: what the source says, what was observed, how they relate."""

    status: str  # verified, conditional, version_dependent, disputed, retracted
    document: str
    reference: str
    answer_md: str
    observed_md: str
    condition_md: str


@dataclass(frozen=True, slots=True)
class FollowUpView:
    """A question to go on with, runnable where it has a snippet."""

    text_md: str
    snippet: str


@dataclass(frozen=True, slots=True)
class InterviewView:
    """What a good answer names, what a listener would worry about, what to ask next."""

    good_answer_md: tuple[str, ...]
    red_flags_md: tuple[str, ...]
    follow_ups: tuple[FollowUpView, ...]


@dataclass(frozen=True, slots=True)
class Voice:
    """Whom a reveal speaks of: who reads it, or the candidate whose answers a team reads."""

    subject: str
    possessive: str
    label: str


YOU, THEY = Voice("you", "your", "you"), Voice("they", "their", "entered")


@dataclass(frozen=True, slots=True)
class RevealPage:
    """`/attempts/{id}`: verdict in words, what was observed per option, why, what next. Exactly as it was stored."""

    shell: Shell
    heading: Heading
    tone: Tone
    verdict: str  # "Right: it is false, and for the right reason."
    verdict_detail: str  # "You were fairly sure. Stored 14:02 UTC, before anything was shown."
    prompt_md: str
    snippet: str
    raised_line: int | None  # the line of the snippet that raised, marked in the code
    exception: str  # "RuntimeError: …" or ""
    stdout: str
    question_md: str
    sections: tuple[SectionView, ...]
    entries: tuple[EntrySeenView, ...]
    own_words: str  # the free text of a `why`, or ""
    rubric_md: tuple[str, ...]
    explanation_md: str
    source: SourceView | None
    interview: InterviewView | None
    evidence: EvidenceView
    next_url: str
    vary_url: str  # empty where this variant cannot be varied
    next_label: str = "Next"
    receipt_url: str = ""  # of the file that runs all of it anew
    notice: Notice | None = None
    voice: Voice = YOU
    again_url: str = ""  # where this very variant is run once more; empty where it is not the reader's own


@dataclass(frozen=True, slots=True)
class WithheldPage:
    """An item whose run contradicts its file: not issued, and the contradiction shown."""

    shell: Shell
    heading: Heading
    disagreements: tuple[tuple[str, str, str], ...]  # part, what the file expects, what the run shows
    undecided: tuple[str, ...]
    next_url: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link with its words."""

    url: str
    label: str


@dataclass(frozen=True, slots=True)
class TermView:
    """One term of the glossary; its `id` is its anchor."""

    id: str
    term: str
    also: tuple[str, ...]
    definition_md: str
    see: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class GlossaryPage:
    """`/glossary`: every term by name, with what it means and where one meets it."""

    shell: Shell
    terms: tuple[TermView, ...]


@dataclass(frozen=True, slots=True)
class TopicPage:
    """`/topics/{topic}`: an introduction, the wrong beliefs its items are about, and the items."""

    shell: Shell
    title: str
    introduction_md: str
    reading_md: str
    terms: tuple[Link, ...]
    beliefs: tuple[tuple[str, str], ...]  # sentence as Markdown, axis
    items: tuple[ItemLink, ...]
    answered: int
    next_url: str | None  # None where the topic has no item


@dataclass(frozen=True, slots=True)
class ItemStateView:
    """One row of the bank: whether its runs agreed with its file, and what did not, in words without keys."""

    url: str  # "" for an item that is no longer asked
    title: str
    topic: str
    kind: str
    state: str  # not checked yet, verified, withheld, withdrawn
    tone: Tone
    reason: str


@dataclass(frozen=True, slots=True)
class BankPage:
    """`/bank`: the state of every item, with counts."""

    shell: Shell
    counts: tuple[tuple[str, int], ...]
    items: tuple[ItemStateView, ...]
    problems: tuple[str, ...]  # files that are left out: how many problems each has
    drafts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PreviewPage:
    """`/preview/{item}`: an item file while it is written, for its author: with problems, and with its key."""

    shell: Shell
    item_id: str
    file: str
    stamp: str  # changes with the file; the page asks for it at `stamp_url` and reloads
    stamp_url: str
    another_url: str
    problems: tuple[tuple[int, str, str], ...]  # line, field, what to do
    note: str  # why nothing was run, or ""
    disagreements: tuple[tuple[str, str, str], ...]  # part, what the file expects, what the run shows
    undecided: tuple[str, ...]
    item: ItemPage | None
    reveal: RevealPage | None


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """What happened, what was kept, what to do."""

    shell: Shell
    status: int
    title: str
    message: str
    back_url: str
    back_label: str
