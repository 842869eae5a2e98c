"""The bank's folder, read whole: every good item, and every problem of every file.

    question_bank/topics.yaml             order, titles and one-line introductions of the topics
    question_bank/misconceptions.yaml     every misconception: id, sentence, axis
    question_bank/glossary.yaml           every term: id, term, other spellings, definition (may be missing)
    question_bank/<topic>/<item-id>.yaml  one item
    question_bank/<topic>/<id>.draft.yaml a draft: named, never read as an item
    question_bank/claims.yaml             what the sources claim, read by `coverage`
    question_bank/quizzes/                ready-made quizzes, not read here

Loading never stops at a mistake and never raises on what a file holds.
"""

import difflib
import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.bank.catalog import Bank, Misconception, Topic
from app.bank.checks import Known, check_item, source_disagrees
from app.bank.coverage import CLAIMS
from app.bank.documents import MAX_LIST_BYTES, Document, read_document, read_file
from app.bank.fields import read_fields
from app.bank.glossary import GLOSSARY, read_glossary
from app.bank.item import Item
from app.bank.problems import Problem
from app.bank.rows import Columns, read_rows

TOPICS = "topics.yaml"
MISCONCEPTIONS = "misconceptions.yaml"
QUIZZES = "quizzes"
MAX_FILES = 20_000
AXES = (
    "graph connectivity",
    "storage aliasing",
    "grad recording",
    "module mode",
    "accumulation",
    "shapes and dtype",
    "numerics",
)
DRAFT = ".draft.yaml"
LISTS = (TOPICS, MISCONCEPTIONS, GLOSSARY, CLAIMS)
TOPIC_COLUMNS = Columns(("id", "title", "introduction"), optional=("reading",))
MISCONCEPTION_COLUMNS = Columns(("id", "sentence", "axis"))


@dataclass(frozen=True, slots=True)
class Checked:
    """One item's text, read: the item where it is good, and every problem."""

    item: Item | None
    problems: tuple[Problem, ...]


def load(folder: Path) -> Bank:
    """Return the bank of a folder with all its problems, sorted by file and line."""
    if not folder.is_dir():
        return Bank(problems=(Problem(_name(folder.name), 1, "", "The folder of the bank is not there. Create it."),))
    topic_file, misconception_file = (
        read_file(folder / name, name, MAX_LIST_BYTES) for name in (TOPICS, MISCONCEPTIONS)
    )
    topics = read_rows(topic_file, TOPIC_COLUMNS, Topic)
    misconceptions = read_rows(misconception_file, MISCONCEPTION_COLUMNS, Misconception)
    _check_axes(misconception_file, misconceptions)
    known = Known(frozenset(topics), frozenset(misconceptions))
    documents, drafts, misplaced = _documents(folder)
    read = [(document, _item(document, known)) for document in documents]
    items = _unique(read)
    broken = {problem.file for document in documents for problem in document.problems}
    _check_links(read, _names(documents) | set(items))  # an item whose neighbour went away is still good
    has_glossary = os.path.lexists(folder / GLOSSARY)
    glossary_file = read_file(folder / GLOSSARY, GLOSSARY, MAX_LIST_BYTES) if has_glossary else Document(GLOSSARY, [])
    glossary = read_glossary(glossary_file, {*topics, *_names(documents), *items})
    read_files = [topic_file, misconception_file, glossary_file, *documents]
    problems = [*misplaced, *(problem for document in read_files for problem in document.problems)]
    places = {topic: place for place, topic in enumerate(topics)}
    good = [items[name] for name in items if f"{items[name].topic}/{name}.yaml" not in broken]
    good.sort(key=lambda item: (places.get(item.topic, len(places)), item.level, item.id))
    return Bank(
        items={item.id: item for item in good},
        topics=tuple(topics.values()),
        misconceptions=misconceptions,
        glossary=glossary,
        drafts=tuple(drafts),
        problems=tuple(sorted(problems)),
    )


def check(
    raw: bytes,
    file: str,
    known: Known | None = None,
    *,
    taken: Mapping[str, str] | None = None,
    links: Collection[str] | None = None,
) -> Checked:
    """Read one item that is no file of the bank (an upload); `file` names it in problems.

    `taken` has a sentence for each id that it may not have; `links` are the ids it may point to, where they are known.
    """
    document = read_document(raw, file)
    item = _checked(document, known or Known())
    name = document.data.get("id") if isinstance(document.data, dict) else None
    if isinstance(name, str) and name in (taken or {}):
        document.report(("id",), (taken or {})[name])
    if links is not None:
        _check_links([(document, item)], {*links, name} if isinstance(name, str) else links)
    return Checked(None if document.problems else item, tuple(sorted(document.problems)))


def known_by(bank: Bank) -> Known:
    """Return what an item may refer to in this bank."""
    return Known(frozenset(topic.id for topic in bank.topics), frozenset(bank.misconceptions))


def _checked(document: Document, known: Known) -> Item | None:
    """Return the item of a document, with its status computed; problems go to the document."""
    if document.problems and document.data is None:
        return None
    item = read_fields(document)
    if item is None:
        return None
    check_item(item, document, known)
    if item.status == "verified" and not document.problems and source_disagrees(item):
        return item.model_copy(update={"status": "disputed"})
    return item


