"""Made-up sheets to read: a glossary, a topic and a bank, filled and empty."""

from dataclasses import replace

from app.web.views import (
    BankPage,
    GlossaryPage,
    ItemLink,
    ItemPage,
    ItemStateView,
    Link,
    PreviewPage,
    RevealPage,
    Shell,
    TermView,
    Tone,
    TopicPage,
)


def glossaries(shell: Shell) -> tuple[GlossaryPage, ...]:
    """Return a glossary of two terms, and an empty one."""
    leaf = TermView(
        "sample-leaf",
        "leaf",
        ("leaf tensor", "leaves"),
        "A tensor that no recorded operation made: its `grad_fn` is `None`.",
        (Link("/topics/leaves", "Leaves and their buffers"), Link("/practice/three-leaves", "Three leaves")),
    )
    seed = TermView("sample-seed", "seed", (), "The slope that `backward()` starts with, \\( 1 \\) for a scalar.", ())
    return GlossaryPage(shell, (leaf, seed)), GlossaryPage(shell, ())


def topics(shell: Shell, items: tuple[ItemLink, ...]) -> tuple[TopicPage, ...]:
    """Return a topic with everything, and one with nothing."""
    full = TopicPage(
        shell=shell,
        title="Accumulation",
        introduction_md="What `backward()` adds, and to **what**.",
        reading_md="A pass adds into the buffer of every leaf.\n\nWhoever wants *one* gradient clears it first.",
        terms=(Link("/glossary#leaf", "leaf"), Link("/glossary#gradient-buffer", "gradient buffer")),
        beliefs=(("Each `backward()` replaces what `.grad` held.", "accumulation"),),
        items=items,
        answered=3,
        next_url="/practice/next?topic=accumulation",
    )
    return full, TopicPage(shell, "Views", "Who shares memory.", "", (), (), (), 0, None)


def previews(shell: Shell, item: ItemPage, reveal: RevealPage) -> tuple[PreviewPage, ...]:
    """Return an item that disagrees with its run, and a file with problems."""
    shown = PreviewPage(
        shell=shell,
        item_id="two-backward-passes",
        file="accumulation/two-backward-passes.yaml",
        stamp="1",
        stamp_url="/preview/two-backward-passes/stamp",
        another_url="/preview/two-backward-passes?seed=1",
        problems=(),
        note="",
        disagreements=(("verdict", "true", "false"),),
        undecided=("The probe of reason 2 raised NameError: name 'v' is not defined.",),
        item=item,
        reveal=reveal,
    )
    problems = (
        (7, "expect.reason", "Write a whole number; it is `two`."),
        (1, "", "`prompt` is missing. Add it."),
    )
    note = "The sandbox is starting."
    broken = replace(shown, problems=problems, note=note, disagreements=(), undecided=(), item=None, reveal=None)
    return shown, broken


def banks(shell: Shell) -> tuple[BankPage, ...]:
    """Return a bank with every state, and an empty one."""
    about = ("Accumulation", "true or false, and why")
    rows = (
        ItemStateView("/practice/two-passes", "Two passes", *about, "verified", Tone.RIGHT, ""),
        ItemStateView(
            "/practice/five-lines",
            "Five lines",
            *about,
            "withheld",
            Tone.WRONG,
            "Its run and its file differ on: verdict, reason. A probe is undecided.",
        ),
        ItemStateView("/practice/three-leaves", "Three leaves", *about, "not checked yet", Tone.INFO, ""),
        ItemStateView(
            "", "An old favourite", *about, "withdrawn", Tone.INFO, "Another item took its place: Three leaves."
        ),
    )
    counts = (("verified", 1), ("withheld", 1), ("not checked yet", 1), ("withdrawn", 1))
    none = tuple((state, 0) for state, _ in counts)
    full = BankPage(
        shell, counts, rows, ("leaves/an-item.yaml: 2 problems, the first in line 7",), ("leaves/a-draft.draft.yaml",)
    )
    return full, BankPage(shell, none, (), (), ())
