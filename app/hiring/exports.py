"""Results of a quiz and the report of a session as tables and as JSON, for a team's own programs. Pure.

They hold what was entered, what it earned and what people noted. The key is in none of the tables; the JSON of a report
has it once that report was released, and `null` before: a file travels further than a page.
"""

from collections.abc import Sequence
from typing import Any

from app.bank.item import EdgeCase
from app.bank.showing import show_observation
from app.hiring.score_reports import ReportItem, ResultRow, ScoreReport
from app.hiring.tables import Table
from app.models import Quiz

FORMAT = 1
RESULTS_HEAD = (
    "name",
    "email",
    "state",
    "points",
    "possible",
    "share",
    "standard error",
    "started",
    "ended",
    "session",
)
ITEMS_HEAD = (
    "position",
    "item",
    "title",
    "topic",
    "level",
    "kind",
    "credit",
    "points",
    "possible",
    "confidence",
    "seconds",
    "response",
    "own words",
    "reason",
    "misconceptions",
    "saves too late",
    "rubric points named",
    "reviewer's note",
)


def state_of(row: ResultRow) -> str:
    """Return how far somebody is: revoked, invited, running or finished."""
    if row.running is None:
        return "revoked" if row.invitation.revoked_at else "invited"
    return "running" if row.running.closed_at is None else "finished"


def results_table(rows: Sequence[ResultRow]) -> Table:
    """Return a row for everybody who was invited."""
    return Table("Results", RESULTS_HEAD, [tuple(_result(row).values()) for row in rows])


def results_data(quiz: Quiz, rows: Sequence[ResultRow]) -> dict[str, Any]:
    """Return the results as JSON data."""
    return {
        "format": FORMAT,
        "quiz": {"id": str(quiz.id), "title": quiz.title, "pass_mark": quiz.pass_mark},
        "results": [{name.replace(" ", "_"): value for name, value in _result(row).items()} for row in rows],
    }


def _result(row: ResultRow) -> dict[str, str | float | None]:
    score, running = row.score, row.running
    error = None if score is None else score.standard_error
    values = (
        row.invitation.name,
        row.invitation.email,
        state_of(row),
        None if score is None else score.earned,
        None if score is None else score.possible,
        None if score is None else round(score.share, 4),
        None if error is None else round(error, 4),
        None if running is None else running.started_at.isoformat(),
        None if running is None or running.closed_at is None else running.closed_at.isoformat(),
        None if running is None else str(running.id),
    )
    return dict(zip(RESULTS_HEAD, values, strict=True))


def report_tables(report: ScoreReport) -> tuple[Table, Table]:
    """Return the items of a session, and the misconceptions it shows."""
    beliefs = [(one.sentence, one.confidence, ", ".join(map(str, one.positions))) for one in report.beliefs]
    items = [_item_row(one) for one in report.items]
    return Table("Items", ITEMS_HEAD, items), Table("Misconceptions", ("sentence", "confidence", "items"), beliefs)


def _item_row(one: ReportItem) -> tuple[str | int | float | None, ...]:
    mark = one.marks[0] if one.marks else None
    sentences = one.variant.words["misconceptions"]
    return (
        one.position,
        one.variant.item_id,
        one.variant.title,
        one.variant.words["topic"],
        one.variant.level,
        one.variant.kind,
        None if one.grade is None else one.grade.credit,
        None if one.grade is None else one.grade.credit * one.points,
        one.points,
        one.confidence and one.confidence.value,
        None if one.seconds is None else round(one.seconds),
        "; ".join(f"{part}: {text}" for part, text in entered(one)),
        "" if one.response is None else one.response.own_words,
        "" if one.saved is None else one.saved.reason,
        "; ".join(sentences.get(name, name) for name in one.misconceptions),
        len(one.late),
        None if mark is None else len(mark.points_named),
        "" if mark is None else mark.note,
    )


def entered(one: ReportItem) -> list[tuple[str, str]]:
    """Return what was entered, part by part, as its options read."""
    response = one.response
    if response is None:
        return []
    texts = {(part.name, option.id): option.text for part in one.frozen.parts for option in part.options}
    chosen = [(part, texts.get((part, option), option)) for part, option in response.choices.items()]
    asks = one.item.asks if isinstance(one.item, EdgeCase) else ()
    return [*chosen, *zip(asks, response.entries, strict=False)]


def report_data(quiz: Quiz, report: ScoreReport) -> dict[str, Any]:
    """Return a report as JSON data; the keys are in it once the report was released."""
    running, score = report.running, report.score
    released = running.released_at is not None
    return {
        "format": FORMAT,
        "quiz": {"id": str(quiz.id), "title": quiz.title},
        "session": {
            "id": str(running.id),
            "name": report.invitation.name,
            "email": report.invitation.email,
            "started": running.started_at.isoformat(),
            "ended": running.closed_at and running.closed_at.isoformat(),
            "released": running.released_at and running.released_at.isoformat(),
            "revision": running.revision,
        },
        "score": score and {"points": score.earned, "possible": score.possible, "standard_error": score.standard_error},
        "topics": {
            name: {"points": one.earned, "possible": one.possible, "standard_error": one.standard_error}
            for name, one in report.topics.items()
        },
        "misconceptions": [
            {"id": one.misconception, "sentence": one.sentence, "confidence": one.confidence, "items": one.positions}
            for one in report.beliefs
        ],
        "items": [_item_data(one, released) for one in report.items],
        "focus": None
        if report.absences is None
        else [{"at": one.at.isoformat(), "item": one.position, "seconds": one.seconds} for one in report.absences],
        "feedback": [note.text for note in report.notes],
    }


def _item_data(one: ReportItem, released: bool) -> dict[str, Any]:
    return {
        "position": one.position,
        "item": one.variant.item_id,
        "content_hash": one.variant.content_hash,
        "title": one.variant.title,
        "topic": one.variant.topic,
        "level": one.variant.level,
        "kind": one.variant.kind,
        "parameters": one.frozen.parameters,
        "torch": one.variant.torch,
        "points": one.points,
        "credit": one.grade and one.grade.credit,
        "response": None if one.response is None else one.response.to_json(),
        "entered": [{"part": part, "text": text} for part, text in entered(one)],
        "reason": "" if one.saved is None else one.saved.reason,
        "seconds": one.seconds,
        "misconceptions": one.misconceptions,
        "late": [{"at": save.received_at.isoformat(), "response": save.response} for save in one.late],
        "marks": [
            {"at": mark.at.isoformat(), "by": mark.by, "points_named": mark.points_named, "note": mark.note}
            for mark in one.marks
        ],
        "reports": [note.text for note in one.notes],
        "key": key_data(one) if released else None,
    }


def key_data(one: ReportItem) -> dict[str, Any]:
    """Return the key of an item as JSON data."""
    return {"right": one.key.right, "values": [show_observation(value) for value in one.key.values]}
