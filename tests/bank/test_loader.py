"""Loading: good items come through, and every mistake is a problem with file, line, field and what to do."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.bank.item import KINDS, schema
from app.bank.loader import Checked, check, known_by, load
from tests.bank.content import ALL, EDGE, SPOT, TRUE_FALSE, WHY, bank_of, write_bank


def line_of(text: str, start: str) -> int:
    """Return the line of a text that starts so, from 1."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith(start))


def test_good_items_come_in_topic_order(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, *ALL)
    assert bank.problems == ()
    assert list(bank.items) == ["two-passes", "five-lines", "three-leaves", "a-sum-of-paths"]
    assert [topic.title for topic in bank.topics] == ["Accumulation", "Leaves"]


@pytest.mark.parametrize(
    ("old", "new", "field", "says", "on"),
    [
        ("level: 1", "level: 1\nlevle: 2", "levle", "Did you mean `level`", "levle"),
        ("level: 1", "level: yes", "level", "quote", "level"),
        ("level: 1", "level: 4", "level", "3", "level"),
        ("level: 1", "level: 1\nlevel: 2", "level", "twice", "level: 2"),
        ("title: Two passes", "title: ''", "title", "empty", "title"),
        ("title: Two passes\n", "", "title", "missing", "id"),
        ("id: two-passes", "id: Two_Passes", "id", "kebab", "id"),
        ("kind: true_false", "kind: riddle", "kind", "one of", "kind"),
        ("kind: true_false\n", "", "kind", "one of", "id"),
        ("w0: [2.0, -3.0]", "w0: [2.0, -3.0]\n  lr: [1.0]", "parameters.lr", "no `$lr`", "lr:"),
        ("w0: [2.0, -3.0]", "w0: [1e-3]", "parameters.w0[1]", "1.0e-3", "w0"),
        ("w0: [2.0, -3.0]", "w0: [.nan]", "parameters.w0[1]", "finite", "w0"),
        ("w0: [2.0, -3.0]", "w0: []", "parameters.w0", "at least 1", "w0"),
        ("adds.", "adds $more.", "reasons[1].text", "`$more` is not a parameter", "- text: Each pass adds"),
        ("adds.", "costs 5$.", "reasons[1].text", "dollar", "- text: Each pass costs"),
        ("level: 1", "level: 1\nwhere: ['$w0 > 9']", "where", "satisfy", "where"),
        ("level: 1", "level: 1\nwhere: ['$w0 + ']", "where[1]", "not an expression", "where"),
        ("(3 * w).backward()", "(3 * w.backward()", "snippet", "not valid Python", "(3 * w"),
        ("first = w.grad.item()", f"first = w.grad.item()  # {'x' * 60}", "snippet", "columns wide", "first"),
        ("holds: second == 3\nreasons", "holds: second ==\nreasons", "holds", "not a Python expression", "holds"),
        ("reason: 1}", "reason: 3}", "expect.reason", "no reason 3", "expect"),
        ("reason: 1}", "reason: yes}", "expect.reason", "whole number", "expect"),
        ("{{second}}", "{{second +}}", "explanation", "not a Python expression", "It went"),
        (
            "misconception: backward-",
            "misconception: forward-",
            "reasons[2].misconception",
            "misconceptions.yaml",
            "misc",
        ),
        ("[backward-overwrites]", "[nobody]", "misconceptions[1]", "misconceptions.yaml", "misconceptions"),
        ("replaces.", "adds.", "kind", "No variant can be shown", "kind"),
        ("level: 1", "level: 1\nstatus: conditional", "status", "condition:", "status"),
        ("level: 1", "level: 1\nstatus: version_dependent", "status", "torch:", "status"),
        ("level: 1", "level: 1\nstatus: disputed", "status", "Nothing is disputed", "status"),
        ("level: 1", "level: 1\nsee_also: [two-passed]", "see_also[1]", "Did you mean `two-passes`", "see_also"),
        ("level: 1", "level: 1\nsuperseded_by: nobody", "superseded_by", "no item `nobody`", "superseded_by"),
        ("prompt: The", "prompt: `The`", "", "quotes", "prompt"),
        ("prompt: The", "prompt: note: The", "", "quotes", "prompt"),
        ("prompt: The", "prompt: &a The", "", "Anchors", "prompt"),
        ("prompt: The same loss is walked twice.", 'prompt: "\\0"', "prompt", "control", "prompt"),
        ("level: 1", "level: 1\n--- {}", "", "more than one document", "---"),
        ("level: 1", "level: 1\n2020-01-01: x", "", "a name or a line number", "2020"),
        ("level: 1", "level: 1\ncondition: 2020-01-01", "condition", "Quote it", "condition"),
        ("level: 1", "level: 1\ncondition: !!python/name:os.system x", "condition", "Quote it", "condition"),
        ("level: 1", "level: 12:30", "level", "Quote it", "level"),
        ("level: 1", f"level: {'[' * 40}{']' * 40}", "", "levels deep", "level"),
    ],
)
def test_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, field: str, *, says: str, on: str) -> None:
    assert old in TRUE_FALSE
    text = TRUE_FALSE.replace(old, new, 1)
    write_bank(tmp_path, TRUE_FALSE)
    (tmp_path / "accumulation" / "two-passes.yaml").write_text(text, encoding="utf-8")
    problems = load(tmp_path).problems
    found = [problem for problem in problems if problem.field == field and says in problem.message]
    assert found, [str(problem) for problem in problems]
    assert found[0].file == "accumulation/two-passes.yaml"
    assert found[0].line == line_of(text, on)


