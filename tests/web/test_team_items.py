"""A team's own items over real HTTP: the upload with its problems, the list, one item, and a quiz that asks them."""

import time
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import select

from app.clock import now
from app.hiring.item_verification import verify_next
from app.hiring.pools import Workshop
from app.hiring.team_items import ItemFile
from app.models import Membership, TeamItem
from app.models.account import account_by_email
from app.sandbox.client import SandboxAwayError
from app.settings import Settings
from tests.banks import write_bank
from tests.fakes import FakeSandbox
from tests.hiring.content import ITEMS, kept_verifications
from tests.hiring.own_items import file_of
from tests.live import LiveSite, running, words_of
from tests.web.test_accounts import new_team, signed_up
from tests.web.test_quizzes import drafted, fill, stored


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    return settings.model_copy(update={"bank": write_bank(tmp_path / "bank", ITEMS)})


@pytest.fixture
def owner(live: LiveSite) -> httpx.Client:
    return signed_up(live, "owner@example.org")


@pytest.fixture
def team(owner: httpx.Client) -> str:
    return new_team(owner)


def send(client: httpx.Client, team: str, *files: ItemFile) -> httpx.Response:
    """Upload files as the page's form does."""
    listed: Sequence[tuple[str, tuple[str, bytes]]] = [("files", (one.name, one.raw)) for one in files]
    return client.post(f"{team}/items", files=listed)


def verify_all(live: LiveSite) -> None:
    site = live.site
    while verify_next(Workshop(site.database, site.livecheck, site.bank, kept_verifications())):
        pass


def url_of(live: LiveSite, team: str, item_id: str) -> str:
    """Return the address of the current version of an item."""
    with live.site.database.reading() as session:
        found = session.scalars(select(TeamItem.id).where(TeamItem.item_id == item_id, TeamItem.archived_at.is_(None)))
        return f"{team}/items/{found.one()}"


def test_upload_is_listed_verified_and_asked_by_a_quiz(live: LiveSite, owner: httpx.Client, team: str) -> None:
    assert "None yet" in words_of(owner.get(f"{team}/items"))
    sent = send(owner, team, file_of("own-square"), file_of("own-fourth"))
    assert (sent.status_code, sent.headers["location"]) == (303, f"{team}/items")
    page = words_of(owner.get(f"{team}/items"))
    assert "0 of 2 verified" in page
    assert page.count("waiting") == 2
    verify_all(live)
    page = words_of(owner.get(f"{team}/items"))
    assert page.count("✓ verified") == 2
    assert page.count("17%") == 2
    assert page.count("nobody yet") == 2
    quiz = drafted(owner, team)
    item = url_of(live, team, "own-square").rpartition("/")[2]
    owner.post(f"{quiz}/slots", data={"item": f"own:{item}", "points": "2"})
    owner.post(
        f"{quiz}/slots",
        data={"topic": "", "kind": "", "level": "2", "count": "1", "points": "1", "drawn_from": "own"},
    )
    draft = words_of(owner.get(quiz))
    assert "Open book" not in draft
    assert "the team's own items" in draft
    owner.post(f"{quiz}/publish", data={"": ""})
    fill(live, quiz)
    assert stored(live, quiz).state == "published", stored(live, quiz).problem
    assert "Open book" not in words_of(owner.get(quiz))
    assert owner.get(f"{quiz}/preview/2").status_code == 200


def test_quiz_that_uses_public_items_says_open_book_and_which(live: LiveSite, owner: httpx.Client, team: str) -> None:
    send(owner, team, file_of("own-square"))
    verify_all(live)
    quiz = drafted(owner, team)
    data = {"topic": "", "kind": "", "level": "1", "count": "2", "points": "1", "drawn_from": "both"}
    owner.post(f"{quiz}/slots", data=data)
    assert "Open book" in words_of(owner.get(quiz))
    owner.post(f"{quiz}/publish", data={"": ""})
    fill(live, quiz)
    page = words_of(owner.get(quiz))
    assert "Open book" in page
    assert "The 3 public items it may ask A cube A factor A square" in page


