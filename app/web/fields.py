"""Forms that are made of plain fields: what one shows, and how what was entered comes back with its errors."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """One entry of a select or a group of radio buttons."""

    value: str
    label: str
    help: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One labelled field. `kind` is an input type, or `textarea`, `select`, `radios` or `checkbox`.

    A checkbox is on where its value is "on". `autocomplete` is a token of HTML; `help` is one sentence below.
    """

    name: str
    label: str
    kind: str = "text"
    value: str = ""
    error: str = ""
    help: str = ""
    required: bool = True
    autocomplete: str = "off"
    choices: tuple[FieldChoice, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()  # min, max, step, maxlength, rows, accept …

    @property
    def secret(self) -> bool:
        """Say whether what was entered must not be sent back."""
        return self.kind == "password"


@dataclass(frozen=True, slots=True)
class FormView:
    """A form with one button; `danger` marks one that cannot be undone."""

    action: str
    fields: tuple[Field, ...]
    submit: str
    danger: bool = False
    files: bool = False  # sent as multipart, for an upload

    def filled(self, entered: Mapping[str, str], errors: Mapping[str, str] | None = None) -> Self:
        """Return the form with what was entered, but for passwords, and with a sentence at each field in `errors`."""
        wrong = errors or {}
        fields = tuple(
            replace(
                one,
                value="" if one.secret else entered.get(one.name, "" if one.kind == "checkbox" else one.value),
                error=wrong.get(one.name, ""),
            )
            for one in self.fields
        )
        return replace(self, fields=fields)

    @property
    def wrong(self) -> tuple[Field, ...]:
        """Return the fields that have an error."""
        return tuple(one for one in self.fields if one.error)