@pytest.mark.parametrize(
    ("base", "old", "new", "field", "says"),
    [
        (SPOT, "{5: ", "{9: ", "repairs[2].patch[9]", "no line 9"),
        (SPOT, "changed = z.add(1)", "changed = (", "repairs[1].patch[4]", "not valid Python"),
        (SPOT, "changed = z.add(1)", "z.add_(1)", "repairs[1].patch[4]", "as it is"),
        (SPOT, '{5: "loss', '{five: "loss', "repairs[2].patch.five", "whole number"),
        (SPOT, "culprit: 4", "culprit: 7", "expect.culprit", "no culprit 7"),
        (SPOT, "culprit: 4", "culprit: yes", "expect.culprit", "list"),
        (SPOT, "symptom: 1", "symptom: 3", "expect.symptom", "no symptom 3"),
        (SPOT, "repair: 1}", "repair: [1, 4]}", "expect.repair", "no repair 4"),
        (SPOT, "z = w * 3", "z = w * 3\n\n" + "\n".join(f"  a{i} = 1" for i in range(25)), "snippet", "Shorten it"),
        (WHY, "{cause: 1}", "{cause: 5}", "expect.cause", "no cause 5"),
        (WHY, "{cause: 1}", "{cause: 1, extra: 2}", "expect.extra", "not a field"),
        (EDGE, "null]\nexpl", "null, 3]\nexpl", "expect", "list of 2"),
        (EDGE, '["1.0 * $factor"', '["1.0 * factor"', "expect", "$factor"),
        (EDGE, "[null, null]", "{rises: X}", "distractors[1].value", "{raises: RuntimeError}"),
        (EDGE, "level: 2", "level: 2\nentry: type", "entry", "choose"),
        (EDGE, "[a.grad, c.grad]", "[a.grad, 3]", "ask[2]", "text"),
    ],
)
def test_mistake_of_a_kind_is_named(base: str, old: str, new: str, field: str, says: str) -> None:
    assert old in base
    problems = check(base.replace(old, new, 1).encode(), "upload.yaml").problems
    assert any(p.field == field and says in p.message for p in problems), [str(p) for p in problems]


def test_nothing_to_choose_from_is_a_problem_unless_the_answer_is_typed() -> None:
    start, end = EDGE.index("distractors:"), EDGE.index("expect:")
    bare = EDGE[:start] + EDGE[end:]
    assert [problem.field for problem in check(bare.encode(), "upload.yaml").problems] == ["distractors"]
    assert check(bare.replace("level: 2", "level: 2\nentry: enter").encode(), "upload.yaml").item is not None


