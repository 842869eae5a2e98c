"""A stored attempt as the page that reveals it: everything comes from the attempt's own row, so it never changes."""

import ast
from datetime import datetime

from app.bank.evidence import Evidence, OptionSeen, Reading, read_reading
from app.bank.item import EdgeCase, Item, RepairMatrix, TrueFalse, Why
from app.bank.parsing import parse
from app.bank.parts import Option, Part
from app.bank.probing import quoted
from app.bank.showing import show, show_observation
from app.bank.variants import Variant, from_json
from app.grading.grade import Confidence, Outcome, Response
from app.grading.misconceptions import misconception_of
from app.models import Attempt
from app.sandbox.protocol import Plain, Raised, RunResult
from app.web.answers import CONFIDENCE_LABELS, asked_parts
from app.web.pages.item_page import bug_lines, heading_of, question_of
from app.web.pages.outcomes import observed_words, show_time, tone_of, verdict_sentence
from app.web.views import (
    YOU,
    EntrySeenView,
    EvidenceView,
    FollowUpView,
    InterviewView,
    Notice,
    OptionSeenView,
    PatchView,
    RevealPage,
    RunView,
    SectionView,
    SeenView,
    Shell,
    SourceView,
    Tone,
    Voice,
)

WORDS = {"repair": ("works", "does not work"), "cause": ("yes", "no"), "culprit": ("culprit", "not the culprit")}
REVEAL_LEGENDS = {
    "reason": "The reasons",
    "culprit": "The line",
    "symptom": "What happens",
    "repair": "The repairs",
    "value": "The values",
    "cause": "The causes",
}
MESSAGE = 300
ANSWERED = Notice(
    Tone.WARNING,
    "You answered this already",
    "Here is what you committed then. What you entered now was not taken: a variant is answered once.",
    refused=True,
)


class Revealed:
    """An attempt's row, read back into the objects it was made of."""

    def __init__(self, attempt: Attempt, voice: Voice) -> None:
        self.attempt = attempt
        self.voice = voice
        self.variant: Variant = from_json(attempt.variant)
        self.item: Item = self.variant.item
        self.response = Response.from_json(attempt.response)
        self.outcome = Outcome.from_json(attempt.outcome)
        self.reading: Reading = read_reading(attempt.reading)
        self.evidence: Evidence = self.reading.evidence
        self.misconceptions: dict[str, str] = attempt.words["misconceptions"]


def reveal_page(
    shell: Shell, attempt: Attempt, query: str = "", *, again: bool = False, voice: Voice = YOU
) -> RevealPage:
    """Return the reveal of a stored attempt; `query` is that of the filter to go on with.

    `again` says that its form came back with something else entered, which was not taken; `voice` is for who reads
    what somebody else answered.
    """
    revealed = Revealed(attempt, voice)
    item, truth = revealed.item, revealed.evidence.runs[0]
    return RevealPage(
        shell=shell,
        heading=heading_of(item, attempt.words["topic"]),
        tone=tone_of(revealed.outcome),
        verdict=verdict_sentence(item, revealed.response, revealed.outcome, revealed.reading.key, voice),
        verdict_detail=_detail(revealed.response, attempt.created_at, voice),
        prompt_md=item.prompt,
        snippet=item.snippet,
        raised_line=truth.exception.line if truth.exception else None,
        exception=_exception(truth.exception),
        stdout=truth.stdout,
        question_md=question_of(item),
        sections=tuple(_section(revealed, part) for part in asked_parts(revealed.variant)),
        entries=_entries(revealed),
        own_words=revealed.response.own_words,
        rubric_md=item.rubric if isinstance(item, Why) else (),
        explanation_md=quoted(item.explanation, revealed.evidence),
        source=_source(revealed),
        interview=_interview(item),
        evidence=_evidence(revealed),
        next_url=f"/practice/next{query}{'&' if query else '?'}after={item.id}",
        notice=ANSWERED if again else None,
        vary_url=f"/practice/{item.id}{query}",
        voice=voice,
    )


