"""Every page of the table renders, is valid, safe under a strict CSP, and small."""

import dataclasses
import re
from itertools import pairwise
from pathlib import Path

import html5lib
import pytest
from jinja2 import Environment, UndefinedError

from app.settings import resource_dir
from app.web import (
    account_views,
    analysis_views,
    hiring_views,
    history_views,
    integration_views,
    invitation_views,
    item_views,
    pattern_views,
    privacy_views,
    report_views,
    session_views,
    views,
)
from app.web.pages.patterns import home_sample, patterns_page
from app.web.samples.accounts import account_samples
from app.web.samples.hiring import hiring_samples, invitation_samples
from app.web.samples.history import history_samples
from app.web.samples.integrations import integration_samples
from app.web.samples.privacy import privacy_samples
from app.web.samples.reports import report_samples
from app.web.samples.sessions import session_samples
from app.web.samples.team_items import team_item_samples
from app.web.templating import TEMPLATES, Page, StaticUrls, create_environment, render, render_page

TEMPLATES_DIR = resource_dir("templates")
STATIC_DIR = resource_dir("static")
SHELL = views.Shell("practice", "ready", "torch 2.13.0, sandbox ready", "sample-nonce")
NAMESPACE = "{http://www.w3.org/1999/xhtml}"


def sample_pages() -> dict[str, Page]:
    patterns = patterns_page(SHELL)
    pages: dict[str, Page] = {"patterns": patterns, "home": home_sample(SHELL)}
    pages["home-empty"] = views.HomePage(SHELL, 0, (), "/practice", 0)
    shown = ("items", "reveals", "practice", "histories", "errors", "withheld")
    for field in (*shown, "glossaries", "topics", "banks", "previews"):
        pages |= {f"{field}-{n}": page for n, page in enumerate(getattr(patterns, field), start=1)}
    return (
        pages
        | account_samples(SHELL)
        | session_samples(SHELL)
        | hiring_samples(SHELL)
        | history_samples(SHELL)
        | invitation_samples(SHELL)
        | report_samples(SHELL)
        | integration_samples(SHELL)
        | team_item_samples(SHELL)
        | privacy_samples(SHELL)
    )


PAGES = sample_pages()
every_page = pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())


@pytest.fixture(scope="module")
def environment() -> Environment:
    return create_environment(TEMPLATES_DIR)


def parsed(html: str) -> list[dict[str, str]]:
    """Return name and attributes of each element, from a parser that raises on the first mistake."""
    tree = html5lib.HTMLParser(strict=True).parse(html)
    elements = [element for element in tree.iter() if isinstance(element.tag, str)]
    return [{"": element.tag.removeprefix(NAMESPACE), **element.attrib} for element in elements]


def named(elements: list[dict[str, str]], name: str) -> list[dict[str, str]]:
    return [element for element in elements if element[""] == name]


def test_every_page_class_has_its_template() -> None:
    modules = (
        views,
        account_views,
        analysis_views,
        hiring_views,
        history_views,
        integration_views,
        invitation_views,
        item_views,
        pattern_views,
        privacy_views,
        report_views,
        session_views,
    )
    classes = {one for module in modules for name, one in vars(module).items() if name.endswith("Page")}
    assert set(TEMPLATES) == classes
    assert all((TEMPLATES_DIR / name).is_file() for name in TEMPLATES.values())


def test_every_page_class_has_a_sample() -> None:
    assert {type(page) for page in PAGES.values()} == set(TEMPLATES)


HOLDS_PAGES = ("patterns.html", "preview/_preview.html", "reports/item.html", "reports/interview.html")


def closure(name: str) -> set[str]:
    """Return `name` and the templates it imports; a page inside of a page is checked where it lives."""
    text = (TEMPLATES_DIR / name).read_text()
    parts = set(re.findall(r'{% from "([^"]+)"', text)) - {"_macros.html"}
    return {name} if name in HOLDS_PAGES else {name}.union(*(closure(part) for part in parts))


@pytest.mark.parametrize("page_class", TEMPLATES, ids=lambda one: str(one.__name__))
def test_templates_name_only_fields_that_exist(page_class: type[Page]) -> None:
    fields = {field.name for field in dataclasses.fields(page_class)}  # type: ignore[arg-type]  # a page is a dataclass
    for name in closure(TEMPLATES[page_class]):
        used = set(re.findall(r"\bpage\.(\w+)", (TEMPLATES_DIR / name).read_text()))
        assert used <= fields, name


@every_page
def test_page_is_valid_html(environment: Environment, page: Page) -> None:
    elements = parsed(render_page(environment, page))
    assert len(named(elements, "h1")) == 1
    assert len(named(elements, "main")) == 1


