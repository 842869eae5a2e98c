"""Made-up items to answer: each kind, answered or not, with and without mistakes."""

from dataclasses import replace

from app.web.samples.texts import (
    FIVE_LINES,
    FIVE_LINES_HEADING,
    LEAVES_HEADING,
    REASONS,
    SQUARE,
    SQUARE_HEADING,
    STATEMENT,
    THREE_LEAVES,
    TWO_PASSES,
    TWO_PASSES_HEADING,
)
from app.web.views import EntryView, ItemPage, Notice, OptionView, PartView, ReasonView, Shell, Tone


def options_of(texts: tuple[str, ...], chosen: int = 0, hints: str = "123456789") -> tuple[OptionView, ...]:
    return tuple(OptionView(str(n), text, None, hints[n - 1 : n], n == chosen) for n, text in enumerate(texts, start=1))


def codes_of(codes: tuple[str, ...], label: str = "") -> tuple[OptionView, ...]:
    return tuple(
        OptionView(str(n), label and f"{label} {n}", code, str(n), checked=False)
        for n, code in enumerate(codes, start=1)
    )


def pair(chosen: int = 0, error: str = "") -> PartView:
    return PartView("verdict", "The statement is", "pair", options_of(("True", "False"), chosen, "tf"), error)


def true_false(shell: Shell, verdict: int = 0, reason: int = 0, sure: int = 0) -> ItemPage:
    return ItemPage(
        shell=shell,
        heading=TWO_PASSES_HEADING,
        prompt_md="The same loss is built and walked twice.",
        snippet=TWO_PASSES,
        question_md=STATEMENT,
        parts=(pair(verdict), PartView("reason", "Because", "list", options_of(REASONS, reason), "")),
        entries=(),
        reason=None,
        confidence=options_of(("guess", "fairly sure", "certain"), sure),
        action="/practice/two-backward-passes",
        token="sample",  # noqa: S106  # no token at all
    )


def with_errors(page: ItemPage) -> ItemPage:
    verdict, reason = page.parts
    return replace(
        page,
        parts=(replace(verdict, error="Say whether the statement is true or false."), reason),
        notice=Notice(
            Tone.WRONG, "One thing is missing", "Nothing was run or stored yet. What you entered is still here."
        ),
    )


def spot_the_error(page: ItemPage) -> ItemPage:
    lines = tuple(FIVE_LINES.splitlines())
    symptoms = (
        "`backward()` raises: a value it needs was changed in place.",
        "Line 4 raises, because `z` is not a leaf.",
    )
    repairs = ("changed = z.add(1)", "loss.backward(retain_graph=True)", "z.detach().add_(1)", "z.data.add_(1)")
    return replace(
        page,
        heading=FIVE_LINES_HEADING,
        prompt_md="The author wants the gradient of \\( (3w)^2 \\).",
        snippet=FIVE_LINES,
        question_md="Something is off. Which line is the culprit, what does it cause, and which change heals it?",
        parts=(
            PartView("culprit", "The culprit", "lines", codes_of(lines, "line"), ""),
            PartView("symptom", "The symptom", "list", options_of(symptoms), ""),
            PartView("repair", "The repair", "list", codes_of(repairs), ""),
        ),
    )


def edge_case(page: ItemPage, *, free: bool) -> ItemPage:
    question = "What do `a.grad` and `c.grad` hold?"
    page = replace(page, heading=LEAVES_HEADING, snippet=THREE_LEAVES, question_md=question, prompt_md="", parts=())
    if free:
        entries = (
            EntryView("value-1", "a.grad", "0.0", ""),
            EntryView("value-2", "c.grad", "noen", "noen is no value: write None."),
        )
        return replace(page, entries=entries)
    values = ("0.0, None", "None, None", "0.0, 0.0", "3.0, None")
    return replace(page, parts=(PartView("value", "They hold", "list", codes_of(values), ""),))


def why(page: ItemPage) -> ItemPage:
    causes = (
        "`x` reaches the loss a second time, and the slopes \\( 2x + y \\) are added.",
        "`backward()` starts from a seed above one.",
    )
    return replace(
        page,
        heading=SQUARE_HEADING,
        snippet=SQUARE,
        prompt_md="The slope of `x.square()` alone would be\n\\[ \\frac{\\partial x^2}{\\partial x} = 2x \\]",
        question_md="Why is `x.grad` larger than that?",
        parts=(PartView("cause", "The cause", "list", options_of(causes, 1), ""),),
        reason=ReasonView("In your own words", "two paths\nand the chain rule"),
        notice=Notice(
            Tone.WARNING, "The sandbox is busy", "Your answer is kept below. Press the button again in a moment."
        ),
    )


def too_long(page: ItemPage) -> ItemPage:
    return replace(page, notice=None, reason=ReasonView("In your own words", "word " * 9, "At most 4000 characters."))
