"""The quizzes that ship with the bank: read without a problem, and a selection that keeps their rules exists."""

import random
from pathlib import Path
from uuid import UUID, uuid5

import pytest

from app.bank.catalog import Bank, misconceptions_of
from app.bank.loader import load
from app.hiring.ready_made import ReadyMade, load_ready_made
from app.hiring.selection import Candidate, Place, select_variants
from app.settings import resource_dir

NAMESPACE = UUID(int=1)


@pytest.fixture(scope="module")
def bank() -> Bank:
    return load(resource_dir("question_bank"))


def test_five_quizzes_ship_without_a_problem(bank: Bank) -> None:
    made, problems = load_ready_made(resource_dir("question_bank"), bank)
    assert problems == {}
    assert len(made) >= 5
    assert all(one.items >= 8 and one.about and one.settings.introduction for one in made)


def candidates_of(quiz: ReadyMade, bank: Bank) -> tuple[list[Candidate], list[Place]]:
    pool, places = [], []
    for number, slot in enumerate(quiz.slots):
        slot_id = uuid5(NAMESPACE, f"{quiz.id} {number}")
        items = bank.select(topic=slot.topic or None, kind=slot.kind or None, level=slot.level or None)
        pool += [
            Candidate(uuid5(slot_id, item.id), slot_id, item.id, frozenset(misconceptions_of(item))) for item in items
        ]
        places.append(Place(slot_id, slot.count, slot.points, fixed=False))
    return pool, places


def test_no_ready_made_quiz_needs_one_misconception_twice(bank: Bank) -> None:
    made, _ = load_ready_made(resource_dir("question_bank"), bank)
    for quiz in made:
        pool, places = candidates_of(quiz, bank)
        by_id = {one.id: one for one in pool}
        for seed in range(20):
            chosen = select_variants(pool, places, random.Random(seed), repeat_misconceptions=False, shuffled=True)
            names = [name for one in chosen for name in by_id[one.id].misconceptions]
            assert len(names) == len(set(names)), quiz.id
            assert len(chosen) == quiz.items


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("title: x\n", "about"),
        ("title: [", "flow"),
        ("title: x\nabout: y\nminutes: 10\nslots:\n  - {item: no-such-item}\n", "no item no-such-item"),
        ("title: x\nabout: y\nminutes: 10\nslots:\n  - {topic: nowhere}\n", "no topic nowhere"),
        ("title: x\nabout: y\nminutes: 10\nslots:\n  - {kind: riddle}\n", "no kind riddle"),
        ("title: x\nabout: y\nminutes: 10\nslots:\n  - {topic: clipping, kind: edge_case, count: 40}\n", "finds"),
        ("title: x\nabout: y\nminutes: yes\nslots:\n  - {level: 1}\n", "minutes"),
        ("title: x\nabout: y\nminutes: 10\nmore: 1\nslots:\n  - {level: 1}\n", "more"),
    ],
)
def test_file_with_a_problem_is_left_out_and_named(bank: Bank, tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "quizzes").mkdir()
    (tmp_path / "quizzes" / "bad.yaml").write_text(text)
    made, problems = load_ready_made(tmp_path, bank)
    assert made == []
    assert says in problems["bad.yaml"]
