"""Starter items: one of each kind that loads and verifies, with a comment where its author decides something."""

import os
from collections.abc import Mapping
from pathlib import Path

from app.bank.catalog import Bank
from app.bank.checks import Known
from app.bank.item import KINDS
from app.bank.loader import DRAFT, check
from app.errors import BadRequestError, ConflictError, NotFoundError

MODELINE = "# yaml-language-server: $schema=../item.schema.json\n"
_HEAD = """\
# A starter: it verifies as it is. Replace every line, and keep it verified: gradproof bank verify ITEM_ID
# Id, title and prompt name the situation, never the outcome: the id is in the address.
id: ITEM_ID
kind: ITEM_KIND
topic: ITEM_TOPIC
level: 1                     # 1 warm-up, 2 core, 3 deep
"""
_TAIL = """\
interview:
  good_answer: [Replace this by what a good answer names]
  red_flags: [Replace this by what would worry a listener]
  follow_ups: [{text: Replace this by what to ask next}]
# source: {document: guide, reference: G1.1, answer: What the source says in your words.}   # where it comes from
# misconceptions: []         # ids of misconceptions.yaml; an option names its own
"""
_BODIES: Mapping[str, str] = {
    "true_false": """\
title: Two losses of one weight
prompt: Two losses of one weight are walked, one after the other.
parameters:                  # every one has to occur in the snippet, as $name
  a: [2.0, 3.0]
  b: [5.0, 7.0]
snippet: |
  w = torch.tensor(1.0, requires_grad=True)
  ($a * w).backward()
  first = w.grad.item()
  ($b * w).backward()
  second = w.grad.item()
statement: After both passes `w.grad` is the slope of the second loss alone.
holds: second == $b          # the probe of the statement: true or false after the snippet ended
reasons:                     # exactly one comes out true
  - text: Each pass adds its slope to what is there.
    holds: second == first + $b
  - text: Each pass starts from an empty buffer.
    holds: second == $b
  - text: Both slopes are averaged.
    holds: second == (first + $b) / 2
expect: {verdict: false, reason: 1}      # the lock: verify fails where the run says otherwise
explanation: The buffer went from {{first}} to {{second}}.       # {{ }} quotes what the run gave
""",
    "spot_the_error": """\
title: A value on the way
prompt: The author wants the slope of \\( (3w)^2 \\).
parameters:
  w0: [2.0, 3.0]
snippet: |
  w = torch.tensor($w0, requires_grad=True)
  z = w * 3
  loss = z.square()
  z.add_(1)
  loss.backward()
healthy: raised is None and w.grad.item() == 18 * $w0    # what a working snippet satisfies
symptoms:                    # claims about the snippet as shown; exactly one is true
  - text: "`backward()` raises."
    holds: raised is not None and raised_line == 5
  - text: Line 4 raises.
    holds: raised is not None and raised_line == 4
  - text: Nothing raises, and the slope is wrong.
    holds: raised is None
also_heals: {3: "loss = z.clone().square()"}     # another line that could be changed; it is run as well
repairs:                     # each patch is run and works if `healthy` holds
  - text: Add into a new tensor.
    patch: {4: "changed = z.add(1)"}
  - text: Keep the graph.
    patch: {5: "loss.backward(retain_graph=True)"}
  - text: Add through `.data`.
    patch: {4: "z.data.add_(1)"}
expect: {culprit: 4, symptom: 1, repair: 1}
explanation: "`square()` saved `z` for its backward, and line 4 wrote over it."
""",
    "edge_case": """\
title: Two weights and one loss
prompt: Only one of two weights is in the loss.
parameters:
  factor: [2.0, 5.0]
snippet: |
  a = torch.tensor(2.0, requires_grad=True)
  c = torch.tensor(4.0, requires_grad=True)
  (a * $factor).backward()
question: What do `a.grad` and `c.grad` hold?
ask: [a.grad, c.grad]        # one expression, or several
# entry: enter               # then the person types the value
distractors:                 # values that a person with a wrong belief would give
  - value: ["$factor", 0.0]
  - value: [2.0 * $factor, null]
  - value: [null, null]
expect: ["$factor", null]
explanation: The loss reaches `a`, so it has {{a.grad}}. Nothing leads to `c`.
""",
    "why": """\
title: A square and a product
prompt: The slope of `x.square()` alone would be \\( 2x \\).
parameters:
  x0: [3.0, 5.0]
snippet: |
  x = torch.tensor($x0, requires_grad=True)
  y = torch.tensor(4.0, requires_grad=True)
  loss = x.square() + x * y
  loss.backward()
question: Why is `x.grad` larger than that?
effect: x.grad.item() > 2 * $x0          # holds in the snippet as shown
causes:                      # a cause is right if the effect is gone without it
  - text: "`x` reaches the loss by a second path."
    without: {3: "loss = x.square() + x.detach() * y"}
  - text: "`y` requires a gradient as well."
    without: {2: "y = torch.tensor(4.0)"}
  - text: The square comes first in the sum.
    without: {3: "loss = x * y + x.square()"}
rubric:                      # points for marking an answer in the person's own words
  - names both paths from `x` to the loss
expect: {cause: 1}
explanation: Both paths add up to {{x.grad}}.
""",
    "repair_matrix": """\
title: One slope and two bugs
prompt: The slope of a square is wanted, twice over.
parameters:
  w0: [2.0, 3.0]
snippet: |
  w = torch.tensor($w0, requires_grad=True)
  loss = w.square()
  loss.backward(retain_graph=True)
  loss.backward()
healthy: raised is None and w.grad.item() == 4 * $w0     # holds as shown, and with no bug
bugs:
  - text: The weight is detached.
    patch: {2: "loss = w.detach().square()"}
  - text: The first call keeps nothing.
    patch: {3: "loss.backward()"}
repairs:                     # every bug is run with every repair
  - text: Use the weight itself.
    patch: {2: "loss = w.square()"}
  - text: Keep the graph.
    patch: {3: "loss.backward(retain_graph=True)"}
expect:
  repairs: [1, 2]            # for each bug the repair that cures it, [] where none does
explanation: Each bug has a cause of its own, so that no repair cures both.
""",
}


