"""A variant: an item with its parameters drawn, every `$name` replaced, and its options put in an order.

Each element (a parameter, the order of one part's options) draws from a sub-seed of its own, a hash of the variant's
seed, the item's id and the element's name, so that adding a parameter to an item does not change what the others
draw. A variant that `where:` forbids, or whose options collide, is never drawn.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from app.bank.expressions import ExpressionError, evaluate
from app.bank.item import Item, dump_item, read_item, read_item_json
from app.bank.parts import Part, flaws_of, option_ids, parts_of
from app.bank.snippets import fill, fill_all, literal
from app.errors import ConflictError, GradproofError

FORMAT = 1
TRIES = 32
MOST_ENUMERATED = 4096
_UNFILLED = frozenset({"id", "kind", "topic", "parameters", "where"})


class NoVariantError(ConflictError):
    """Every draw of this item is refused: `where:` forbids it, or its options collide."""

    title = "This item cannot be drawn"


class FrozenVariantError(GradproofError):
    """The stored copy of a variant cannot be read."""

    status = 500
    title = "This stored item cannot be read"


@dataclass(frozen=True, slots=True)
class Variant:
    """An item as shown: `item` has every `$name` replaced, `orders` holds each part's option ids as displayed.

    `content_hash` is that of the item before the draw, so that a changed file is noticed.
    """

    item: Item
    parameters: dict[str, Any]
    sub_seed: int
    content_hash: str
    orders: dict[str, tuple[str, ...]]

    @property
    def parts(self) -> tuple[Part, ...]:
        """Return what is asked, part by part, with options in display order."""
        return parts_of(self.item, self.orders)

    @property
    def flaws(self) -> tuple[str, ...]:
        """Return a sentence per pair of options that collide; such a variant is never drawn."""
        return flaws_of(self.item)


@dataclass(frozen=True, slots=True)
class Survey:
    """The variants of an item: all of them (`exhaustive`) or a sample; `refused` are those whose options collide."""

    variants: tuple[Variant, ...]
    refused: tuple[Variant, ...]
    exhaustive: bool


def draw(item: Item, sub_seed: int) -> Variant:
    """Return the variant that `sub_seed` stands for, or raise `NoVariantError`."""
    for parameters in _tries(item, sub_seed):
        if allowed(item, parameters):
            variant = with_parameters(item, parameters, sub_seed)
            if not variant.flaws:
                return variant
    raise NoVariantError(f"No values of the parameters of `{item.id}` give a variant. Its author has to widen them.")


def variants(item: Item, limit: int) -> list[Variant]:
    """Return every distinct variant up to `limit`, then a seeded sample of that many."""
    return list(survey(item, limit).variants)


def survey(item: Item, limit: int) -> Survey:
    """Look at the variants of an item; its `sub_seed` is a number of its own here, and orders the options only."""
    combinations, exhaustive = _combinations(item, limit)
    made = [with_parameters(item, parameters, number) for number, parameters in enumerate(combinations)]
    return Survey(
        variants=tuple(variant for variant in made if not variant.flaws),
        refused=tuple(variant for variant in made if variant.flaws),
        exhaustive=exhaustive,
    )


def with_parameters(item: Item, parameters: Mapping[str, Any], sub_seed: int = 0) -> Variant:
    """Return the item with these very values filled in, whether `where:` allows them or not."""
    literals = {name: literal(value) for name, value in parameters.items()}
    data = item.model_dump(exclude_unset=True)
    filled = {key: value if key in _UNFILLED else fill_all(value, literals) for key, value in data.items()}
    try:
        shown = read_item(filled) if literals else item
    except ValidationError as error:
        problem = error.errors()[0]["msg"]
        raise NoVariantError(f"`{item.id}` with {dict(parameters)} breaks a limit: {problem}.") from error
    orders = {part: _order(sub_seed, item.id, part, ids) for part, ids in option_ids(shown).items()}
    return Variant(shown, dict(parameters), sub_seed, content_hash(item), orders)


def allowed(item: Item, parameters: Mapping[str, Any]) -> bool:
    """Say whether every `where:` holds; one that cannot be computed does not (`ExpressionError` is for the loader)."""
    literals = {name: literal(value) for name, value in parameters.items()}
    try:
        return all(evaluate(fill(condition, literals)) for condition in item.where)
    except ExpressionError:
        return False


def content_hash(item: Item) -> str:
    """Return the SHA-256 of the canonical JSON of what the item's file says."""
    return hashlib.sha256(canonical(dump_item(item)).encode()).hexdigest()