def _item(document: Document, known: Known) -> Item | None:
    """Return the item of a file, after judging the file's own name and folder."""
    item = _checked(document, known)
    data = document.data if isinstance(document.data, dict) else {}
    topic, _, name = document.file.partition("/")
    expected = {"id": name.removesuffix(".yaml"), "topic": topic}
    if isinstance(data.get("id"), str) and data["id"] != expected["id"]:
        document.report(("id",), f"The id is not the name of the file. Write `{expected['id']}`, or rename the file.")
    if isinstance(data.get("topic"), str) and data["topic"] != topic:
        document.report(("topic",), f"The file lies in the folder `{topic}`. Move it, or correct the topic.")
    return item


def _unique(read: Iterable[tuple[Document, Item | None]]) -> dict[str, Item]:
    """Return the items by id; a second one of the same id is a problem of its file."""
    first: dict[str, str] = {}
    items: dict[str, Item] = {}
    for document, item in read:
        data = document.data if isinstance(document.data, dict) else {}
        name = data.get("id")
        if not isinstance(name, str):
            continue
        if name in first:
            document.report(("id",), f"`{first[name]}` has the same id. An id is never used twice; choose another.")
            continue
        first[name] = document.file
        if item is not None and not document.problems:  # a misnamed file's item is not good under its id
            items[name] = item
    return items


def _check_links(read: Iterable[tuple[Document, Item | None]], names: Collection[str]) -> None:
    """Report links to items that no file has; `names` are those there are."""
    for document, item in read:
        if item is None:
            continue
        links = [(("see_also", index), link) for index, link in enumerate(item.see_also)]
        if item.superseded_by is not None:
            links.append((("superseded_by", 0), item.superseded_by))
        for place, link in links:
            if link not in names and not link.startswith("https://"):
                nearest = difflib.get_close_matches(link, names, n=1)
                hint = f"Did you mean `{nearest[0]}`?" if nearest else "Correct or remove it."
                document.report(place if place[0] == "see_also" else place[:1], f"There is no item `{link}`. {hint}")


def _names(documents: Iterable[Document]) -> set[str]:
    """Return the ids that files claim, good or not."""
    ids = [document.data.get("id") for document in documents if isinstance(document.data, dict)]
    return {name for name in ids if isinstance(name, str)}


def _documents(folder: Path) -> tuple[list[Document], list[str], list[Problem]]:
    """Return the files of all topics, read, the names of drafts, and what lies where no item belongs."""
    problems: list[Problem] = []
    documents: list[Document] = []
    drafts: list[str] = []
    for entry in _listing(folder, folder, problems):
        if entry.is_dir(follow_symlinks=False):
            if entry.name != QUIZZES:
                documents += _topic_files(Path(entry.path), folder, drafts, problems)
        elif entry.name.endswith(DRAFT):
            drafts.append(_name(entry.name))
        elif entry.name not in LISTS and entry.name.endswith((".yaml", ".yml")):
            problems.append(
                Problem(_name(entry.name), 1, "", "An item lies in the folder of its topic. Move it there.")
            )
        elif entry.is_symlink():
            problems.append(Problem(_name(entry.name), 1, "", "Links are not followed. Put the folder here itself."))
    return documents, drafts, problems


def _topic_files(topic: Path, folder: Path, drafts: list[str], problems: list[Problem]) -> list[Document]:
    documents = []
    for entry in _listing(topic, folder, problems):
        file = _name(f"{topic.name}/{entry.name}")
        if entry.name.endswith(DRAFT):
            drafts.append(file)
        elif entry.name.endswith(".yaml"):
            documents.append(read_file(Path(entry.path), file))
        elif entry.name.endswith(".yml"):
            problems.append(Problem(file, 1, "", "An item's file ends in `.yaml`. Rename it."))
        elif entry.is_dir(follow_symlinks=False):
            problems.append(Problem(file, 1, "", "A topic has no folders inside. Move its files up."))
    return documents


def _listing(place: Path, folder: Path, problems: list[Problem]) -> list[os.DirEntry[str]]:
    """Return what a folder holds, by name, without hidden entries."""
    try:
        with os.scandir(place) as entries:
            found = sorted((entry for entry in entries if not entry.name.startswith(".")), key=lambda e: e.name)
    except OSError as error:
        file = _name(str(place.relative_to(folder)))
        problems.append(Problem(file, 1, "", f"The folder cannot be read: {error.strerror}. Check its permissions."))
        return []
    if len(found) > MAX_FILES:
        problems.append(Problem(_name(place.name), 1, "", f"Only the first {MAX_FILES} files are read. Split it."))
    return found[:MAX_FILES]


def _name(text: str) -> str:
    """Return a file name that can be printed, whatever bytes it is made of."""
    return os.fsencode(text).decode("utf-8", "replace")


def _check_axes(document: Document, misconceptions: Mapping[str, Misconception]) -> None:
    rows = document.data if isinstance(document.data, list) else []
    for index, row in enumerate(rows):
        if isinstance(row, dict) and row.get("id") in list(misconceptions) and row.get("axis") not in AXES:
            document.report((index, "axis"), f"The axis is one of: {', '.join(AXES)}.")
