"""What takes more than one field of an item to judge: code that compiles, lines that exist, parameters in use."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.bank.catalog import options_of
from app.bank.documents import Document, Place
from app.bank.expressions import ExpressionError, evaluate
from app.bank.item import EdgeCase, Item, RepairMatrix, SpotTheError, TrueFalse, Why
from app.bank.parts import answers
from app.bank.snippets import (
    PARAMETER,
    QUOTED,
    fill,
    lines_of,
    literal,
    parameters_in,
    patched,
    syntax_flaw,
)
from app.bank.variants import MOST_ENUMERATED, NoVariantError, allowed, combination, draw, size, with_parameters

MAX_LINES = 25
MAX_COLUMNS = 72
MAX_RUNS = 16  # what one job of the sandbox takes
MAX_COMBINATIONS = 10_000_000


@dataclass(frozen=True, slots=True)
class Known:
    """What an item may refer to; `None` where it is not known and so not checked."""

    topics: frozenset[str] | None = None
    misconceptions: frozenset[str] | None = None


def check_item(item: Item, document: Document, known: Known) -> None:
    """Report to `document` everything that is wrong with an item whose fields are all of the right type."""
    _check_parameters(item, document)
    _check_where(item, document)
    before = len(document.problems)
    literals = {name: literal(values[0]) for name, values in item.parameters.items()}
    _check_snippet(item, document, literals)
    _check_code(item, document, literals)
    _check_expectations(item, document)
    _check_values(item, document)
    _check_names(item, document, known)
    _check_status(item, document)
    if len(document.problems) == before:
        _check_drawable(item, document)


def _texts(data: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    if isinstance(data, str):
        yield place, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _texts(value, (*place, key))
    elif isinstance(data, list | tuple):
        for index, value in enumerate(data):
            yield from _texts(value, (*place, index))


def _check_parameters(item: Item, document: Document) -> None:
    used = parameters_in(item.snippet)
    for name in item.parameters:
        if name not in used:
            document.report(("parameters", name), f"The snippet has no `${name}`. Use the parameter or remove it.")
    if len(item.parameters) > 8 or size(item) > MAX_COMBINATIONS:
        document.report(("parameters",), "There are too many parameters or values. Keep eight, and fewer values.")
    for place, text in _texts(document.data):
        if place[0] in ("id", "kind", "topic", "parameters"):
            continue
        for name in sorted(parameters_in(text) - set(item.parameters)):
            line = _line_of(document, place, text, f"${name}")
            document.report(place, f"`${name}` is not a parameter. Declare it, or correct its name.", line)
        if "$" in PARAMETER.sub("", text):
            document.report(place, r"A dollar is always a parameter. Write maths as \( … \), and drop the dollar.")


def _line_of(document: Document, place: Place, text: str, wanted: str) -> int:
    """Return the line of the file on which a part of a text stands."""
    start = document.contents.get(place, document.line(place))
    return start + (text[: text.find(wanted)].count("\n") if start > document.line(place) else 0)


def _check_where(item: Item, document: Document) -> None:
    count = len(document.problems)
    first = combination(item, 0)
    literals = {name: literal(value) for name, value in first.items()}
    for index, condition in enumerate(item.where):
        try:
            evaluate(fill(condition, literals))
        except ExpressionError as error:
            document.report(("where", index), error.message)
    if item.where and count == len(document.problems):
        tried = range(min(size(item), MOST_ENUMERATED))
        if not any(allowed(item, combination(item, index)) for index in tried):
            document.report(("where",), "No values of the parameters satisfy this. Widen the values or relax it.")


def _check_drawable(item: Item, document: Document) -> None:
    """Report an item of which no variant can be shown; the sentence is that of its first variant's flaw."""
    try:
        draw(item, 0)
    except NoVariantError as error:
        flaws = with_parameters(item, combination(item, 0)).flaws
        reason = flaws[0] if flaws else error.message
        document.report(("kind",), f"No variant can be shown. {reason} Tell its options apart, or widen its values.")


def _check_snippet(item: Item, document: Document, literals: Mapping[str, str]) -> None:
    start = document.contents.get(("snippet",), document.line(("snippet",)))
    flaw = syntax_flaw(fill(item.snippet, literals))
    if flaw is not None:
        line = start + flaw.line - 1
        document.report(("snippet",), f"Line {flaw.line} is not valid Python: {flaw.message}. Correct it.", line)
    longest = {name: max(map(literal, values), key=len) for name, values in item.parameters.items()}
    lines = lines_of(fill(item.snippet, longest))
    if len(lines) > MAX_LINES:
        document.report(("snippet",), f"The snippet has {len(lines)} lines. Shorten it to {MAX_LINES}.")
    for number, text in enumerate(lines, 1):
        if len(text) > MAX_COLUMNS:
            message = f"Line {number} is {len(text)} columns wide. Break it before column {MAX_COLUMNS}."
            document.report(("snippet",), message, start + number - 1)


