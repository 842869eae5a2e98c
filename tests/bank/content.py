"""Small items of every kind, as YAML text, and a folder to put them in."""

from pathlib import Path

from hypothesis import HealthCheck, settings

from app.bank.catalog import Bank
from app.bank.item import Item
from app.bank.loader import check, load

# A busy machine is no failure: no example has a deadline.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

TOPICS = """\
- id: accumulation
  title: Accumulation
  introduction: What a buffer holds.
- id: leaves
  title: Leaves
  introduction: Which tensors own a buffer.
"""

MISCONCEPTIONS = """\
- id: backward-overwrites
  sentence: Each pass replaces what the buffer held.
  axis: accumulation
- id: zero-is-none
  sentence: Zero and none are the same.
  axis: grad recording
"""

TRUE_FALSE = """\
id: two-passes
kind: true_false
topic: accumulation
level: 1
title: Two passes
prompt: The same loss is walked twice.
parameters:
  w0: [2.0, -3.0]
snippet: |
  w = torch.tensor($w0, requires_grad=True)
  (2 * w).backward()
  first = w.grad.item()
  (3 * w).backward()
  second = w.grad.item()
statement: After both passes the buffer holds the second gradient alone.
holds: second == 3
reasons:
  - text: Each pass adds.
    holds: second == first + 3
  - text: Each pass replaces.
    holds: second == 3
    misconception: backward-overwrites
expect: {verdict: false, reason: 1}
explanation: |
  It went from {{first}} to {{second}}.
misconceptions: [backward-overwrites]
interview:
  good_answer: [Names the rule]
  red_flags: [Guesses]
  follow_ups: [{text: And a third time?}]
"""

SPOT = """\
id: five-lines
kind: spot_the_error
topic: accumulation
level: 2
title: Five lines
prompt: The author wants a gradient.
snippet: |
  w = torch.tensor(2.0, requires_grad=True)
  z = w * 3
  loss = z.square()
  z.add_(1)
  loss.backward()
healthy: raised is None and w.grad.item() == 36
symptoms:
  - text: The pass raises.
    holds: isinstance(raised, RuntimeError)
  - text: Nothing raises.
    holds: raised is None
also_heals: {3: "loss = z.clone().square()"}
repairs:
  - text: Make a new tensor.
    patch: {4: "changed = z.add(1)"}
  - text: Keep the graph.
    patch: {5: "loss.backward(retain_graph=True)"}
expect: {culprit: 4, symptom: 1, repair: 1}
explanation: The saved value moved on.
misconceptions: [backward-overwrites]
interview:
  good_answer: [Names the rule]
  red_flags: [Guesses]
  follow_ups: [{text: And a third time?}]
"""

EDGE = """\
id: three-leaves
kind: edge_case
topic: leaves
level: 2
title: Three leaves
prompt: Two leaves, one loss.
parameters:
  factor: [2.0, 5.0]
snippet: |
  a = torch.tensor(2.0, requires_grad=True)
  c = torch.tensor(4.0, requires_grad=True)
  (a * $factor).backward()
question: What do the buffers hold?
ask: [a.grad, c.grad]
distractors:
  - value: [null, null]
    misconception: zero-is-none
  - value: ["$factor", 0.0]
expect: ["1.0 * $factor", null]
explanation: One is {{a.grad}}.
interview:
  good_answer: [Names the rule]
  red_flags: [Guesses]
  follow_ups: [{text: And a third time?}]
"""

WHY = """\
id: a-sum-of-paths
kind: why
topic: leaves
level: 3
title: Two paths
prompt: The slope of a square alone would be smaller.
snippet: |
  x = torch.tensor(3.0, requires_grad=True)
  y = torch.tensor(4.0, requires_grad=True)
  loss = x.square() + x * y
  loss.backward()
question: Why is it larger?
effect: x.grad.item() > 6
causes:
  - text: There are two paths.
    without: {3: "loss = x.square() + x.detach() * y"}
  - text: The flag on y.
    without: {2: "y = torch.tensor(4.0)"}
rubric:
  - names both paths
expect: {cause: 1}
explanation: It is {{x.grad}}.
misconceptions: [backward-overwrites]
interview:
  good_answer: [Names the rule]
  red_flags: [Guesses]
  follow_ups: [{text: And a third time?}]
"""

ALL = (TRUE_FALSE, SPOT, EDGE, WHY)


def item_of(text: str) -> Item:
    """Return the item of a text that has no mistake."""
    checked = check(text.encode(), "item.yaml")
    assert checked.item is not None, [str(problem) for problem in checked.problems]
    return checked.item


def write_bank(folder: Path, *texts: str) -> Path:
    """Write a bank with these items, each under its id and topic."""
    (folder / "topics.yaml").write_text(TOPICS, encoding="utf-8")
    (folder / "misconceptions.yaml").write_text(MISCONCEPTIONS, encoding="utf-8")
    for text in texts:
        fields = dict(line.split(": ", 1) for line in text.splitlines() if line.startswith(("id: ", "topic: ")))
        (folder / fields["topic"]).mkdir(exist_ok=True)
        (folder / fields["topic"] / f"{fields['id']}.yaml").write_text(text, encoding="utf-8")
    return folder


def bank_of(folder: Path, *texts: str) -> Bank:
    """Return the bank of these items."""
    return load(write_bank(folder, *texts))