def test_all_mistakes_of_a_file_are_reported_at_once() -> None:
    text = TRUE_FALSE.replace("level: 1", "level: yes").replace("title: Two passes", "titel: Two passes")
    fields = {problem.field for problem in check(text.encode(), "upload.yaml").problems}
    assert {"level", "titel", "title"} <= fields


def test_source_that_disagrees_makes_an_item_disputed() -> None:
    source = "source: {document: lab, reference: q1, answer: It is true., expect: {verdict: true, reason: 2}}\n"
    found = check((TRUE_FALSE + source).encode(), "upload.yaml")
    assert found.item is not None
    assert found.item.status == "disputed"
    contradicted = check((TRUE_FALSE + source + "status: verified\n").encode(), "upload.yaml")
    assert "disputed" in contradicted.problems[0].message


def test_source_of_an_edge_case_is_compared_by_value() -> None:
    agrees = 'source: {document: guide, reference: p, answer: Same., expect: ["$factor", null]}\n'
    differs = 'source: {document: guide, reference: p, answer: Zero., expect: ["$factor", 0.0]}\n'
    statuses = [check((EDGE + source).encode(), "upload.yaml").item for source in (agrees, differs)]
    assert [item.status for item in statuses if item is not None] == ["verified", "disputed"]


def test_item_outside_its_folder_or_name_is_a_problem(tmp_path: Path) -> None:
    write_bank(tmp_path, TRUE_FALSE)
    (tmp_path / "leaves").mkdir()
    (tmp_path / "leaves" / "other-name.yaml").write_text(TRUE_FALSE, encoding="utf-8")
    problems = {(problem.field, problem.line) for problem in load(tmp_path).problems}
    assert ("id", 1) in problems
    assert ("topic", 3) in problems
    assert any("same id" in problem.message for problem in load(tmp_path).problems)


def test_unknown_topic_is_a_problem(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, TRUE_FALSE.replace("topic: accumulation", "topic: cookery"))
    assert [problem.field for problem in bank.problems] == ["topic"]
    assert dict(bank.items) == {}


def test_bad_bytes_and_odd_files_are_problems(tmp_path: Path) -> None:
    folder = write_bank(tmp_path, TRUE_FALSE) / "accumulation"
    (folder / "latin.yaml").write_bytes(b"id: latin\ntitle: caf\xe9\n")
    (folder / "large.yaml").write_text("#" * 70_000, encoding="utf-8")
    (folder / "folder.yaml").mkdir()
    (folder / "link.yaml").symlink_to(folder / "two-passes.yaml")
    os.mkfifo(folder / "pipe.yaml")
    (folder / "short.yml").write_text("", encoding="utf-8")
    (folder / "empty.yaml").write_text("", encoding="utf-8")
    (folder / "deeper").mkdir()
    (tmp_path / "stray.yaml").write_text("", encoding="utf-8")
    bank = load(tmp_path)
    said = {problem.file.rpartition("/")[2]: (problem.line, problem.message) for problem in bank.problems}
    assert said["latin.yaml"][0] == 2
    assert "UTF-8" in said["latin.yaml"][1]
    assert "64 KiB" in said["large.yaml"][1]
    for name in ("folder.yaml", "link.yaml", "pipe.yaml"):
        assert "regular file" in said[name][1]
    assert {"short.yml", "empty.yaml", "deeper", "stray.yaml"} <= set(said)
    assert list(bank.items) == ["two-passes"]