def starter(kind: str, topic: str, item_id: str) -> str:
    """Return the text of a starter item."""
    text = MODELINE + _HEAD + _BODIES[kind] + _TAIL
    for name, value in (("ITEM_ID", item_id), ("ITEM_KIND", kind), ("ITEM_TOPIC", topic)):
        text = text.replace(name, value)
    return text


def write_starter(folder: Path, bank: Bank, kind: str, topic: str, item_id: str) -> Path:
    """Write a starter into its topic's folder and return its path.

    Raises `BadRequestError` for a kind or an id that cannot be, `NotFoundError` for an unknown topic and
    `ConflictError` where the id is taken: nothing is ever overwritten.
    """
    if kind not in KINDS:
        raise BadRequestError(f"There is no kind `{kind}`. It is one of {', '.join(KINDS)}.")
    topics = [one.id for one in bank.topics]
    topic = topic or next(iter(topics), "")
    if topic not in topics:
        raise NotFoundError(f"There is no topic `{topic}`. topics.yaml has: {', '.join(topics) or 'none yet'}.")
    item_id = item_id or _free_id(folder, "a-new-item")
    text = starter(kind, topic, item_id)
    found = check(text.encode(), f"{topic}/{item_id}.yaml", Known(frozenset(topics)))
    if found.problems:
        raise BadRequestError("\n".join(map(str, found.problems)))
    if _taken(folder, item_id):
        raise ConflictError(f"The id `{item_id}` is taken, and an id is never used twice. Choose another with --id.")
    return write_new(folder / topic / f"{item_id}.yaml", text)


def write_new(path: Path, text: str) -> Path:
    """Write a file that is not there yet, and its folder.

    Raises `ConflictError` where it is, and `BadRequestError` where it cannot be written.
    """
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise ConflictError(f"{path} is there already, and nothing is overwritten. Choose another name.") from error
    except OSError as error:
        raise BadRequestError(f"{path} cannot be written: {os.strerror(error.errno or 0)}.") from error
    return path


def _taken(folder: Path, item_id: str) -> bool:
    return any(any(folder.glob(f"*/{item_id}{ending}")) for ending in (".yaml", DRAFT))


def _free_id(folder: Path, stem: str) -> str:
    names = (stem if number == 1 else f"{stem}-{number}" for number in range(1, 10_000))
    return next(name for name in names if not _taken(folder, name))
