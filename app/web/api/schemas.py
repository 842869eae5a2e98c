"""What the API takes and answers, as models that its OpenAPI document is made of. Times are UTC, shares from 0 to 1."""

from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from app.hiring.invitations import Progress
from app.models.quiz import QuizState

Row = TypeVar("Row")
Whole = Annotated[int, Field(strict=True)]
Flag = Annotated[bool, Field(strict=True)]


class Sent(BaseModel):
    """What a program sends: a name that the API does not know is refused, so that a slip does not go unseen."""

    model_config = ConfigDict(extra="forbid")


class Page(BaseModel, Generic[Row]):
    """Some rows, the newest first; `next` is what to send as `after` for those that follow, `null` at the end."""

    data: list[Row]
    next: UUID | None


class Quiz(BaseModel):
    """A quiz of the team."""

    id: UUID
    title: str
    state: QuizState
    minutes: int
    items: Annotated[int, Field(description="how many items a candidate is asked")]
    opens_at: datetime | None
    closes_at: datetime | None
    pass_mark: Annotated[float | None, Field(description="a share of the points")]
    created_at: datetime
    published_at: datetime | None


class NewInvitation(Sent):
    """One candidate to invite."""

    email: Annotated[str, Field(max_length=254)]
    name: Annotated[str, Field(max_length=120)] = ""
    extra_percent: Annotated[Whole, Field(ge=0, le=400, description="extra time, in percent of the quiz's")] = 0
    expires_at: Annotated[AwareDatetime | None, Field(description="the last moment to start")] = None
    mail: Annotated[Flag, Field(description="whether the site sends the link to the candidate")] = True
    id: Annotated[
        UUID | None,
        Field(description="an id of your own: sent twice with the same address, it is one invitation and one mail"),
    ] = None


class Invitation(BaseModel):
    """An invitation, and how far it is. Name and address are empty where the person was erased."""

    id: UUID
    quiz_id: UUID
    email: str
    name: str
    state: Progress
    extra_percent: int
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    mailed_at: datetime | None
    session_id: UUID | None
    link: Annotated[str | None, Field(description="the candidate's link, in the answer that made it and never again")]


class ExtraTime(Sent):
    """Extra time of a candidate who has not started."""

    extra_percent: Annotated[Whole, Field(ge=0, le=400)]


class Minutes(Sent):
    """More time for a session that was started."""

    minutes: Annotated[Whole, Field(ge=1, le=1440)]


class Clock(BaseModel):
    """When a session ends now."""

    session_id: UUID
    added_minutes: int
    deadline: datetime


class Score(BaseModel):
    """A score with its standard error, `null` with fewer than two items."""

    points: float
    possible: float
    share: float
    standard_error: Annotated[float | None, Field(description="of the share")]


class Result(BaseModel):
    """How far an invitation is, and its score once there is one."""

    invitation_id: UUID
    session_id: UUID | None
    state: Progress
    started_at: datetime | None
    ended_at: datetime | None
    released_at: datetime | None
    score: Score | None
    passed: Annotated[bool | None, Field(description="`null` without a pass mark or a score")]


class Belief(BaseModel):
    """A misconception that wrong answers stand for, and how sure the surest of them was."""

    id: str
    sentence: str
    confidence: str | None
    items: list[int]


class ReportItem(BaseModel):
    """One item of a report. `response` and `key` are `null` until the team released the report."""

    position: int
    item: str
    title: str
    topic: str
    level: int
    kind: str
    points: float
    credit: float | None
    confidence: str | None
    seconds: Annotated[float | None, Field(description="how long its page was open, estimated")]
    misconceptions: list[str]
    response: dict[str, Any] | None
    key: dict[str, Any] | None


class Report(Result):
    """The report of a session. It has items and topics once the session ended."""

    quiz_id: UUID
    revision: Annotated[int, Field(description="how often it was graded")]
    submitted: Annotated[bool, Field(description="whether the candidate handed it in, and not the clock")]
    topics: dict[str, Score]
    misconceptions: list[Belief]
    items: list[ReportItem]


class Wrong(BaseModel):
    """A part of a request that cannot be used."""

    model_config = ConfigDict(json_schema_extra={"description": "A part of a request that cannot be used."})

    where: Annotated[str, Field(alias="in", description="body, query or path")]
    pointer: str
    detail: str


class Problem(BaseModel):
    """What went wrong, as RFC 9457 has it. `type` stays the same for a kind of problem, the sentences may change."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[Wrong] | None = None
