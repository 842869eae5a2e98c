"""Made-up pages that show every component in every state, for `/patterns` and for the tests of the templates."""

from dataclasses import replace

from app.web.views import (
    AttemptRow,
    Choice,
    EntrySeenView,
    EntryView,
    ErrorPage,
    EvidenceView,
    FollowUpView,
    Heading,
    HistoryPage,
    HomePage,
    InterviewView,
    ItemLink,
    ItemPage,
    Notice,
    OptionSeenView,
    OptionView,
    PartView,
    PatchView,
    PatternsPage,
    PracticePage,
    ReasonView,
    RevealPage,
    RunView,
    SectionView,
    SeenView,
    Shell,
    SourceView,
    SpecimenView,
    Tone,
    TopicCard,
    WithheldPage,
)

TWO_PASSES = """\
w = torch.tensor(3.0, requires_grad=True)
(2 * w - 1).square().backward()
first = w.grad.item()
(2 * w - 1).square().backward()
second = w.grad.item()
"""
FIVE_LINES = """\
w = torch.tensor(2.0, requires_grad=True)
z = w * 3
loss = z.square()
z.add_(1)
loss.backward()
"""
THREE_LEAVES = """\
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = torch.tensor(4.0, requires_grad=True)
loss = a * b * 0.0
loss.backward()
"""
SQUARE = """\
x = torch.tensor(3.0, requires_grad=True)
y = torch.tensor(4.0, requires_grad=True)
loss = x.square() + x * y
loss.backward()
"""
LONG_LINES = '''\
def report(model, batch):
    """A docstring
    over two lines."""
    with torch.no_grad():
        return torch.nn.functional.binary_cross_entropy_with_logits(model(batch["inputs"]), batch["targets"])
'''
WRONG_NOTE = "Nothing is raised, and the gradient is wrong."
BELIEF = "Writing through `.data` is safe as long as nothing raises."
IN_PLACE = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.FloatTensor []], which is output 0 of MulBackward0, is at version 1; expected version 0 instead."
)
STRANGE = (
    'plain\n\ttab\n\x1b[31mred\x1b[0m\x00nul "admin\u202enimda" \u200bzero width\n<b>not bold</b>\n' + "long " * 60
)
TWO_PASSES_HEADING = Heading(
    "two-backward-passes",
    "Two passes, one buffer",
    "Accumulation",
    "/practice?topic=accumulation",
    "true or false, and why",
    2,
)
FIVE_LINES_HEADING = Heading("five-lines", "Five lines", "In-place", "/practice?topic=in-place", "spot the error", 2)
LEAVES_HEADING = Heading("three-leaves", "Three leaves", "Leaves", "/practice?topic=leaves", "edge case", 3)
SQUARE_HEADING = Heading(
    "a-product-and-a-square", "A square and a product", "Chain rule", "/practice?topic=chain-rule", "why", 1
)
REASONS = (
    "Each pass replaces what the buffer held.",
    "Each pass adds into the buffer the leaf already has.",
    "The second pass fails, because the graph is gone.",
    "The buffer holds the mean of the passes.",
)
EXPLANATION = (
    "The fourth line walks a graph of its own: a fresh forward pass built it, so nothing is missing. What the passes "
    "share is the buffer of `w`, and `backward()` adds into it: 20.0 became 40.0. Set it to `None` between passes "
    "unless the sum is what you want."
)
STATEMENT = "After the second `backward()`, `w.grad` is the gradient of the second pass alone."


def _options(texts: tuple[str, ...], chosen: int = 0, hints: str = "123456789") -> tuple[OptionView, ...]:
    return tuple(OptionView(str(n), text, None, hints[n - 1 : n], n == chosen) for n, text in enumerate(texts, start=1))


def _codes(codes: tuple[str, ...], label: str = "") -> tuple[OptionView, ...]:
    return tuple(
        OptionView(str(n), label and f"{label} {n}", code, str(n), checked=False)
        for n, code in enumerate(codes, start=1)
    )