@every_page
def test_page_ids_are_unique_and_references_resolve(environment: Environment, page: Page) -> None:
    elements = parsed(render_page(environment, page))
    ids = [element["id"] for element in elements if "id" in element]
    assert len(ids) == len(set(ids))
    wanted = [element["href"][1:] for element in elements if element.get("href", "").startswith("#")]
    for attribute in ("for", "aria-describedby", "aria-labelledby"):
        wanted += [one for element in elements for one in element.get(attribute, "").split()]
    assert set(wanted) <= set(ids)


@every_page
def test_page_obeys_a_strict_content_policy(environment: Environment, page: Page) -> None:
    for element in parsed(render_page(environment, page)):
        assert "style" not in element
        assert not [name for name in element if name.startswith("on")]
        if element[""] == "script":
            assert element.get("nonce") == "sample-nonce" or element["src"].startswith("/static/")
        for address in (element.get("src", ""), element.get("href", "") if element[""] == "link" else ""):
            assert not address.startswith(("http", "//"))


@every_page
def test_headings_never_skip_a_level(environment: Environment, page: Page) -> None:
    levels = [int(one[""][1]) for one in parsed(render_page(environment, page)) if re.fullmatch(r"h[1-6]", one[""])]
    in_the_page = levels[:-1]  # the last one is that of the keys
    assert all(after <= before + 1 for before, after in pairwise(in_the_page))


@every_page
def test_fields_have_labels(environment: Environment, page: Page) -> None:
    elements = parsed(render_page(environment, page))
    labelled = {element["for"] for element in named(elements, "label") if "for" in element}
    fields = named(elements, "textarea") + named(elements, "select")
    fields += [one for one in named(elements, "input") if one["type"] == "text"]
    assert {field["id"] for field in fields} <= labelled


def test_item_form_posts_what_the_page_names(environment: Environment) -> None:
    page = patterns_page(SHELL).items[1]
    elements = parsed(render_page(environment, page))
    form = next(one for one in named(elements, "form") if "data-answer" in one)
    assert (form["method"], form["action"]) == ("post", page.action)
    radios = [one for one in named(elements, "input") if one["type"] == "radio"]
    assert {one["name"] for one in radios} == {part.name for part in page.parts} | {"confidence"}
    assert [one["value"] for one in radios if "checked" in one] == ["2", "2", "2"]
    assert [one["value"] for one in named(elements, "input") if one.get("name") == "token"] == [page.token]


def test_kept_words_survive_the_round_trip(environment: Environment) -> None:
    page = patterns_page(SHELL).items[6]
    assert page.reason is not None
    reason = dataclasses.replace(page.reason, value="\nfirst line empty </textarea><b>")
    html = render_page(environment, dataclasses.replace(page, reason=reason))
    tree = html5lib.HTMLParser(strict=True).parse(html)
    assert next(tree.iter(NAMESPACE + "textarea")).text == reason.value


def test_errors_are_summed_up_with_links_to_their_fields(environment: Environment) -> None:
    elements = parsed(render_page(environment, patterns_page(SHELL).items[2]))
    assert {"href": "#verdict-1"}.items() <= next(one for one in elements if one.get("href") == "#verdict-1").items()
    invalid = [one for one in elements if one.get("aria-invalid") == "true"]
    assert [one["aria-describedby"] for one in invalid] == ["verdict-error"]


def test_output_of_a_run_shows_control_characters_as_text(environment: Environment) -> None:
    html = render_page(environment, patterns_page(SHELL).reveals[2])
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e\u200b]", html)
    assert '<span class="ctrl">\\x1b</span>[31m' in html
    assert "&lt;b&gt;not bold" in html


def test_raising_line_carries_its_exception(environment: Environment) -> None:
    html = render_page(environment, patterns_page(SHELL).reveals[2])
    line = html[html.index('<span class="line raised" data-n="5">') :]
    assert line.index("raised here") < line.index("modified by an inplace operation") < line.index("</pre>")


def test_text_of_a_listing_is_the_snippet(environment: Environment) -> None:
    page = patterns_page(SHELL).items[0]
    tree = html5lib.HTMLParser().parse(render_page(environment, page))
    code = next(element for element in tree.iter(NAMESPACE + "code") if element.find(f"{NAMESPACE}span[@data-n]"))
    assert "".join(code.itertext()) == page.snippet


def test_missing_field_is_an_error(environment: Environment) -> None:
    with pytest.raises(UndefinedError):
        render(environment, "home.html", patterns_page(SHELL).errors[0])


def test_static_address_changes_with_the_content(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("a")
    url = StaticUrls(tmp_path)
    first = url("a.css")
    (tmp_path / "a.css").write_text("bb")
    assert first.startswith("/static/a.css?v=")
    assert url("a.css") != first
    with pytest.raises(FileNotFoundError):
        url("none.css")


@every_page
def test_page_fits_its_budget(environment: Environment, page: Page) -> None:
    if isinstance(page, pattern_views.PatternsPage):
        return
    static = sum((STATIC_DIR / name).stat().st_size for name in ("gradproof.css", "pygments.css", "gradproof.js"))
    assert static + len(render_page(environment, page).encode()) <= 60_000