def _detail(response: Response, stored_at: datetime, voice: Voice) -> str:
    return f"{sureness_words(response, voice)}Stored {show_time(stored_at)}, before anything was shown."


def sureness_words(response: Response, voice: Voice = YOU) -> str:
    """Return a sentence, with a space after it, about how sure a person was; nothing where they did not say."""
    if response.confidence is None:
        return ""
    sure = "guessing" if response.confidence is Confidence.GUESS else CONFIDENCE_LABELS[response.confidence]
    return f"{voice.subject.capitalize()} were {sure}. "


def _exception(raised: Raised | None) -> str:
    return "" if raised is None else f"{raised.type}: {raised.message}".rstrip(": ")


def _section(revealed: Revealed, part: Part) -> SectionView:
    seen = {one.option: one for one in revealed.evidence.options if one.part == part.name}
    if isinstance(revealed.item, TrueFalse) and part.name == "verdict":
        return SectionView("The statement", (_statement(revealed, revealed.item, seen["true"]),))
    chosen = revealed.response.choices.get(part.name)
    right = revealed.reading.key.right[part.name]
    return SectionView(
        REVEAL_LEGENDS.get(part.name, part.legend),
        tuple(
            _option(revealed, part, option, seen[option.id])
            for option in part.options
            # Of the culprit's many lines only those that matter are worth reading.
            if part.name != "culprit" or option.id in right or option.id == chosen
        ),
        bug_lines(revealed.item, part.name),
    )


def _statement(revealed: Revealed, item: TrueFalse, seen: OptionSeen) -> OptionSeenView:
    chosen = revealed.response.choices.get("verdict")
    return OptionSeenView(
        word="undecided" if seen.holds is None else str(seen.holds).lower(),
        right=chosen in revealed.reading.key.right["verdict"],
        yours=chosen is not None,
        text_md=item.statement,
        code=None,
        seen=_seen(seen),
        patch=None,
        note_md=f"{revealed.voice.subject.capitalize()} said {chosen or 'nothing'}.",
        misconception="",
    )


def _option(revealed: Revealed, part: Part, option: Option, seen: OptionSeen) -> OptionSeenView:
    yours = revealed.response.choices.get(part.name) == option.id
    right = option.id in revealed.reading.key.right[part.name]
    yes, no = WORDS.get("repair" if isinstance(revealed.item, RepairMatrix) else part.name, ("yes", "no"))
    return OptionSeenView(
        word="undecided" if seen.holds is None else yes if seen.holds else no,
        right=right,
        yours=yours,
        text_md=f"Line {option.id}" if part.name == "culprit" else "" if option.code else option.text,
        code=option.text if option.code else None,
        seen=()
        if part.name == "culprit"
        else _seen(seen),  # no probe is evaluated for a line: its own run is what was seen
        patch=_patch(revealed.evidence, seen),
        note_md=seen.note,
        misconception=_misconception(revealed, part, option.id) if yours and not right else "",
    )


def _seen(seen: OptionSeen) -> tuple[SeenView, ...]:
    if not seen.probe:
        return ()
    operands = [one for one in seen.seen if one.expression != seen.probe]
    values = [_operand(one.expression, show_observation(one.observation)) for one in operands]
    if len(values) > 2 or (values and not _is_one_comparison(seen.probe)):
        values = [f"{one.expression}: {value}" for one, value in zip(operands, values, strict=True)]
        return (SeenView(seen.probe, ", ".join(values)),)
    shown = " and ".join(values) or {True: "true", False: "false", None: "could not be told"}[seen.holds]
    return (SeenView(seen.probe, shown),)


def _is_one_comparison(probe: str) -> bool:
    """Say whether a probe only compares, so that its two sides need no names."""
    body = parse(probe, "eval").body
    return isinstance(body, ast.Compare) and len(body.ops) == 1


def _operand(expression: str, shown: str) -> str:
    return "nothing was raised" if expression == "raised" and shown == "None" else shown


