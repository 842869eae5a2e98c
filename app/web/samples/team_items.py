"""Made-up pages of a team about its own items, for the tests of the templates."""

from dataclasses import replace

from app.web.fields import Field, FormView
from app.web.item_views import FileProblems, OwnItemPage, OwnItemRow, OwnItemsPage, VersionRow
from app.web.samples.accounts import TEAM
from app.web.views import Notice, Shell, Tone


def team_item_samples(shell: Shell) -> dict[str, OwnItemsPage | OwnItemPage]:
    """Return each page with everything it can hold, and again with as little as it can."""
    row = OwnItemRow(
        url="/teams/1/items/1",
        title="A square and a product",
        item_id="a-square-and-a-product",
        about="Accumulation, edge case, level 2",
        state="verified",
        tone=Tone.RIGHT,
        detail="",
        memorisation="17%",
        shown="9 candidates in 2 quizzes",
    )
    wrong = replace(
        row, title="Two", state="has problems", tone=Tone.WRONG, detail="reason: It raises.", shown="nobody yet"
    )
    going = replace(
        row, title="Three", state="being verified", tone=Tone.INFO, detail="48 runs so far", memorisation=""
    )
    page = OwnItemsPage(
        shell=shell,
        team=TEAM,
        items=(row, wrong, going),
        waiting=1,
        upload=FormView("/sample", (Field("files", "Files", "file"),), "Upload", files=True),
        limit="50%",
        following=True,
    )
    refused = FileProblems("a\u202eb.yaml", ((1, "", "The file is not UTF-8."), (7, "expect", "It has to be 1 or 2.")))
    one = OwnItemPage(
        shell=shell,
        team=TEAM,
        title=row.title,
        item_id=row.item_id,
        about=row.about,
        state="has problems",
        tone=Tone.WRONG,
        state_words="No quiz asks it.",
        following=False,
        problems=("reason: The file expects: 1. Observed: 2.",),
        warnings=("`2` looks at nothing of the run.",),
        facts=(("Shown to", "nobody yet"),),
        versions=(
            VersionRow("/teams/1/items/1", "1 Dec 2026, 14:02 UTC", "has problems", True),
            VersionRow("/teams/1/items/2", "1 Dec 2026, 13:02 UTC", "archived", False),
        ),
        preview_url="/teams/1/items/1/preview",
        source_url="/teams/1/items/1/source",
        actions=(FormView("/sample", (), "Verify again"), FormView("/sample", (), "Archive", danger=True)),
        back_url="/teams/1/items",
    )
    return {
        "own-items": page,
        "own-items-empty": replace(page, items=(), waiting=0, upload=None),
        "own-items-refused": replace(
            page,
            following=False,
            stored=(("b.yaml", "Two: the same as the team has; nothing changed"),),
            refused=(refused, replace(refused, name="c.yaml")),
            notice=Notice(Tone.WARNING, "Nothing was uploaded", "No file was chosen.", refused=True),
        ),
        "own-item": one,
        "own-item-waiting": replace(
            one, following=True, problems=(), warnings=(), versions=one.versions[:1], actions=(), preview_url=None
        ),
    }
