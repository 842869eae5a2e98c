"""A receipt: one Python file that runs a frozen variant anew and prints the key, with torch and nothing of ours.

It holds the programs of the live check, the rules that read a key from them, and the very source that observes and
compares values here, so that the two cannot drift apart. Its hash covers the programs, the rules and the frozen key.
"""

import ast
import hashlib
from collections.abc import Collection
from pathlib import Path
from pprint import pformat
from typing import Any

from app.bank.evidence import Reading
from app.bank.item import EdgeCase, Item, RepairMatrix, SpotTheError, TrueFalse, Why
from app.bank.parsing import parse
from app.bank.parts import answers
from app.bank.plans import Plan, Step, goal, plan
from app.bank.probing import RAISED, may_raise
from app.bank.variants import Variant, canonical

FORMAT = 1
_APP = Path(__file__).parent.parent
_HEAD = '''"""Receipt of {title}: runs what the key was read from, and prints the key.

Run it with `python receipt.py` where torch is installed. Nothing else is needed, and nothing is sent anywhere. It runs
the snippet as it is, without a sandbox: read it first. Exit status 0: the same key; 1: another one; 2: a run failed.
"""

from __future__ import annotations
'''
_COMPARING = {"MAX_DEPTH", "exception", "elements", "nested"}
_SHOWING = {"NON_FINITE", "fits_float32", "_fits_same_float32"}


def receipt(variant: Variant, reading: Reading) -> str:
    """Return the text of the receipt of a variant whose key was read so."""
    planned = plan(variant)
    data: dict[str, Any] = {
        "format": FORMAT,
        "item": variant.item.id,
        "content_hash": variant.content_hash,
        "programs": [{"code": one.code, "observe": list(one.observe), "seed": one.seed} for one in planned.programs],
        "rules": rules_of(variant.item, planned),
        "key": {part: sorted(right) for part, right in reading.key.right.items()},
        "torch": reading.evidence.torch,
        "python": reading.evidence.python,
    }
    data["sha256"] = hashlib.sha256(canonical(data).encode()).hexdigest()
    parts = (
        _HEAD.format(title=variant.item.id),
        "import json\nimport math\nimport struct\n",
        f"DATA = {pformat(data, width=110, sort_dicts=False)}\n",
        _source("sandbox/limits.py"),
        _source("probe/observe.py"),
        _source("bank/author_values.py", _COMPARING),
        _source("bank/showing.py", _SHOWING),
        _source("bank/values.py"),
        (_APP / "bank/receipt_runner.txt").read_text(encoding="utf-8"),
    )
    return "\n\n".join(parts)


def rules_of(item: Item, planned: Plan) -> list[list[Any]]:
    """Return (part, options, program, probe, rule): the options are right where the rule holds."""
    match item:
        case TrueFalse():
            verdicts = [["verdict", [str(one).lower()], 0, item.holds, {"is": one}] for one in (True, False)]
            return verdicts + _claims("reason", [one.holds for one in item.reasons])
        case SpotTheError():
            return _claims("symptom", [one.holds for one in item.symptoms]) + _repairs(item, planned.steps)
        case EdgeCase():
            return _values(item)
        case RepairMatrix():
            steps = [(run, one) for run, one in enumerate(planned.steps) if one.role not in {"truth", "bug"}]
            return [[one.role, [one.option], run, goal(item), {"is": True}] for run, one in steps]
        case Why():
            rule = {"is": "gone", "about_raised": RAISED.search(item.effect) is not None}
            steps = list(enumerate(planned.steps))[1:]
            return [["cause", [one.option], run, item.effect, rule] for run, one in steps]


def _claims(part: str, probes: list[str]) -> list[list[Any]]:
    return [[part, [str(place)], 0, probe, {"is": True}] for place, probe in enumerate(probes, 1)]


def _repairs(item: SpotTheError, steps: tuple[Step, ...]) -> list[list[Any]]:
    rules: list[list[Any]] = []
    for run, step in enumerate(steps):
        if step.role == "repair":
            rules.append(["repair", [step.option], run, item.healthy, {"is": True}])
        if step.role == "repair" or (step.role == "also_heals" and item.accept_other_lines):
            rules.append(["culprit", [str(line) for line in step.patch or {}], run, item.healthy, {"is": True}])
    return rules


def _values(item: EdgeCase) -> list[list[Any]]:
    expected = answers(item)
    asked = {
        "asks": list(item.asks),
        "single": isinstance(item.ask, str),
        "may_raise": may_raise(expected),
    }
    return [["value", [option], 0, "", asked | {"value": value}] for option, value in expected.items()]


def _source(path: str, names: Collection[str] = ()) -> str:
    """Return our own source without its imports of ours; of `names` alone where there are any."""
    text = (_APP / path).read_text(encoding="utf-8")
    kept = [node for node in parse(text).body if not _is_ours(node) and (not names or _names(node) & set(names))]
    return "\n\n".join(_text(text, node) for node in kept)


def _is_ours(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("app")


def _names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {one.id for one in targets if isinstance(one, ast.Name)}


def _text(text: str, node: ast.stmt) -> str:
    decorated = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(one.lineno for one in decorated)])
    return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
