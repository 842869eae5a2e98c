"""A question as other programs know it: a text, options, and which are right; what does not fit is a `Loss`."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from app.errors import GradproofError

Form: TypeAlias = Literal["choice", "true_false", "short", "number"]

MAX_BYTES = 8 * 1024 * 1024
MAX_QUESTIONS = 5000
MAX_TEXT = 20_000
MAX_LOSSES_PER_QUESTION = 50


class ExchangeError(GradproofError):
    """A file cannot be read or written as what it is said to be; the message has the line where there is one."""

    title = "This file cannot be exchanged"


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that could not be kept: of which question, which field, and why; `line` is 0 where no file is read."""

    subject: str
    field: str
    reason: str
    line: int = 0

    def __str__(self) -> str:
        where = f"line {self.line}: {self.subject}" if self.line else self.subject
        return f"{where}: {self.field}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Answer:
    """One option: its Markdown, whether it is said to be right, and what is said to whoever chooses it."""

    text: str
    right: bool
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """One question. Texts are Markdown with `\\( … \\)` for maths; `id` is kebab-case, or empty where none is known.

    `tolerance` is that of a number; `line` is where the question began in the file it was read from.
    """

    id: str
    title: str
    form: Form
    text: str
    answers: tuple[Answer, ...]
    snippet: str = ""
    explanation: str = ""
    tags: tuple[str, ...] = ()
    tolerance: str = ""
    line: int = 0


@dataclass(slots=True)
class Parcel:
    """What an exchange yields: the questions, and everything that could not be kept."""

    questions: list[Question] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)

    def lose(self, subject: str, where: str, reason: str, line: int = 0) -> None:
        """Add a loss, once."""
        loss = Loss(subject, where, reason, line)
        if loss not in self.losses[-MAX_LOSSES_PER_QUESTION:]:
            self.losses.append(loss)

    def take(self, question: Question) -> None:
        """Add a question, unless it is too long to be one; raise `ExchangeError` past the limit of a file."""
        texts = [question.text, question.snippet, question.explanation, question.title]
        texts += [text for answer in question.answers for text in (answer.text, answer.feedback)]
        if max(map(len, texts)) > MAX_TEXT:
            reason = f"it has a text of more than {MAX_TEXT} characters, so no draft was made of it"
            self.lose(question.title[:80] or "a question", "the question", reason, question.line)
        elif len(self.questions) >= MAX_QUESTIONS:
            raise ExchangeError(f"line {question.line}: The file has more than {MAX_QUESTIONS} questions. Split it.")
        else:
            self.questions.append(question)


def check_size(raw: bytes) -> None:
    """Raise `ExchangeError` for a file that is larger than any question bank."""
    if len(raw) > MAX_BYTES:
        line = raw[:MAX_BYTES].count(b"\n") + 1
        raise ExchangeError(f"line {line}: The file is larger than {MAX_BYTES // 1024 // 1024} MiB. Split it.")