def test_missing_folder_is_a_problem(tmp_path: Path) -> None:
    assert "not there" in load(tmp_path / "nowhere").problems[0].message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\n", "is a list"),
        ("- id: one\n", "`title` is missing"),
        ("- id: one\n  title: t\n  introduction: i\n  colour: red\n", "not a field"),
        ("- word\n", "A row has"),
        ("- {id: one, title: t, introduction: i}\n- {id: one, title: t, introduction: i}\n", "twice"),
    ],
)
def test_mistakes_of_the_topics_are_named(tmp_path: Path, text: str, says: str) -> None:
    write_bank(tmp_path)
    (tmp_path / "topics.yaml").write_text(text, encoding="utf-8")
    assert any(says in problem.message and problem.file == "topics.yaml" for problem in load(tmp_path).problems)


def test_axis_of_a_misconception_is_one_of_seven(tmp_path: Path) -> None:
    write_bank(tmp_path)
    (tmp_path / "misconceptions.yaml").write_text("- {id: a, sentence: b, axis: c}\n", encoding="utf-8")
    assert "accumulation" in load(tmp_path).problems[0].message


def test_upload_is_checked_against_a_bank(tmp_path: Path) -> None:
    known = known_by(bank_of(tmp_path))
    text = TRUE_FALSE.replace("topic: accumulation", "topic: cookery")
    assert [problem.field for problem in check(text.encode(), "upload.yaml", known).problems] == ["topic"]


def test_schema_names_every_kind() -> None:
    assert set(schema()["discriminator"]["mapping"]) == set(KINDS)


def is_orderly(checked: Checked) -> bool:
    """Say whether reading ended in an item, or in problems that all say where."""
    sound = all(p.file == "upload.yaml" and p.line >= 1 and p.message for p in checked.problems)
    return sound and (checked.item is not None) == (not checked.problems)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    text=st.sampled_from(ALL),
    place=st.integers(0, 5000),
    length=st.integers(0, 12),
    insert=st.one_of(
        st.binary(max_size=8), st.sampled_from([b": ", b"- ", b"[", b"{", b"$", b"\n", b"{{", b"*a", b"'"])
    ),
)
def test_changed_bytes_never_raise(text: str, place: int, length: int, insert: bytes) -> None:
    raw = text.encode()
    place %= len(raw)
    assert is_orderly(check(raw[:place] + insert + raw[place + length :], "upload.yaml"))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.sampled_from(ALL), data=st.data())
def test_shuffled_lines_never_raise(text: str, data: st.DataObject) -> None:
    lines = text.splitlines()
    first, second = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
    action = data.draw(st.sampled_from(["drop", "double", "swap", "join", "indent"]))
    if action == "drop":
        del lines[first]
    elif action == "double":
        lines.insert(second, lines[first])
    elif action == "swap":
        lines[first], lines[second] = lines[second], lines[first]
    elif action == "join":
        lines[first] += lines[second]
    else:
        lines[first] = "  " + lines[first]
    assert is_orderly(check("\n".join(lines).encode(), "upload.yaml"))


SCALARS = ["yes", "~", "[]", "{}", "1", "-1", "1.5", ".inf", "'$x'", "{raises: X}", "[[1]]", "1e999", "0x10", "'\\'"]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.sampled_from(ALL), place=st.integers(0, 60), value=st.sampled_from(SCALARS))
def test_changed_fields_never_raise(text: str, place: int, value: str) -> None:
    lines = text.splitlines()
    place %= len(lines)
    key, colon, _ = lines[place].partition(": ")
    lines[place] = f"{key}{colon}{value}" if colon else f"{key} {value}"
    assert is_orderly(check("\n".join(lines).encode(), "upload.yaml"))


def test_list_that_grew_with_the_bank_is_read_and_an_item_of_that_size_is_not(tmp_path: Path) -> None:
    folder = write_bank(tmp_path, TRUE_FALSE)
    registry = folder / "misconceptions.yaml"
    many = "".join(f"- {{id: m-{n}, sentence: {'word ' * 20}, axis: numerics}}\n" for n in range(1000))
    registry.write_text(registry.read_text() + many)
    assert registry.stat().st_size > 100_000
    bank = load(folder)
    assert (len(bank.items), bank.problems) == (1, ())
    assert "larger than 64 KiB" in check(TRUE_FALSE.encode() + b"#" * 70_000, "item.yaml").problems[0].message