def _patches(item: Item) -> Iterator[tuple[Place, Mapping[int, str]]]:
    """Yield every patch with its place; each line of `also_heals` is a patch of its own."""
    for name, field in (("bugs", "patch"), ("repairs", "patch"), ("causes", "without")):
        for index, option in enumerate(getattr(item, name, ())):
            yield (name, index, field), getattr(option, field)
    for line, text in item.also_heals.items() if isinstance(item, SpotTheError) else ():
        yield ("also_heals",), {line: text}


def _probes(item: Item) -> Iterator[tuple[Place, str]]:
    """Yield every expression that will be evaluated in the sandbox, with its place."""
    for name in ("holds", "healthy", "effect"):
        if hasattr(item, name):
            yield (name,), getattr(item, name)
    for name in ("reasons", "symptoms"):
        for index, claim in enumerate(getattr(item, name, ())):
            yield (name, index, "holds"), claim.holds
    if isinstance(item, EdgeCase):
        single = isinstance(item.ask, str)
        yield from ((("ask",) if single else ("ask", index), ask) for index, ask in enumerate(item.asks))


def _check_code(item: Item, document: Document, literals: Mapping[str, str]) -> None:
    for place, probe in _probes(item):
        flaw = syntax_flaw(fill(probe, literals), expression=True)
        if flaw is not None:
            document.report(place, f"The probe is not a Python expression: {flaw.message}. Correct it.")
    _check_patches(item, document, literals)
    for quote in QUOTED.findall(item.explanation):
        flaw = syntax_flaw(fill(quote, literals), expression=True)
        if flaw is not None:
            line = _line_of(document, ("explanation",), item.explanation, quote)
            message = f"`{{{{{quote}}}}}` is not a Python expression: {flaw.message}."
            document.report(("explanation",), message, line)
    follow_ups = item.interview.follow_ups if item.interview else ()
    for index, follow_up in enumerate(follow_ups):
        flaw = syntax_flaw(fill(follow_up.snippet or "", literals))
        if flaw is not None:
            place = ("interview", "follow_ups", index, "snippet")
            start = document.contents.get(place, document.line(place))
            document.report(place, f"It is not valid Python: {flaw.message}. Correct it.", start + flaw.line - 1)


def _check_patches(item: Item, document: Document, literals: Mapping[str, str]) -> None:
    lines = lines_of(item.snippet)
    for place, patch in _patches(item):
        outside = [number for number in patch if not 1 <= number <= len(lines)]
        for number in outside:
            document.report((*place, number), f"The snippet has no line {number}; it has {len(lines)}. Correct it.")
        restores = isinstance(item, RepairMatrix) and place[0] == "repairs"  # it undoes what a bug did to the line
        for number, text in ({} if restores else patch).items():
            if number not in outside and text.rstrip() == lines[number - 1].rstrip():
                document.report((*place, number), f"The patch leaves line {number} as it is. Change it.")
        code = fill(patched(item.snippet, patch), literals)
        if not outside and syntax_flaw(code) and not syntax_flaw(fill(item.snippet, literals)):
            message = "The patched snippet is not valid Python. Correct the patch; keep the indentation."
            document.report((*place, next(iter(patch))), message)


def _check_expectations(item: Item, document: Document) -> None:
    source = item.source.expect if item.source is not None else None
    if isinstance(item, RepairMatrix):
        _check_matrix(item, document)
    for start, key in ((("expect",), item.expect), (("source", "expect"), source)):
        for name, place, count in _counted(item, key):
            if not 1 <= place <= count:
                message = f"There is no {name} {place}; there are {count}, counted from 1. Correct it."
                document.report((*start, name), message)
    if isinstance(item, SpotTheError):
        blank = [number for number, line in enumerate(lines_of(item.snippet), 1) if not line.strip()]
        if set(blank) & set(item.expect.culprit):
            document.report(("expect", "culprit"), "This line of the snippet is blank. Name the line of the culprit.")


def _check_matrix(item: RepairMatrix, document: Document) -> None:
    runs = 1 + len(item.bugs) * (1 + len(item.repairs))
    if runs > MAX_RUNS:
        document.report(("repairs",), f"All cells together are {runs} runs. Keep {MAX_RUNS}: fewer bugs or repairs.")
    for place, key in (
        (("expect", "repairs"), item.expect),
        (("source", "expect"), item.source and item.source.expect),
    ):
        if key and len(key.repairs) != len(item.bugs):
            document.report(
                place, f"There are {len(item.bugs)} bugs: list the repairs of each, [] where none cures it."
            )