def test_files_with_problems_are_named_with_every_line_and_the_good_one_is_stored(
    live: LiveSite, owner: httpx.Client, team: str
) -> None:
    bad = file_of("own-fourth", level=7, name="../../bad.yaml")
    answer = send(owner, team, file_of("own-square"), bad, ItemFile("latin.yaml", b"id: caf\xe9\n"))
    page = words_of(answer)
    assert answer.status_code == 422
    assert "2 files were not stored" in page
    line = bad.raw.decode().split("\n").index("level: 7") + 1
    assert f"bad.yaml line {line}: level" in page
    assert "../" not in page
    assert "not UTF-8" in page
    assert "own-square.yaml : Own square: stored" in page
    with live.site.database.reading() as session:
        assert session.scalars(select(TeamItem.item_id)).all() == ["own-square"]


@pytest.mark.parametrize(
    ("files", "status", "says"),
    [
        ([], 422, "No file was chosen"),
        ([ItemFile("", b"")], 422, "No file was chosen"),
        ([ItemFile("big.yaml", b"#" * (1 << 20))], 422, "larger than 64 KiB"),
        ([ItemFile("huge.yaml", b"#" * (3 << 20))], 413, "larger than 2048 kB"),
        ([ItemFile(f"{n}.yaml", b"id: x") for n in range(300)], 413, "at most 100"),
        ([ItemFile("bomb.yaml", b"a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n")], 422, "Anchors"),
        ([ItemFile("a.yaml", b"id: a-square\n")], 422, "public bank"),
    ],
)
def test_hostile_upload_is_a_sentence_with_its_status(
    owner: httpx.Client, team: str, files: list[ItemFile], status: int, says: str
) -> None:
    answer = send(owner, team, *files) if files else owner.post(f"{team}/items", data={"": ""})
    assert answer.status_code == status
    assert says in words_of(answer)


def test_thousands_of_files_and_a_body_that_is_no_upload_are_refused(owner: httpx.Client, team: str) -> None:
    assert send(owner, team, *[ItemFile("x.yaml", b"")] * 1500).status_code == 400
    headers = {"content-type": "multipart/form-data; boundary=x"}
    assert owner.post(f"{team}/items", content=b"--x\r\nnonsense", headers=headers).status_code in {400, 422}
    assert owner.post(f"{team}/items", json={}).status_code == 415


def test_same_file_again_says_that_nothing_changed(owner: httpx.Client, team: str) -> None:
    send(owner, team, file_of("own-square"))
    answer = send(owner, team, file_of("own-square"))
    assert answer.status_code == 200
    assert "nothing changed" in words_of(answer)


def test_item_page_shows_problems_versions_and_the_file(live: LiveSite, owner: httpx.Client, team: str) -> None:
    send(owner, team, file_of("own-wrong"))
    url = url_of(live, team, "own-wrong")
    assert "waits to be verified" in words_of(owner.get(url))
    verify_all(live)
    page = words_of(owner.get(url))
    assert "Why no quiz asks it" in page
    assert "The file expects" in page
    assert "Verify again" in page
    file = owner.get(f"{url}/source")
    assert file.content == file_of("own-wrong").raw
    assert file.headers["content-disposition"] == 'attachment; filename="own-wrong.yaml"'
    assert owner.post(f"{url}/verify", data={"": ""}).status_code == 303
    assert "waits to be verified" in words_of(owner.get(url))
    assert owner.post(f"{url}/verify", data={"": ""}).status_code == 409
    send(owner, team, file_of("own-wrong", expect="2 * $k"))
    page = words_of(owner.get(url))
    assert "Versions" in page
    assert "· archived" in page
    newest = url_of(live, team, "own-wrong")
    assert owner.post(f"{newest}/archive", data={"": ""}).status_code == 303
    assert "None yet" in words_of(owner.get(f"{team}/items"))


def test_preview_is_what_a_candidate_sees_and_the_reveal_is_for_the_team(
    live: LiveSite, owner: httpx.Client, team: str
) -> None:
    send(owner, team, file_of("own-square", explanation="Only the team reads this."))
    url = url_of(live, team, "own-square")
    preview = owner.get(f"{url}/preview?seed=3")
    assert "What does" in words_of(preview)
    assert "Only the team reads this" not in preview.text
    assert owner.put(f"{url}/preview", json={}).json()["state"] == "saved"
    gone = owner.post(f"{url}/preview?seed=3", data={"entry-1": "1"})
    assert gone.headers["location"] == f"{url}/reveal?seed=3"
    reveal = owner.get(gone.headers["location"])
    assert "Only the team reads this" in words_of(reveal)
    assert live.visitor().get(f"{url}/reveal").status_code == 303  # to the sign-in page


