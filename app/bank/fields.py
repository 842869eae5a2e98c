"""Pydantic's mistakes as problems of a file: the line, the field as the author wrote it, and what to do."""

import difflib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from app.bank.documents import Document, Place
from app.bank.item import KINDS, MODELS, Item, read_item

_SCIENTIFIC = re.compile(r"[-+]?[0-9][0-9_]*(\.[0-9]*)?[eE][-+]?[0-9]+\Z")
_SCIENCE_HINT = "YAML reads it as text. Write 0.001 or 1.0e-3 (with a point and a sign)."


def read_fields(document: Document) -> Item | None:
    """Return the item of a document, or `None` after reporting every field that is wrong."""
    if not isinstance(document.data, dict):
        document.report((), "The file is no item. Write `id:`, `kind:` and the other fields as `key: value`.")
        return None
    _check_scientific(document)
    try:
        return read_item(document.data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            _report(document, dict(detail))
    return None


def _check_scientific(document: Document) -> None:
    """Report `1e-3` as a parameter: YAML makes text of it, and text is a valid parameter."""
    parameters = document.data.get("parameters")
    for name, values in parameters.items() if isinstance(parameters, dict) else ():
        for index, value in enumerate(values if isinstance(values, list) else ()):
            if isinstance(value, str) and _SCIENTIFIC.match(value):
                document.report(("parameters", name, index), f"`{value}` is not a number here: {_SCIENCE_HINT}")


def _report(document: Document, detail: Mapping[str, Any]) -> None:
    place = tuple(detail["loc"])
    if place and place[0] in KINDS and place[0] == document.data.get("kind"):
        place = place[1:]
    if detail["type"] in ("missing", "extra_forbidden"):
        parent, key = _existing(document, place[:-1]), place[-1]
        place = (*parent, key)
    elif detail["type"].startswith("union_tag"):
        place = ("kind",)
    else:
        place = _existing(document, place)
    _add(document, place, _sentence(document, place, detail))


def _add(document: Document, place: Place, message: str) -> None:
    """Add a problem once: a value that may be one of two types fails for each of them."""
    before = len(document.problems)
    document.report(place, message)
    newest = document.problems[-1]
    if any((old.line, old.field) == (newest.line, newest.field) for old in document.problems[:before]):
        document.problems.pop()


def _existing(document: Document, place: Place) -> Place:
    """Return the part of pydantic's location that is in the file, without the names of union members."""
    found: Place = ()
    data = document.data
    for part in place:
        if isinstance(data, dict) and part not in data and isinstance(part, str) and part.lstrip("-").isdigit():
            part = int(part)  # noqa: PLW2901 - pydantic names the keys of a mapping by their text
        inside = (isinstance(data, dict) and part in data) or (
            isinstance(data, list) and isinstance(part, int) and 0 <= part < len(data)
        )
        if not inside:
            continue
        data, found = data[part], (*found, part)
    return found


def _sentence(document: Document, place: Place, detail: Mapping[str, Any]) -> str:
    make = _SENTENCES.get(detail["type"])
    if make is not None:
        return make(document, place, detail)
    message = str(detail["msg"]).removeprefix("Value error, ")
    return f"{message[:1].upper()}{message[1:]}; it is {_written(detail['input'])}."


def _written(value: Any) -> str:
    """Return what a file holds, as YAML would say it, and why it is not what its author meant."""
    if isinstance(value, bool):
        return f"{str(value).lower()} (`yes`, `no`, `on` and `off` are read as true and false: quote text)"
    if isinstance(value, str) and _SCIENTIFIC.match(value):
        return f"`{value}`. {_SCIENCE_HINT[:-1]}"
    if value is None:
        return "empty"
    names: dict[type, str] = {dict: "a mapping", list: "a list"}
    return names.get(type(value), f"`{str(value)[:40]}`")


def _missing(_document: Document, place: Place, _detail: Mapping[str, Any]) -> str:
    return f"`{place[-1]}` is missing. Add it."


def _unknown(document: Document, place: Place, _detail: Mapping[str, Any]) -> str:
    known = fields_at(document.data.get("kind"), place[:-1])
    nearest = difflib.get_close_matches(str(place[-1]), known, n=1)
    hint = f"Did you mean `{nearest[0]}`?" if nearest else f"Known here: {', '.join(sorted(known))}."
    return f"`{place[-1]}` is not a field. {hint}"


def _kind(_document: Document, _place: Place, _detail: Mapping[str, Any]) -> str:
    return f"`kind` is one of {', '.join(KINDS)}. Write one of them."


def _empty(_document: Document, place: Place, _detail: Mapping[str, Any]) -> str:
    if place and place[-1] in ("id", "superseded_by"):
        return "An id is kebab-case: lower-case letters, digits and single hyphens. Rename it."
    if len(place) > 1 and place[-2] == "parameters":
        return "A parameter's name is letters, digits and underscores, and starts with a letter."
    return "The text is empty. Write it."


_SENTENCES: Mapping[str, Callable[[Document, Place, Mapping[str, Any]], str]] = {
    "missing": _missing,
    "extra_forbidden": _unknown,
    "union_tag_invalid": _kind,
    "union_tag_not_found": _kind,
    "string_pattern_mismatch": _empty,
    "string_type": lambda _d, _p, detail: f"Write text; it is {_written(detail['input'])}.",
    "int_type": lambda _d, _p, detail: f"Write a whole number; it is {_written(detail['input'])}.",
    "float_type": lambda _d, _p, detail: f"Write a number; it is {_written(detail['input'])}.",
    "bool_type": lambda _d, _p, detail: f"Write true or false; it is {_written(detail['input'])}.",
    "tuple_type": lambda _d, _p, detail: f"Write a list; it is {_written(detail['input'])}.",
    "dict_type": lambda _d, _p, detail: f"Write a mapping of `key: value`; it is {_written(detail['input'])}.",
    "model_type": lambda _d, _p, detail: f"Write a mapping of `key: value`; it is {_written(detail['input'])}.",
}


def fields_at(kind: object, place: Place) -> list[str]:
    """Return the names of the fields that may stand at a place of an item of this kind."""
    models: list[type[BaseModel]] = [MODELS[kind]] if isinstance(kind, str) and kind in MODELS else []
    for part in place:
        if isinstance(part, str):
            annotations = [model.model_fields[part].annotation for model in models if part in model.model_fields]
            models = [found for annotation in annotations for found in _models(annotation)]
    return [name for model in models for name in model.model_fields]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models an annotation mentions, however wrapped."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        return
    for argument in get_args(annotation):
        yield from _models(argument)