def _pair(chosen: int = 0, error: str = "") -> PartView:
    return PartView("verdict", "The statement is", "pair", _options(("True", "False"), chosen, "tf"), error)


def _true_false(shell: Shell, verdict: int = 0, reason: int = 0, sure: int = 0) -> ItemPage:
    return ItemPage(
        shell=shell,
        heading=TWO_PASSES_HEADING,
        prompt_md="The same loss is built and walked twice.",
        snippet=TWO_PASSES,
        question_md=STATEMENT,
        parts=(_pair(verdict), PartView("reason", "Because", "list", _options(REASONS, reason), "")),
        entries=(),
        reason=None,
        confidence=_options(("guess", "fairly sure", "certain"), sure),
        action="/practice/two-backward-passes",
        token="sample",  # noqa: S106  # no token at all
    )


def _with_errors(page: ItemPage) -> ItemPage:
    verdict, reason = page.parts
    return replace(
        page,
        parts=(replace(verdict, error="Say whether the statement is true or false."), reason),
        notice=Notice(
            Tone.WRONG, "One thing is missing", "Nothing was run or stored yet. What you entered is still here."
        ),
    )


def _spot_the_error(page: ItemPage) -> ItemPage:
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
            PartView("culprit", "The culprit", "lines", _codes(lines, "line"), ""),
            PartView("symptom", "The symptom", "list", _options(symptoms), ""),
            PartView("repair", "The repair", "list", _codes(repairs), ""),
        ),
    )


def _edge_case(page: ItemPage, *, free: bool) -> ItemPage:
    question = "What do `a.grad` and `c.grad` hold?"
    page = replace(page, heading=LEAVES_HEADING, snippet=THREE_LEAVES, question_md=question, prompt_md="", parts=())
    if free:
        entries = (
            EntryView("value-1", "a.grad", "0.0", ""),
            EntryView("value-2", "c.grad", "noen", "noen is no value: write None."),
        )
        return replace(page, entries=entries)
    values = ("0.0, None", "None, None", "0.0, 0.0", "3.0, None")
    return replace(page, parts=(PartView("value", "They hold", "list", _codes(values), ""),))


def _why(page: ItemPage) -> ItemPage:
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
        parts=(PartView("cause", "The cause", "list", _options(causes, 1), ""),),
        reason=ReasonView("In your own words", "two paths\nand the chain rule"),
        notice=Notice(
            Tone.WARNING, "The sandbox is busy", "Your answer is kept below. Press the button again in a moment."
        ),
    )


def _too_long(page: ItemPage) -> ItemPage:
    return replace(page, notice=None, reason=ReasonView("In your own words", "word " * 9, "At most 4000 characters."))


def _evidence(*runs: RunView) -> EvidenceView:
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


def _right(shell: Shell) -> RevealPage:
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
        evidence=_evidence(),
        next_url="/practice/five-lines",
        vary_url="/practice/two-backward-passes",
    )


def _partly(page: RevealPage) -> RevealPage:
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
        again=True,
    )


def _wrong(page: RevealPage) -> RevealPage:
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
        evidence=_evidence(
            RunView("the snippet", "error", "11.4", IN_PLACE, STRANGE, ""),
            RunView("repair 1", "ran to its end", "8.0", "", "", "a warning\n"),
        ),
    )


def _entered(page: RevealPage) -> RevealPage:
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


def _stopped(page: RevealPage) -> RevealPage:
    return replace(
        page,
        tone=Tone.INFO,
        verdict="The run was stopped before anything could be observed.",
        verdict_detail="Your answer is stored and not counted.",
        snippet=LONG_LINES,
        exception="time limit: stopped after 2 s",
        sections=(),
    )


