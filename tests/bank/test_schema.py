"""The checked-in JSON Schema is the one that the models give."""

from pathlib import Path

from app.commands.authoring import SCHEMA, schema_text

BANK = Path(__file__).parents[2] / "question_bank"


def test_checked_in_schema_is_current() -> None:
    assert (BANK / SCHEMA).read_text(encoding="utf-8") == schema_text(), "run: gradproof bank schema --write"
