"""Made-up reveals: right, partly, wrong, typed in, cut short."""

from dataclasses import replace

from app.web.samples.texts import (
    BELIEF,
    EXPLANATION,
    FIVE_LINES,
    FIVE_LINES_HEADING,
    IN_PLACE,
    LEAVES_HEADING,
    LONG_LINES,
    REASONS,
    STATEMENT,
    STRANGE,
    THREE_LEAVES,
    TWO_PASSES,
    TWO_PASSES_HEADING,
    WRONG_NOTE,
)
from app.web.views import (
    EntrySeenView,
    EvidenceView,
    FollowUpView,
    InterviewView,
    Notice,
    OptionSeenView,
    PatchView,
    RevealPage,
    RunView,
    SectionView,
    SeenView,
    Shell,
    SourceView,
    Tone,
)


def evidence_of(*runs: RunView) -> EvidenceView:
    runs = runs or (RunView("the snippet", "ran to its end", "9.1", "", "", ""),)
    return EvidenceView(
        summary="3 runs, 31 ms · torch 2.13.0 · isolated by namespaces, Landlock, seccomp",
        runs=runs,
        torch="2.13.0",
        python="3.11.2",
        layers=("namespaces", "Landlock", "seccomp"),
        checked_at="1 Dec 2026, 14:02:11 UTC",
        parameters=(("w0", "3.0"),),
    )


def _seen(
    word: str, text: str, expression: str, value: str, *, right: bool = False, yours: bool = False
) -> OptionSeenView:
    return OptionSeenView(word, right, yours, text, None, (SeenView(expression, value),), None, "", "")


def right_reveal(shell: Shell) -> RevealPage:
    reasons = (
        _seen("no", REASONS[0], "second == first", "40.0 and 20.0"),
        _seen("yes", REASONS[1], "second == 2 * first", "40.0 and 40.0", right=True, yours=True),
        _seen("no", REASONS[2], "raised is not None", "nothing was raised"),
        _seen("no", REASONS[3], "second == (20.0 + 20.0) / 2", "40.0 and 20.0"),
    )
    statement = _seen("false", STATEMENT, "second == 20.0", "40.0 and 20.0", right=True, yours=True)
    return RevealPage(
        shell=shell,
        heading=TWO_PASSES_HEADING,
        tone=Tone.RIGHT,
        verdict="Right: it is false, and for the right reason.",
        verdict_detail="You were fairly sure. Stored 14:02 UTC, before anything was shown.",
        prompt_md="",
        snippet=TWO_PASSES,
        raised_line=None,
        exception="",
        stdout="",
        question_md=STATEMENT,
        sections=(SectionView("The statement", (statement,)), SectionView("The reasons", reasons)),
        entries=(),
        own_words="",
        rubric_md=(),
        explanation_md=EXPLANATION,
        source=None,
        interview=None,
        evidence=evidence_of(),
        next_url="/practice/five-lines",
        vary_url="/practice/two-backward-passes",
    )


def partly_reveal(page: RevealPage) -> RevealPage:
    statement, reasons = page.sections
    first, second, *rest = reasons.options
    chosen = replace(first, yours=True, misconception="A backward pass overwrites the gradient that was there.")
    source = SourceView(
        "conditional",
        "Autograd notes",
        "question 12",
        "The gradients are summed.",
        "`w.grad` was 40.0 after two passes.",
        "The buffer was not set to `None` in between.",
    )
    return replace(
        page,
        tone=Tone.PARTLY,
        verdict="Partly: it is false, but for another reason.",
        verdict_detail="You gave no confidence. Stored 14:05 UTC, before anything was shown.",
        sections=(statement, replace(reasons, options=(chosen, replace(second, yours=False), *rest))),
        source=source,
        notice=Notice(Tone.WARNING, "You answered this already", "Here is what you committed then.", refused=True),
    )


def wrong_reveal(page: RevealPage) -> RevealPage:
    lines = FIVE_LINES.splitlines()
    culprit = tuple(
        OptionSeenView("culprit" if n == 4 else "no", n == 4, n == 5, f"line {n}", line, (), None, "", "")
        for n, line in enumerate(lines, start=1)
    )
    healed = PatchView(((4, "changed = z.add(1)"),), "ran to its end")
    silent = PatchView(((4, "z.data.add_(1)"),), "ran to its end")
    seen = (SeenView("w.grad.item() == 36.0", "42.0 and 36.0"),)
    repairs = (
        OptionSeenView("works", True, False, "Make the changed value a new tensor.", None, (), healed, "", ""),
        OptionSeenView("fails", False, True, "Change it through `.data`.", None, seen, silent, WRONG_NOTE, BELIEF),
        OptionSeenView("undecided", False, False, "Keep the graph.", None, (), None, "The probe itself raised.", ""),
    )
    follow_up = FollowUpView("What if `square()` were `exp()`?", "z = w.exp()\nz.add_(1)\nz.backward()\n")
    interview = InterviewView(
        ("the saved tensor and its version", "who saves what: `square()` its input, `exp()` its output"),
        ("“in-place is always forbidden”",),
        (follow_up, FollowUpView("How would you find this in a real model?", "")),
    )
    source = SourceView(
        "disputed", "Interview set B", "claim 31", "`detach()` hides the change.", "`detach()` raises as well.", ""
    )
    return replace(
        page,
        heading=FIVE_LINES_HEADING,
        tone=Tone.WRONG,
        verdict="Not yet: 1 of 3 parts is right.",
        verdict_detail="You were certain. Stored 14:09 UTC, before anything was shown.",
        prompt_md="The author wants the gradient of \\( (3w)^2 \\).",
        snippet=FIVE_LINES,
        raised_line=5,
        exception=IN_PLACE,
        stdout=STRANGE,
        sections=(SectionView("The culprit", culprit), SectionView("The repairs", repairs)),
        source=source,
        interview=interview,
        evidence=evidence_of(
            RunView("the snippet", "error", "11.4", IN_PLACE, STRANGE, ""),
            RunView("repair 1", "ran to its end", "8.0", "", "", "a warning\n"),
        ),
    )


def entered_reveal(page: RevealPage) -> RevealPage:
    return replace(
        page,
        heading=LEAVES_HEADING,
        tone=Tone.PARTLY,
        verdict="Partly: one of two values.",
        snippet=THREE_LEAVES,
        question_md="What do `a.grad` and `c.grad` hold?",
        sections=(),
        entries=(
            EntrySeenView("a.grad", "0.0", "0.0", right=True),
            EntrySeenView("c.grad", "0.0", "None", right=False),
        ),
        own_words="c is <not> on any path\nto the loss",
        rubric_md=(
            "names the path from `c` to the loss, or that there is none",
            "tells a zero from nothing: \\( 0 \\ne \\varnothing \\)",
        ),
        source=SourceView("verified", "Autograd notes", "", "`c.grad` is `None`.", "", ""),
    )


def stopped_reveal(page: RevealPage) -> RevealPage:
    return replace(
        page,
        tone=Tone.INFO,
        verdict="The run was stopped before anything could be observed.",
        verdict_detail="Your answer is stored and not counted.",
        snippet=LONG_LINES,
        exception="time limit: stopped after 2 s",
        sections=(),
    )
