"""The settings of a quiz as form fields, both ways. Times are typed in the team's zone; shares as percentages."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from app.clock import zone_of
from app.errors import BadRequestError
from app.hiring.quizzes import InvalidQuizError, QuizSettings
from app.models.quiz import Shown
from app.web.fields import Field, FieldChoice, FormView

WHEN = (
    FieldChoice(Shown.NEVER, "never"),
    FieldChoice(Shown.AFTER_SUBMIT, "right after the end"),
    FieldChoice(Shown.AFTER_WINDOW, "after the window closes"),
)


def settings_form(action: str, submit: str, zone: str) -> FormView:
    """Return the form of a quiz's settings."""
    number = (("min", "0"), ("step", "1"))
    return FormView(
        action,
        (
            Field("title", "Title", help="Candidates see it.", attributes=(("maxlength", "200"),)),
            Field(
                "introduction",
                "Introduction for candidates",
                "textarea",
                help="Markdown. What the quiz is for, who to ask.",
                required=False,
                attributes=(("rows", "4"), ("maxlength", "4000")),
            ),
            Field("minutes", "Minutes", "number", "40", attributes=(("min", "1"), ("max", "480"), ("step", "1"))),
            Field("opens_at", f"Opens ({zone})", "datetime-local", required=False),
            Field("closes_at", f"Closes ({zone})", "datetime-local", required=False),
            Field(
                "window_cuts",
                "The closing time also ends running sessions",
                "checkbox",
                required=False,
                help="Otherwise it limits starts only.",
            ),
            Field("shuffled", "Ask the items in an order of each candidate's own", "checkbox", "on", required=False),
            Field(
                "repeat_misconceptions",
                "A draw may ask about one misconception twice",
                "checkbox",
                required=False,
            ),
            Field(
                "verdict_only",
                "Percent of the points for a right verdict with a wrong reason",
                "number",
                "0",
                attributes=(*number, ("max", "100")),
            ),
            Field(
                "pass_mark",
                "Pass mark in percent",
                "number",
                required=False,
                attributes=(*number, ("max", "100")),
                help="Shown beside the score with its standard error. A person decides, not the mark.",
            ),
            Field("show_score", "Candidates see their score", "radios", Shown.NEVER, choices=WHEN),
            Field("show_items", "Candidates see the items with their answers", "radios", Shown.NEVER, choices=WHEN),
            Field(
                "retake_days",
                "Days before one address may take it again",
                "number",
                required=False,
                attributes=number,
                help="Empty: as often as somebody invites it.",
            ),
            Field(
                "ask_reasons",
                "Ask for a reason in own words beside every item",
                "checkbox",
                required=False,
                help="Reviewers mark them; they never count by themselves.",
            ),
            Field(
                "signals",
                "Note when the page loses the focus",
                "checkbox",
                required=False,
                help="Candidates are told before the start. A note for a person, never a verdict.",
            ),
            Field(
                "retention_days",
                "Days after which candidates' data is erased",
                "number",
                required=False,
                attributes=(("min", "1"), ("max", "3650"), ("step", "1")),
                help="Empty: until somebody erases it.",
            ),
        ),
        submit,
    )


def fields_of_settings(settings: QuizSettings, zone: str) -> dict[str, str]:
    """Return settings as the form shows them."""
    values = asdict(settings)
    fields = {}
    for name, value in values.items():
        if isinstance(value, bool):
            fields[name] = "on" if value else ""
        elif isinstance(value, datetime):
            fields[name] = value.astimezone(zone_of(zone)).strftime("%Y-%m-%dT%H:%M")
        elif name in {"verdict_only", "pass_mark"}:
            fields[name] = "" if value is None else f"{100 * value:g}"
        else:
            fields[name] = "" if value is None else str(value)
    return fields


def read_settings(fields: Mapping[str, str], zone: str) -> QuizSettings:
    """Return the settings that a form says.

    Raises `InvalidQuizError` with a sentence per field that cannot be read.
    """
    reader = _Reader(fields, zone_of(zone))
    settings = QuizSettings(
        title=fields.get("title", "").strip(),
        minutes=reader.whole("minutes") or 0,
        introduction=fields.get("introduction", "").strip(),
        opens_at=reader.time("opens_at"),
        closes_at=reader.time("closes_at"),
        window_cuts=reader.on("window_cuts"),
        shuffled=reader.on("shuffled"),
        verdict_only=reader.percent("verdict_only") or 0.0,
        repeat_misconceptions=reader.on("repeat_misconceptions"),
        show_score=fields.get("show_score", ""),
        show_items=fields.get("show_items", ""),
        pass_mark=reader.percent("pass_mark"),
        retake_days=reader.whole("retake_days"),
        ask_reasons=reader.on("ask_reasons"),
        signals=reader.on("signals"),
        retention_days=reader.whole("retention_days"),
    )
    if reader.errors:
        raise InvalidQuizError(reader.errors)
    return settings


def read_local_time(text: str, zone: str) -> datetime | None:
    """Return a time typed in a zone as an instant, `None` for an empty field.

    Raises `BadRequestError` that says what to write.
    """
    reader = _Reader({"time": text}, zone_of(zone))
    found = reader.time("time")
    if reader.errors:
        raise BadRequestError(reader.errors["time"])
    return found


class _Reader:
    """Reads fields one by one and collects what is wrong with each."""

    def __init__(self, fields: Mapping[str, str], zone: ZoneInfo) -> None:
        self._fields, self._zone = fields, zone
        self.errors: dict[str, str] = {}

    def _text(self, name: str) -> str:
        return self._fields.get(name, "").strip()

    def on(self, name: str) -> bool:
        """Return whether a checkbox is on."""
        return self._text(name) == "on"

    def whole(self, name: str) -> int | None:
        """Return a whole number, or `None` for an empty field."""
        text = self._text(name)
        if not text:
            return None
        if not text.isascii() or not text.isdecimal() or len(text) > 6:
            self.errors[name] = "Write a whole number."
            return None
        return int(text)

    def percent(self, name: str) -> float | None:
        """Return a percentage as a share, or `None` for an empty field."""
        text = self._text(name).removesuffix("%").strip()
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 100:
            self.errors[name] = "Write a number from 0 to 100."
            return None
        return value / 100

    def time(self, name: str) -> datetime | None:
        """Return a local time as an instant, or `None` for an empty field."""
        text = self._text(name)
        if not text:
            return None
        try:
            local = datetime.fromisoformat(text)
        except ValueError:
            self.errors[name] = "Write it like 2026-12-24T18:00."
            return None
        if local.tzinfo is not None:
            return local.astimezone(UTC)
        there = local.replace(tzinfo=self._zone)
        if there.astimezone(UTC).astimezone(self._zone).replace(tzinfo=None) != local:
            self.errors[name] = "The clocks skip this time: they spring forward then. Choose another."
            return None
        return there.astimezone(UTC)
