"""Small banks of the tests' own: one good item of each kind, with texts a test can plant and edit."""

from pathlib import Path
from typing import Any

import yaml

ITEMS: dict[str, dict[str, Any]] = {
    "two-walks": {
        "kind": "true_false",
        "level": 1,
        "title": "Two walks",
        "prompt": "One leaf, two losses.",
        "parameters": {"w0": [2.0, 3.0]},
        "snippet": "w = torch.tensor($w0, requires_grad=True)\n(2 * w).backward()\n(5 * w).backward()\n",
        "statement": "`w.grad` is the slope of the second loss alone.",
        "holds": "w.grad.item() == 5",
        "reasons": [
            {"text": "The second call adds.", "holds": "w.grad.item() == 7"},
            {"text": "The second call replaces.", "holds": "w.grad.item() == 5", "misconception": "replaces"},
        ],
        "expect": {"verdict": False, "reason": 1},
        "explanation": "It holds {{w.grad}} at the end.",
    },
    "a-late-change": {
        "kind": "spot_the_error",
        "level": 2,
        "title": "A late change",
        "prompt": "The slope of a square is wanted.",
        "parameters": {"w0": [2.0, 4.0]},
        "snippet": (
            "w = torch.tensor($w0, requires_grad=True)\nz = w * 3\nloss = z.square()\nz.add_(1)\nloss.backward()\n"
        ),
        "healthy": "raised is None and w.grad.item() == 18 * $w0",
        "symptoms": [
            {"text": "`backward()` raises.", "holds": "raised is not None and raised_line == 5"},
            {"text": "Line 4 raises.", "holds": "raised is not None and raised_line == 4"},
        ],
        "also_heals": {3: "loss = z.clone().square()"},
        "repairs": [
            {"text": "Add into a new tensor.", "patch": {4: "changed = z.add(1)"}},
            {"text": "Add through `.data`.", "patch": {4: "z.data.add_(1)"}, "misconception": "data-safe"},
        ],
        "expect": {"culprit": 4, "symptom": 1, "repair": 1},
        "explanation": "Line 4 moves the version on.",
    },
    "three-leaves": {
        "kind": "edge_case",
        "level": 1,
        "title": "Three leaves",
        "prompt": "Three leaves, one loss.",
        "parameters": {"factor": [3.0, 2.0]},
        "snippet": (
            "a = torch.tensor(2.0, requires_grad=True)\nb = torch.tensor(3.0, requires_grad=True)\n"
            "c = torch.tensor(4.0, requires_grad=True)\n(a * b * $factor).backward()\n"
        ),
        "question": "What do `a.grad` and `c.grad` hold?",
        "ask": ["a.grad", "c.grad"],
        "entry": "enter",
        "expect": ["3.0 * $factor", None],
        "explanation": "Nothing reaches `c`.",
    },
    "a-choice-of-values": {
        "kind": "edge_case",
        "level": 1,
        "title": "A choice",
        "prompt": "One leaf.",
        "parameters": {"k": [3.0, 2.0]},
        "snippet": "a = torch.tensor(2.0, requires_grad=True)\n(a * $k).backward()\n",
        "question": "What does `a.grad` hold?",
        "ask": "a.grad",
        "distractors": [{"value": None}, {"value": 11.5}],
        "expect": "$k",
        "explanation": "The slope.",
    },
    "a-square-and-more": {
        "kind": "why",
        "level": 2,
        "title": "A square and more",
        "prompt": "The slope of `x.square()` alone would be \\( 2x \\).",
        "parameters": {"x0": [3.0, 5.0]},
        "snippet": (
            "x = torch.tensor($x0, requires_grad=True)\ny = torch.tensor(4.0, requires_grad=True)\n"
            "loss = x.square() + x * y\nloss.backward()\n"
        ),
        "question": "Why is `x.grad` larger?",
        "effect": "x.grad.item() > 2 * $x0",
        "causes": [
            {"text": "The product adds its slope.", "without": {3: "loss = x.square() + x.detach() * y"}},
            {"text": "`y` requires a gradient.", "without": {2: "y = torch.tensor(4.0)"}},
        ],
        "rubric": ["names both paths"],
        "expect": {"cause": 1},
        "explanation": "Two paths.",
    },
    "one-slope-two-bugs": {
        "kind": "repair_matrix",
        "level": 2,
        "title": "One slope, two bugs",
        "prompt": "The slope of a square is wanted.",
        "parameters": {"w0": [2.0, 3.0]},
        "snippet": (
            "w = torch.tensor($w0, requires_grad=True)\nloss = w.square()\n"
            "loss.backward(retain_graph=True)\nloss.backward()\n"
        ),
        "healthy": "raised is None and w.grad.item() == 4 * $w0",
        "bugs": [
            {"text": "The leaf is detached.", "patch": {2: "loss = w.detach().square()"}},
            {"text": "The first call keeps nothing.", "patch": {3: "loss.backward()"}},
        ],
        "repairs": [
            {"text": "Use the leaf itself.", "patch": {2: "loss = w.square()"}},
            {"text": "Keep the graph.", "patch": {3: "loss.backward(retain_graph=True)"}, "misconception": "keeps"},
        ],
        "expect": {"repairs": [1, 2]},
        "explanation": "Each bug has a cause of its own.",
    },
}

MISCONCEPTIONS = [
    {"id": "replaces", "sentence": "A call replaces the gradient.", "axis": "accumulation"},
    {"id": "keeps", "sentence": "Keeping the graph cures all.", "axis": "graph connectivity"},
    {"id": "data-safe", "sentence": "`.data` is safe.", "axis": "storage aliasing"},
]


def write_bank(folder: Path, items: dict[str, dict[str, Any]] | None = None) -> Path:
    """Write a bank with one topic and return its folder."""
    topic = folder / "basics"
    topic.mkdir(parents=True, exist_ok=True)
    (folder / "topics.yaml").write_text(
        yaml.safe_dump([{"id": "basics", "title": "The basics", "introduction": "Where to begin."}])
    )
    (folder / "misconceptions.yaml").write_text(yaml.safe_dump(MISCONCEPTIONS))
    for item_id, item in (ITEMS if items is None else items).items():
        data = {"id": item_id, "topic": "basics", **item}
        (topic / f"{item_id}.yaml").write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True))
    return folder