def canonical(data: object) -> str:
    """Return JSON that is the same text for the same data, whatever order its keys came in."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def to_json(variant: Variant) -> dict[str, Any]:
    """Return the copy that is stored with an attempt; reading it needs no bank."""
    return {
        "format": FORMAT,
        "item": dump_item(variant.item),
        "parameters": variant.parameters,
        "sub_seed": variant.sub_seed,
        "content_hash": variant.content_hash,
        "orders": {part: list(ids) for part, ids in variant.orders.items()},
    }


def from_json(data: Mapping[str, Any]) -> Variant:
    """Read what `to_json` wrote, or raise `FrozenVariantError`."""
    if data.get("format") != FORMAT:
        raise FrozenVariantError(f"A stored item has format {data.get('format')!r}; this version reads {FORMAT}.")
    try:
        return Variant(
            item=read_item_json(json.dumps(data["item"])),
            parameters=dict(data["parameters"]),
            sub_seed=int(data["sub_seed"]),
            content_hash=str(data["content_hash"]),
            orders={part: tuple(ids) for part, ids in data["orders"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FrozenVariantError("A stored item is damaged. Restore it from a backup.") from error


def _number(*element: object) -> int:
    """Return a number that depends on every part of an element's name and on nothing else."""
    return int.from_bytes(hashlib.sha256(":".join(map(str, element)).encode()).digest()[:8], "big")


def _order(sub_seed: int, item_id: str, part: str, ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(ids, key=lambda option: _number(sub_seed, item_id, "order", part, option)))


def _tries(item: Item, sub_seed: int) -> Iterator[dict[str, Any]]:
    """Yield draws until one is accepted: independent ones first, then every combination from a drawn place on."""
    for attempt in range(TRIES if item.parameters else 1):
        yield {
            name: values[_number(sub_seed, item.id, name, attempt) % len(values)]
            for name, values in item.parameters.items()
        }
    total = size(item)
    start = _number(sub_seed, item.id, "enumeration") % total
    for step in range(min(total, MOST_ENUMERATED)):
        yield combination(item, (start + step) % total)


def size(item: Item) -> int:
    """Return how many combinations of parameters there are, `where:` aside."""
    return math.prod(len(values) for values in item.parameters.values())


def combination(item: Item, index: int) -> dict[str, Any]:
    """Return the combination of this index, from 0 to `size(item) - 1`."""
    chosen = {}
    for name, values in item.parameters.items():
        index, place = divmod(index, len(values))
        chosen[name] = values[place]
    return chosen


def _combinations(item: Item, limit: int) -> tuple[list[dict[str, Any]], bool]:
    """Return at most `limit` distinct combinations that `where:` allows, and whether there are no others."""
    total = size(item)
    indices: Iterable[int] = range(total)
    if total > MOST_ENUMERATED:
        indices = dict.fromkeys(_number(item.id, "sample", step) % total for step in range(MOST_ENUMERATED))
    fitting = [index for index in indices if allowed(item, combination(item, index))]
    if len(fitting) > limit:
        fitting = sorted(sorted(fitting, key=lambda index: _number(item.id, "sample", index))[:limit])
        return [combination(item, index) for index in fitting], False
    return [combination(item, index) for index in fitting], total <= MOST_ENUMERATED