def test_reveal_of_an_item_that_is_wrong_shows_both_sides(live: LiveSite, owner: httpx.Client, team: str) -> None:
    send(owner, team, file_of("own-wrong"))
    answer = owner.get(f"{url_of(live, team, 'own-wrong')}/reveal")
    assert answer.status_code == 200
    assert "Where run and file differ" in words_of(answer)


def test_reveal_without_a_sandbox_is_a_sentence(
    live: LiveSite, owner: httpx.Client, team: str, fake: FakeSandbox
) -> None:
    send(owner, team, file_of("own-square"))
    fake.failure = SandboxAwayError("It is away for the moment.")
    answer = owner.get(f"{url_of(live, team, 'own-square')}/reveal")
    assert answer.status_code == 503
    assert "away for the moment" in words_of(answer)


def test_other_team_never_sees_that_an_item_exists(live: LiveSite, owner: httpx.Client, team: str) -> None:
    send(owner, team, file_of("own-square"))
    item = url_of(live, team, "own-square").rpartition("/")[2]
    stranger = signed_up(live, "stranger@example.org")
    theirs = new_team(stranger)
    assert "Own square" not in stranger.get(f"{theirs}/items").text
    never = uuid4()
    for tail in ("", "/preview", "/reveal", "/source"):
        asked = [stranger.get(f"{base}/items/{one}{tail}") for base in (team, theirs) for one in (item, never)]
        assert [one.status_code for one in asked] == [404] * 4, tail
        assert words_of(asked[2]) == words_of(asked[3])
    for tail in ("/archive", "/verify", "/preview"):
        assert stranger.post(f"{theirs}/items/{item}{tail}", data={"": ""}).status_code == 404
    assert send(stranger, team, file_of("own-square")).status_code == 404
    assert send(stranger, theirs, file_of("own-square")).status_code == 303  # the id is free to them


def test_reviewer_reads_the_list_and_changes_nothing(live: LiveSite, owner: httpx.Client, team: str) -> None:
    send(owner, team, file_of("own-square"))
    reviewer = signed_up(live, "reviewer@example.org")
    with live.site.database.writing() as session:
        account = account_by_email(session, "reviewer@example.org")
        item = session.scalars(select(TeamItem)).one()
        assert account is not None
        membership = Membership(team_id=item.team_id, account_id=account.id, role="reviewer", created_at=now())
        session.add(membership)
    url = url_of(live, team, "own-square")
    assert "Own square" in words_of(reviewer.get(f"{team}/items"))
    assert "Upload" not in words_of(reviewer.get(f"{team}/items"))
    assert "Archive" not in words_of(reviewer.get(url))
    for tail in ("/source", "/preview", "/reveal"):
        assert reviewer.get(f"{url}{tail}").status_code == 403
    assert send(reviewer, team, file_of("own-fourth")).status_code == 403


def test_sweeper_verifies_and_publishes_by_itself_with_the_real_sandbox(settings: Settings, fake: FakeSandbox) -> None:
    with running(settings.model_copy(update={"sweep": True}), fake) as live:
        owner = signed_up(live, "owner@example.org")
        team = new_team(owner)
        send(owner, team, file_of("own-square"), file_of("own-wrong"))
        until = time.monotonic() + 100
        while "of 2 verified" in words_of(owner.get(f"{team}/items")) and time.monotonic() < until:
            time.sleep(0.2)
        page = words_of(owner.get(f"{team}/items"))
        assert "✓ verified" in page
        assert "✗ has problems" in page
        quiz = drafted(owner, team)
        item = url_of(live, team, "own-square").rpartition("/")[2]
        owner.post(f"{quiz}/slots", data={"item": f"own:{item}", "points": "1"})
        owner.post(f"{quiz}/publish", data={"": ""})
        while stored(live, quiz).state == "publishing" and time.monotonic() < until:
            time.sleep(0.2)
        assert stored(live, quiz).state == "published", stored(live, quiz).problem
