"""Made-up pages that show every component in every state, for `/patterns` and for the tests of the templates."""

from dataclasses import replace

from app.web.pattern_views import PatternsPage
from app.web.samples.history import histories
from app.web.samples.items import edge_case, spot_the_error, too_long, true_false, why, with_errors
from app.web.samples.reading import banks, glossaries, previews, topics
from app.web.samples.reveals import entered_reveal, partly_reveal, right_reveal, stopped_reveal, wrong_reveal
from app.web.samples.texts import FIVE_LINES_HEADING, STATEMENT, TWO_PASSES, TWO_PASSES_HEADING
from app.web.views import (
    Choice,
    ErrorPage,
    HomePage,
    ItemLink,
    Notice,
    PracticePage,
    Shell,
    SpecimenView,
    Tone,
    TopicCard,
    WithheldPage,
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


def home_sample(shell: Shell) -> HomePage:
    """Return a home page of two topics, for the tests."""
    card = TopicCard(
        "Accumulation",
        "What `backward()` adds, and to **what**.",
        "/topics/accumulation",
        12,
        3,
        "/practice/next?topic=accumulation",
    )
    specimen = SpecimenView(TWO_PASSES_HEADING.title, TWO_PASSES, STATEMENT, "/practice/two-backward-passes")
    topics = (card, replace(card, title="Leaves", answered=12))
    return HomePage(shell, 24, topics, "/practice/five-lines", 3, specimen)


def patterns_page(shell: Shell) -> PatternsPage:
    """Return every component in every state; the numbers are made up."""
    plain, right = true_false(shell), right_reveal(shell)
    practice = _practice(shell)
    withheld = WithheldPage(
        shell, FIVE_LINES_HEADING, (("repair 3", "works", "fails: RuntimeError in line 5"), ("symptom", "1", "2")),
        ("The probe of repair 4 raised NameError: name 'v' is not defined.",), "/practice/three-leaves",
    )  # fmt: skip
    return PatternsPage(
        shell=shell,
        items=(
            plain,
            true_false(shell, verdict=2, reason=2, sure=2),
            with_errors(true_false(shell, reason=1)),
            spot_the_error(plain),
            edge_case(plain, free=False),
            edge_case(plain, free=True),
            why(plain),
            too_long(why(plain)),
        ),
        reveals=(right, partly_reveal(right), wrong_reveal(right), entered_reveal(right), stopped_reveal(right)),
        practice=(practice, replace(practice, filtered=True, next_url=None, items=())),
        histories=histories(shell),
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
        glossaries=glossaries(shell),
        topics=topics(shell, practice.items),
        banks=banks(shell),
        previews=previews(shell, plain, right),
        notices=tuple(
            Notice(tone, f"A notice that is {tone}", "What happened, what was kept, what to do.") for tone in Tone
        ),
    )
