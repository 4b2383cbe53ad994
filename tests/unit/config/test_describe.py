"""Fields as pages show them, and what is said of a text that means no value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from desktop.config.agents import AgentDefaults
from desktop.config.describe import check_headers, setting, settings_of
from desktop.config.schema import Config
from desktop.errors import ConfigError

PATHS = (
    "agents.defaults",
    "agents.defaults.dream",
    "agents.defaults.dream",
    "appearance",
    "model_host",
    "local",
    "providers.some",
)
FORM = tuple(
    f"tools.mcp_servers.some.{name}"
    for name in ("command", "args", "env", "cwd", "headers", "tool_timeout")
)
"""Fields of a model that a form is made from."""


def test_every_field_has_words() -> None:
    for path in PATHS:
        for field in settings_of(path):
            assert field.title != field.name, field.name
            assert field.help, field.name
    for name in FORM:
        assert setting(name).title != name
        assert setting(name).help, name


def test_a_field_is_found_with_its_limits() -> None:
    field = setting("agents.defaults.max_tokens")
    assert (field.kind, field.least, field.most, field.default) == ("whole", 1, 1_000_000, 8192)
    assert setting("providers.some.idle_timeout_s").optional
    assert setting("providers.some.extra_headers").kind == "table"
    assert setting("appearance.theme").choices["dark"] == "Dark"
    assert setting("providers.some.key_stored").kind == "switch"


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("agents.defaults.max_tokens", " 4,096 ", 4096),
        ("agents.defaults.max_tokens", "4 096", 4096),
        ("agents.defaults.temperature", "1e-1", 0.1),
        ("agents.defaults.bot_name", " Ada ", "Ada"),
        ("providers.some.idle_timeout_s", "", None),
        ("local.server", "", ""),
    ],
)
def test_what_a_text_means(name: str, typed: str, value: object) -> None:
    assert setting(name).read(typed) == value


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("providers.some.idle_timeout_s", "0", "more than 0 and at most 86,400"),
        ("agents.defaults.max_tokens", "", "whole number"),
        ("agents.defaults.max_tokens", "9" * 5000, "whole number"),
        ("agents.defaults.workspace", "notes/mine", "full path of a folder"),
        ("agents.defaults.temperature", "0,5", "a number"),
        ("agents.defaults.temperature", "inf", "a number"),
    ],
)
def test_what_is_said_of_a_wrong_one(name: str, typed: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        setting(name).read(typed)


@given(st.text(max_size=70))
@pytest.mark.parametrize("name", ["bot_name", "max_tokens", "temperature", "context_window_tokens"])
def test_whatever_may_be_read_the_model_takes(name: str, typed: str) -> None:
    field = setting(f"agents.defaults.{name}")
    try:
        value = field.read(typed)
    except ConfigError:
        return
    made = AgentDefaults.model_validate({name: value})
    assert field.read(field.write(getattr(made, name))) == value


def test_headers() -> None:
    check_headers({"X-Team": "blue and green"})
    for bad in ({"X Team": "blue"}, {"": "x"}, {"X": "a\nb"}):
        with pytest.raises(ConfigError):
            check_headers(bad)


def test_the_theme_is_one_of_three() -> None:
    assert Config.model_validate({"appearance": {"theme": "dark"}}).appearance.theme == "dark"
    with pytest.raises(ValidationError):
        Config.model_validate({"appearance": {"theme": "pink"}})
