import re
from pathlib import Path

import pytest

from app.settings import PREFIX, Settings, SettingsError, load_settings


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(PREFIX + name.upper(), raising=False)


def test_every_bad_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADPROOF_PORT", "many")
    monkeypatch.setenv("GRADPROOF_FORM_MAX_HOURS", "0")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert "GRADPROOF_PORT" in caught.value.message
    assert "GRADPROOF_FORM_MAX_HOURS" in caught.value.message


def test_unknown_variable_is_named_with_the_nearest_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADPROOF_DATABASE_URI", "sqlite://")
    with pytest.raises(
        SettingsError, match="GRADPROOF_DATABASE_URI is not a setting; did you mean GRADPROOF_DATABASE_URL"
    ):
        load_settings()


def test_unknown_line_of_env_file_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("GRADPROOF_PROT=1\n")
    with pytest.raises(SettingsError, match="GRADPROOF_PROT"):
        load_settings()


def test_env_file_is_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("GRADPROOF_PORT=8123\n")
    assert load_settings().port == 8123


def test_given_value_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADPROOF_PORT", "8123")
    assert load_settings(port=9000).port == 9000


def test_database_defaults_to_a_file_in_var(tmp_path: Path) -> None:
    assert load_settings(var=tmp_path / "v").effective_database_url == f"sqlite:///{tmp_path}/v/gradproof.db"


def test_var_is_private(tmp_path: Path) -> None:
    settings = load_settings(var=tmp_path / "v")
    assert settings.make_var().stat().st_mode & 0o777 == 0o700


def test_every_setting_has_a_reason_and_a_row_in_the_docs() -> None:
    docs = (Path(__file__).parent.parent / "docs" / "settings.md").read_text()
    for name, field in Settings.model_fields.items():
        assert field.description, name
        assert f"`{PREFIX}{name.upper()}`" in docs, name


def test_every_setting_that_a_page_of_the_docs_names_exists() -> None:
    root = Path(__file__).parent.parent
    named = {
        (page.name, name)
        for page in [root / "README.md", root / "compose.yaml", *(root / "docs").glob("*.md")]
        for name in re.findall(rf"{PREFIX}[A-Z_]+", page.read_text())
    }
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    assert len(named) > 20
    assert {(page, name) for page, name in named if name not in known} == set()


def test_lines_of_other_tools_in_env_file_are_left_to_them(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("COMPOSE_PROJECT_NAME=x\nGRADPROOF_PORT=8123\n")
    assert load_settings().port == 8123


def test_env_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"GRADPROOF_PORT=8123\n\xff\xfe")
    with pytest.raises(SettingsError, match=r"\.env cannot be read as UTF-8"):
        load_settings()


def test_var_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("")
    with pytest.raises(SettingsError, match="GRADPROOF_VAR"):
        load_settings(var=tmp_path / "v").make_var()
    with pytest.raises(SettingsError, match="GRADPROOF_VAR"):
        load_settings(var=tmp_path / "v" / "below").make_var()


@pytest.mark.parametrize("inside", [None, "gradproof.db"])
def test_var_of_ours_that_others_can_read_is_closed_to_them(tmp_path: Path, inside: str | None) -> None:
    var = tmp_path / "v"
    var.mkdir(mode=0o755)
    if inside:
        (var / inside).write_text("")
    assert load_settings(var=var).make_var().stat().st_mode & 0o777 == 0o700


def test_shared_folder_is_refused_as_var_and_left_as_it_is(tmp_path: Path) -> None:
    var = tmp_path / "v"
    var.mkdir(mode=0o755)
    (var / "somebody-elses").write_text("")
    with pytest.raises(SettingsError, match="holds other things"):
        load_settings(var=var).make_var()
    assert var.stat().st_mode & 0o777 == 0o755