def _counted(item: Item, key: Any) -> Iterator[tuple[str, int, int]]:
    """Yield (name, place, how many there are) for each place that a key names."""
    match item:
        case TrueFalse() if key is not None:
            yield "reason", key.reason, len(item.reasons)
        case SpotTheError() if key is not None:
            yield from (("culprit", line, len(lines_of(item.snippet))) for line in key.culprit)
            yield "symptom", key.symptom, len(item.symptoms)
            yield from (("repair", place, len(item.repairs)) for place in key.repair)
        case RepairMatrix() if key is not None:
            for repairs in key.repairs:
                yield from (("repairs", place, len(item.repairs)) for place in repairs)
        case Why() if key is not None:
            yield from (("cause", place, len(item.causes)) for place in key.cause)


def _check_values(item: Item, document: Document) -> None:
    if not isinstance(item, EdgeCase):
        return
    if item.entry == "choose" and not item.distractors:
        document.report(("distractors",), "There is nothing to choose from. Add distractors, or write `entry: enter`.")
    values: list[tuple[Place, Any]] = [(("expect",), item.expect)]
    values += [(("distractors", index, "value"), option.value) for index, option in enumerate(item.distractors)]
    for place, value in values:
        _check_value(item, document, place, value)


def _check_value(item: EdgeCase, document: Document, place: Place, value: Any) -> None:
    asks = 1 if isinstance(item.ask, str) else len(item.asks)
    raises = isinstance(value, dict) and "raises" in value
    if not isinstance(item.ask, str) and not raises and not (isinstance(value, list) and len(value) == asks):
        document.report(place, f"`ask` is a list of {asks}, so this is a list of {asks} values, or {{raises: X}}.")
    try:
        alone = item.model_copy(update={"expect": value, "distractors": ()})
        shown = with_parameters(alone, _representative(item)).item
        if isinstance(shown, EdgeCase):
            answers(shown)
    except (ExpressionError, NoVariantError) as error:
        document.report(place, error.message)


def _representative(item: Item) -> dict[str, Any]:
    """Return the first combination of parameters that `where:` allows, or the very first."""
    tried = (combination(item, index) for index in range(min(size(item), MOST_ENUMERATED)))
    return next((found for found in tried if allowed(item, found)), combination(item, 0))


def _check_names(item: Item, document: Document, known: Known) -> None:
    if known.topics is not None and item.topic not in known.topics:
        document.report(("topic",), f"`{item.topic}` is not in topics.yaml. Add it there, or correct it.")
    if known.misconceptions is None:
        return
    places: list[tuple[Place, str]] = [(("misconceptions", i), name) for i, name in enumerate(item.misconceptions)]
    counts: dict[str, int] = {}
    for name, option in options_of(item):
        index = counts[name] = counts.get(name, -1) + 1
        if option.misconception is not None:
            places.append(((name, index, "misconception"), option.misconception))
    for place, misconception in places:
        if misconception not in known.misconceptions:
            document.report(place, f"`{misconception}` is not in misconceptions.yaml. Add it there, or correct it.")


def _check_status(item: Item, document: Document) -> None:
    declared = "status" in item.model_fields_set
    contradicts = source_disagrees(item)
    if item.status == "conditional" and item.condition is None:
        document.report(("status",), "A conditional item says what its claim leaves out. Add `condition:`.")
    if item.status == "version_dependent" and item.torch is None:
        document.report(("status",), "A version dependent item says which versions it holds for. Add `torch:`.")
    if item.status == "disputed" and not contradicts:
        document.report(("status",), "Nothing is disputed: `source.expect` is absent or the same as `expect`.")
    if declared and item.status == "verified" and contradicts:
        document.report(("status",), "The source expects another key, so this is disputed. Remove `status:`.")


def source_disagrees(item: Item) -> bool:
    """Say whether the source would give another key than the item, for some values of the parameters."""
    if item.source is None or "expect" not in item.source.model_fields_set:
        return False
    if not isinstance(item, EdgeCase):
        return item.source.expect is not None and bool(item.source.expect != item.expect)
    from_source = item.model_copy(update={"expect": item.source.expect, "distractors": ()})
    from_item = item.model_copy(update={"distractors": ()})
    return any(
        _answer(from_source, combination(item, index)) != _answer(from_item, combination(item, index))
        for index in range(min(size(item), 64))
        if allowed(item, combination(item, index))
    )


def _answer(item: EdgeCase, parameters: Mapping[str, Any]) -> Any:
    try:
        shown = with_parameters(item, parameters).item
        return answers(shown)["1"] if isinstance(shown, EdgeCase) else None
    except (ExpressionError, NoVariantError):
        return None