def _patch(evidence: Evidence, seen: OptionSeen) -> PatchView | None:
    if seen.patch is None:
        return None
    return PatchView(tuple(sorted(seen.patch.items())), ended_words(evidence.runs[seen.run]))


def ended_words(run: RunResult) -> str:
    """Return how a run ended, in words."""
    if run.exception is None:
        return "ran to its end" if run.verdict == "ok" else f"ended early ({run.reason or run.verdict})"
    line = f" in line {run.exception.line}" if run.exception.line else ""
    message = run.exception.message.strip().split("\n")[0]
    short = message if len(message) <= MESSAGE else f"{message[:MESSAGE]}…"
    return f"{run.exception.type}{line}: {short}" if short else f"{run.exception.type}{line}"


def _misconception(revealed: Revealed, part: Part, option_id: str) -> str:
    return revealed.misconceptions.get(misconception_of(revealed.item, part.name, option_id) or "", "")


def _entries(revealed: Revealed) -> tuple[EntrySeenView, ...]:
    if not isinstance(revealed.item, EdgeCase) or not revealed.response.entries:
        return ()
    rows = zip(
        revealed.item.asks,
        revealed.response.entries,
        revealed.reading.key.values,
        revealed.outcome.parts[-len(revealed.item.asks) :],
        strict=True,
    )
    return tuple(EntrySeenView(ask, entry, show_observation(value), part.right) for ask, entry, value, part in rows)


def _source(revealed: Revealed) -> SourceView | None:
    source = revealed.item.source
    if source is None:
        return None
    return SourceView(
        status=revealed.item.status,
        document=source.document,
        reference=source.reference,
        answer_md=source.answer,
        observed_md=observed_words(revealed.item, revealed.reading.key),
        condition_md=revealed.item.condition or "",
    )


def _interview(item: Item) -> InterviewView | None:
    if item.interview is None:
        return None
    follow_ups = tuple(FollowUpView(one.text, one.snippet or "") for one in item.interview.follow_ups)
    return InterviewView(item.interview.good_answer, item.interview.red_flags, follow_ups)


def _evidence(revealed: Revealed) -> EvidenceView:
    evidence = revealed.evidence
    count = len(evidence.runs)
    took = sum(run.wall_ms for run in evidence.runs)
    where = f"torch {evidence.torch} · isolated by {_isolation(evidence.layers)}"
    return EvidenceView(
        summary=f"{count} run{'s' if count > 1 else ''}, {took:.0f} ms · {where}",
        runs=tuple(_run(label, run) for label, run in zip(_labels(evidence), evidence.runs, strict=True)),
        torch=evidence.torch,
        python=evidence.python,
        layers=evidence.layers,
        checked_at=show_time(revealed.attempt.created_at),
        parameters=tuple((name, _parameter(value)) for name, value in revealed.variant.parameters.items()),
    )


def _isolation(layers: tuple[str, ...]) -> str:
    names = {"landlock": "Landlock", "seccomp": "seccomp"}
    spaces = ["namespaces"] if any(layer.endswith("namespace") for layer in layers) else []
    return ", ".join(spaces + [name for layer, name in names.items() if layer in layers])


def _parameter(value: object) -> str:
    plain: Plain = value if value is None or isinstance(value, bool | int | float | str | dict) else repr(value)
    return show(plain)


def _labels(evidence: Evidence) -> list[str]:
    labels = ["the snippet"] * len(evidence.runs)
    for one in (*evidence.also, *evidence.options):
        if one.run and one.part != "culprit":
            labels[one.run] = _label(one)
    return labels


def _label(seen: OptionSeen) -> str:
    if seen.part == "also_heals":
        return f"line {seen.option} changed"
    if seen.part.startswith("bug-"):
        return f"{seen.part.replace('-', ' ')}, repair {seen.option}"
    return f"{seen.part} {seen.option}"


def _run(label: str, run: RunResult) -> RunView:
    return RunView(label, run.verdict.value, f"{run.wall_ms:.1f}", _exception(run.exception), run.stdout, run.stderr)
