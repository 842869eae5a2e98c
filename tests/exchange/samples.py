"""Questions for the tests of every format, and the ways to write and read them."""

import string

from hypothesis import strategies as st

from app.exchange.questions import Answer, Parcel, Question

CHOICE = Question(
    id="two-walks",
    title="Two walks: {a} = #1 ~ 2",
    form="choice",
    text="One leaf, *two* losses.\n\nWhat is \\( 2x \\)?",
    answers=(Answer("`a = {1: 2}`", right=True), Answer("50% ~ of it # all", right=False, feedback="No: it adds.")),
    snippet="w = torch.tensor({1: 2})\n\n\nif w:\n    print('a~b=c#d\\n')",
    explanation="It is `x`.\n\nReally: {so}.",
    tags=("leaves", "level 1"),
)
TRUTH = Question("a-truth", "A truth", "true_false", "It holds.", (Answer("True", True), Answer("False", False)))
SHORT = Question("a-word", "A word", "short", "Which?", (Answer("RuntimeError", right=True),))
NUMBER = Question("a-number", "A number", "number", "How many?", (Answer("2.5", right=True),), tolerance="0.1")
ALL = (CHOICE, TRUTH, SHORT, NUMBER)

# What people write: letters, the characters every format reserves, and line breaks.
words = st.text(alphabet=string.ascii_letters + string.digits + "~=#{}:\\%&<>\"'`*_[]()->$!@|/é☃ \n", max_size=60)


def parcel_of(*questions: Question) -> Parcel:
    """Return questions as a parcel."""
    return Parcel(questions=list(questions))
