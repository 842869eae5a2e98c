"""What an item is: one frozen pydantic model per kind, and the JSON Schema an editor completes from.

The models say which fields there are and of which type. What needs more than one field to judge (a patch against its
snippet, a parameter against its uses) is in `checks.py`, so that each such problem carries a line of the file.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Generic, Literal, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

from app.bank.author_values import AuthorValue, read_author_value, read_drawable

T = TypeVar("T")

# A YAML list arrives as a `list`, which a strict tuple would refuse; what is inside it stays strict.
Many = Annotated[tuple[T, ...], Field(strict=False)]
Text = Annotated[str, Field(pattern=r"\S", max_length=8000)]
Code = Annotated[str, Field(pattern=r"\S", max_length=8000)]
Expression = Annotated[str, Field(pattern=r"\S", max_length=500)]
ItemId = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=40)]
Patch = Annotated[dict[int, Annotated[str, Field(max_length=500)]], Field(min_length=1)]
Drawable = Annotated[Any, AfterValidator(read_drawable)]
Value = Annotated[AuthorValue, BeforeValidator(read_author_value)]
Level = Annotated[int, Field(ge=1, le=3)]
Place = Annotated[int, Field(ge=1, le=99)]

Kind: TypeAlias = Literal["true_false", "spot_the_error", "edge_case", "why", "repair_matrix"]
Status: TypeAlias = Literal["verified", "conditional", "version_dependent", "disputed", "retracted"]
KINDS: tuple[str, ...] = ("true_false", "spot_the_error", "edge_case", "why", "repair_matrix")


def _as_list(value: Any) -> Any:
    return [value] if type(value) is int else value


Places = Annotated[
    Many[Place],
    BeforeValidator(_as_list, json_schema_input_type=int | list[int]),
    Field(min_length=1),
]


class Record(BaseModel):
    """A frozen part of an item: unknown keys and values of another type are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class FollowUp(Record):
    """A question the interviewer may ask next; runnable where it carries a snippet."""

    text: Text
    snippet: Code | None = None


class Interview(Record):
    """What an interviewer listens for."""

    good_answer: Many[Text] = ()
    red_flags: Many[Text] = ()
    follow_ups: Many[FollowUp] = ()


class Source(Record, Generic[T]):
    """Where an item comes from, and the answer that source gives, in our words; `expect` is the key it would give."""

    document: Literal["guide", "lab", "trap bank"]
    reference: Text
    answer: Text
    expect: T | None = None


class TrueFalseKey(Record):
    """The verdict and the place of the reason."""

    verdict: bool
    reason: Place


class SpotKey(Record):
    """The lines of the culprit and the places of the symptom and of the repairs that work."""

    culprit: Places
    symptom: Place
    repair: Places


class WhyKey(Record):
    """The places of the causes whose removal takes the effect away."""

    cause: Places


class MatrixKey(Record):
    """For each bug in order, the places of the repairs that cure it; an empty list where none does."""

    repairs: Many[Annotated[Many[Place], BeforeValidator(_as_list, json_schema_input_type=int | list[int])]]


class Option(Record):
    """A text to choose, and the misconception of a person who chooses it wrongly."""

    text: Text
    misconception: str | None = None


class Claim(Option):
    """An option that is right when its probe came out true in the truth run."""

    holds: Expression


class Repair(Option):
    """An option that is right when the patched snippet satisfies `healthy`."""

    patch: Patch


class Bug(Option):
    """A change that makes a healthy snippet sick."""

    patch: Patch


class Cause(Option):
    """An option that is right when the effect disappears without it."""

    without: Patch


class Distractor(Record):
    """A value that a person with a misconception would predict."""

    value: Value
    misconception: str | None = None


class BaseItem(Record):
    """The fields that all kinds share."""

    id: ItemId
    topic: str
    level: Level
    title: Annotated[str, Field(pattern=r"\S", max_length=80)]
    prompt: Text
    parameters: dict[Name, Annotated[Many[Drawable], Field(min_length=1, max_length=64)]] = {}
    where: Many[Expression] = ()
    snippet: Code
    explanation: Text
    misconceptions: Many[str] = ()
    interview: Interview | None = None
    status: Status = "verified"
    condition: Text | None = None
    torch: str | None = None
    see_also: Many[str] = ()
    superseded_by: ItemId | None = None


class TrueFalse(BaseItem):
    """A statement, then why: both the verdict and the reason are needed."""

    kind: Literal["true_false"]
    statement: Text
    holds: Expression
    reasons: Annotated[Many[Claim], Field(min_length=2, max_length=9)]
    expect: TrueFalseKey
    source: Source[TrueFalseKey] | None = None


class SpotTheError(BaseItem):
    """Which line is the culprit, what is the symptom, and which repair works."""

    kind: Literal["spot_the_error"]
    healthy: Expression
    symptoms: Annotated[Many[Claim], Field(min_length=2, max_length=9)]
    also_heals: dict[int, Annotated[str, Field(max_length=500)]] = {}
    accept_other_lines: bool = False
    repairs: Annotated[Many[Repair], Field(min_length=2, max_length=9)]
    expect: SpotKey
    source: Source[SpotKey] | None = None


class EdgeCase(BaseItem):
    """Predict the value of one expression or of several."""

    kind: Literal["edge_case"]
    question: Text
    ask: Expression | Many[Expression]
    entry: Literal["choose", "enter"] = "choose"
    distractors: Annotated[Many[Distractor], Field(max_length=8)] = ()
    expect: Value
    source: Source[Value] | None = None

    @property
    def asks(self) -> tuple[str, ...]:
        """Return the expressions to predict, in order."""
        return (self.ask,) if isinstance(self.ask, str) else self.ask


class Why(BaseItem):
    """Pick the cause; take each away and see whether the effect goes."""

    kind: Literal["why"]
    question: Text
    effect: Expression
    causes: Annotated[Many[Cause], Field(min_length=2, max_length=9)]
    rubric: Many[Text] = ()
    expect: WhyKey
    source: Source[WhyKey] | None = None


class RepairMatrix(BaseItem):
    """A healthy snippet, bugs that break it, repairs: which repair cures which bug; every cell is run."""

    kind: Literal["repair_matrix"]
    healthy: Expression
    bugs: Annotated[Many[Bug], Field(min_length=2, max_length=5)]
    repairs: Annotated[Many[Repair], Field(min_length=2, max_length=6)]
    expect: MatrixKey
    source: Source[MatrixKey] | None = None


Item: TypeAlias = TrueFalse | SpotTheError | EdgeCase | Why | RepairMatrix
MODELS: Mapping[str, type[BaseItem]] = {
    "true_false": TrueFalse,
    "spot_the_error": SpotTheError,
    "edge_case": EdgeCase,
    "why": Why,
    "repair_matrix": RepairMatrix,
}
_ITEM: TypeAdapter[Item] = TypeAdapter(Annotated[Item, Field(discriminator="kind")])


def read_item(data: object) -> Item:
    """Return the item that `data` describes, or raise pydantic's `ValidationError` with every mistake of it."""
    return _ITEM.validate_python(data)


def read_item_json(text: str) -> Item:
    """Return the item that a JSON text describes; line numbers are strings there, as JSON has no other keys."""
    return _ITEM.validate_json(text)


def dump_item(item: Item) -> dict[str, Any]:
    """Return what the file says, as JSON data; a field the file leaves out stays out."""
    data: dict[str, Any] = item.model_dump(mode="json", exclude_unset=True)
    return data


def schema() -> dict[str, Any]:
    """Return the JSON Schema of an item file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_ITEM.json_schema(by_alias=True)}
