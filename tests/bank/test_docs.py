"""The documentation of the item format names every field, every value a field may take, and works as shown."""

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from app.bank import item
from app.bank.loader import AXES, check

DOCS = (Path(__file__).parents[2] / "docs" / "items.md").read_text(encoding="utf-8")
MODELS = [
    found
    for found in vars(item).values()
    if isinstance(found, type) and issubclass(found, BaseModel) and found.__module__ == item.__name__
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model.__name__))
def test_every_field_is_documented(model: type[BaseModel]) -> None:
    assert [name for name in model.model_fields if f"`{name}`" not in DOCS] == []


@pytest.mark.parametrize("axis", AXES)
def test_every_axis_is_documented(axis: str) -> None:
    assert axis in DOCS


@pytest.mark.parametrize("kind", item.KINDS)
def test_example_of_each_kind_is_a_good_item(kind: str) -> None:
    examples = [text for text in re.findall(r"```yaml\n(.*?)```", DOCS, re.DOTALL) if f"kind: {kind}\n" in text]
    assert examples
    for text in examples:
        assert check(text.encode(), "example.yaml").problems == ()


def test_item_that_authoring_builds_is_a_good_item() -> None:
    authoring = (Path(__file__).parents[2] / "docs" / "authoring.md").read_text(encoding="utf-8")
    (built,) = [text for text in re.findall(r"```yaml\n(.*?)```", authoring, re.DOTALL) if text.startswith("id: ")]
    assert check(built.encode(), "example.yaml").problems == ()
