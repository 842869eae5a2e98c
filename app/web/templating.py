"""Pages to HTML: the Jinja environment, and the one table that says which template shows which page."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.bank.glossary import GlossaryEntry
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
from app.web.highlight import code_inline, code_lines, indent_steps, visible, visible_words
from app.web.markdown import markdown, markdown_inline
from app.web.static import version_of
from app.web.terms import TermLinks


class Page(Protocol):
    """A frozen dataclass that holds exactly what its template shows."""

    @property
    def shell(self) -> views.Shell:
        """Return what every page shares."""


TEMPLATES: dict[type[Page], str] = {
    views.HomePage: "home.html",
    views.PracticePage: "practice/index.html",
    views.ItemPage: "practice/item.html",
    views.RevealPage: "practice/reveal.html",
    views.WithheldPage: "practice/withheld.html",
    history_views.HistoryPage: "history/index.html",
    history_views.BeliefsPage: "history/beliefs.html",
    history_views.QuizzesTakenPage: "history/quizzes.html",
    history_views.ThenNowPage: "history/then_now.html",
    history_views.BeliefPage: "history/belief.html",
    views.GlossaryPage: "reading/glossary.html",
    views.TopicPage: "reading/topic.html",
    views.BankPage: "reading/bank.html",
    views.PreviewPage: "preview/index.html",
    views.ErrorPage: "error.html",
    pattern_views.PatternsPage: "patterns.html",
    account_views.FormPage: "accounts/form.html",
    account_views.AccountPage: "accounts/account.html",
    account_views.MembersPage: "teams/members.html",
    account_views.AuditPage: "teams/audit.html",
    account_views.TeamSettingsPage: "teams/settings.html",
    hiring_views.QuizzesPage: "quizzes/index.html",
    hiring_views.QuizFormPage: "quizzes/form.html",
    hiring_views.QuizPage: "quizzes/quiz.html",
    invitation_views.InvitationsPage: "quizzes/invitations.html",
    invitation_views.GuestListPage: "quizzes/guest_list.html",
    item_views.OwnItemsPage: "items/index.html",
    item_views.OwnItemPage: "items/item.html",
    report_views.ResultsPage: "reports/results.html",
    report_views.ReportPage: "reports/report.html",
    integration_views.IntegrationsPage: "teams/integrations.html",
    report_views.ReportItemPage: "reports/item.html",
    report_views.InterviewSheetPage: "reports/interview.html",
    analysis_views.ItemAnalysisPage: "reports/item_analysis.html",
    analysis_views.ComparisonPage: "reports/comparison.html",
    session_views.LandingPage: "sessions/landing.html",
    session_views.SessionItemPage: "sessions/item.html",
    session_views.FinishPage: "sessions/finish.html",
    session_views.EndPage: "sessions/end.html",
    privacy_views.PersonalDataPage: "privacy/data.html",
    privacy_views.PrivacyPage: "privacy/index.html",
}


class StaticUrls:
    """Addresses of files under /static that change with their content, so that each can be cached for ever."""

    def __init__(self, static_dir: Path) -> None:
        self.static_dir = static_dir

    def __call__(self, name: str) -> str:
        """Return the address of the static file `name`; raise `FileNotFoundError` where there is none."""
        path = self.static_dir / name
        return f"/static/{name}?v={version_of(path)}"


def create_environment(
    templates_dir: Path,
    static_dir: Path | None = None,
    glossary: Iterable[GlossaryEntry] = (),
    *,
    auto_reload: bool = False,
) -> Environment:
    """Return the environment of all pages; `static_dir` is the folder `static` beside the templates by default.

    The filter `reading` is `markdown` with the terms of the glossary linked. `auto_reload` looks at the file of each
    template again, for who writes them.
    """
    environment = Environment(
        loader=FileSystemLoader(templates_dir),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
        auto_reload=auto_reload,
    )
    environment.filters.update(
        markdown=markdown,
        markdown_inline=markdown_inline,
        reading=TermLinks(glossary),
        code_lines=code_lines,
        code_inline=code_inline,
        indent_steps=indent_steps,
        visible=visible,
        visible_words=visible_words,
    )
    environment.globals.update(static_url=StaticUrls(static_dir or templates_dir.parent / "static"))
    return environment


def render(environment: Environment, template_name: str, page: Page) -> str:
    """Return the HTML of `page`, which the template sees as `page`."""
    return environment.get_template(template_name).render(page=page)


def render_page(environment: Environment, page: Page) -> str:
    """Return the HTML of `page` by the template the table names for it."""
    return render(environment, TEMPLATES[type(page)], page)