def _practice(shell: Shell) -> PracticePage:
    link = ItemLink("/practice/five-lines", "Five lines", "In-place", "spot the error", 2, "")
    return PracticePage(
        shell=shell,
        topics=(Choice("", "any topic", True, 4), Choice("accumulation", "Accumulation", False, 2)),
        kinds=(Choice("", "any kind", True, 4), Choice("why", "why", False, 1)),
        levels=(Choice("", "any level", True, 4), Choice("2", "core", False, 3)),
        filtered=False,
        next_url="/practice/five-lines",
        items=(
            link,
            replace(
                link, title="Two passes, one buffer", topic="Accumulation", kind="true or false, and why", state="right"
            ),
            replace(link, title="Three leaves", topic="Leaves", kind="edge case", level=3, state="partly"),
            replace(link, title="A square and a product", topic="Chain rule", kind="why", level=1, state="wrong"),
        ),
    )


def _history(shell: Shell) -> HistoryPage:
    about = TWO_PASSES_HEADING
    row = AttemptRow(
        url="/attempts/4",
        title=about.title,
        topic=about.topic,
        kind=about.kind,
        level=about.level,
        tone=Tone.RIGHT,
        outcome="right",
        confidence="fairly sure",
        when="1 Dec 2026, 14:02 UTC",
        when_iso="2026-12-01T14:02:00+00:00",
    )
    rows = (
        row,
        replace(row, url="/attempts/3", tone=Tone.PARTLY, outcome="verdict only", confidence=""),
        replace(
            row,
            url="/attempts/2",
            title="Five lines",
            topic="In-place",
            tone=Tone.WRONG,
            outcome="wrong",
            confidence="certain",
        ),
    )
    return HistoryPage(
        shell, "Three answers so far: one right, one in part, one wrong.", rows, None, "/history?before=2"
    )


def home_sample(shell: Shell) -> HomePage:
    """Return a home page of two topics, for the tests."""
    card = TopicCard("Accumulation", "What `backward()` adds, and to **what**.", "/practice?topic=accumulation", 12, 3)
    specimen = SpecimenView(TWO_PASSES_HEADING.title, TWO_PASSES, STATEMENT, "/practice/two-backward-passes")
    topics = (card, replace(card, title="Leaves", answered=12))
    return HomePage(shell, 24, topics, "/practice/five-lines", 3, specimen)


def patterns_page(shell: Shell) -> PatternsPage:
    """Return every component in every state; the numbers are made up."""
    plain, right = _true_false(shell), _right(shell)
    history, practice = _history(shell), _practice(shell)
    withheld = WithheldPage(
        shell, FIVE_LINES_HEADING, (("repair 3", "works", "fails: RuntimeError in line 5"), ("symptom", "1", "2")),
        ("The probe of repair 4 raised NameError: name 'v' is not defined.",), "/practice/three-leaves",
    )  # fmt: skip
    return PatternsPage(
        shell=shell,
        items=(
            plain,
            _true_false(shell, verdict=2, reason=2, sure=2),
            _with_errors(_true_false(shell, reason=1)),
            _spot_the_error(plain),
            _edge_case(plain, free=False),
            _edge_case(plain, free=True),
            _why(plain),
            _too_long(_why(plain)),
        ),
        reveals=(right, _partly(right), _wrong(right), _entered(right), _stopped(right)),
        practice=(practice, replace(practice, filtered=True, next_url=None, items=())),
        histories=(history, HistoryPage(shell, "Nothing yet.", (), None, None)),
        errors=(
            ErrorPage(
                shell,
                404,
                "Not found",
                "There is no item of that name. It may have been renamed.",
                "/practice",
                "All items",
            ),
            ErrorPage(
                shell,
                503,
                "Not available for the moment",
                "The sandbox is restarting; your answer was kept.",
                "/practice",
                "Back",
            ),
        ),
        withheld=(withheld,),
        notices=tuple(
            Notice(tone, f"A notice that is {tone}", "What happened, what was kept, what to do.") for tone in Tone
        ),
    )
