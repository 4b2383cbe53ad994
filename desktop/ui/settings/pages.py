"""Which settings stand on which page: a new model of the configuration needs a line here, nothing else."""

from dataclasses import dataclass

from desktop.config.channels.section import Channels
from desktop.config.describe import Setting, setting, settings_of
from desktop.text import mark
from desktop.ui.settings.chat_apps import FIELDS


@dataclass(frozen=True, slots=True)
class Group:
    """Fields in one card. A name is one field's, or a section's for all of its fields."""

    title: str = ""
    names: tuple[str, ...] = ()
    part: str = ""
    """Instead of fields: a widget of PARTS in parts.py."""
    inside: bool = False
    """The fields stand in the part of the first group, and open with it."""

    def settings(self) -> list[Setting]:
        """The fields, in their order."""
        found: list[Setting] = []
        for name in self.names:
            found += settings_of(name) if name in SECTIONS else [setting(name)]
        return found


@dataclass(frozen=True, slots=True)
class Page:
    """One page; `icon` is a file of resources/icons."""

    key: str
    title: str
    icon: str
    groups: tuple[Group, ...]


def _of_app(app: str, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"channels.{app}.{name}" for name in names)


SECTIONS = frozenset(
    {
        "appearance",
        "model_host",
        "local",
        "agents.defaults",
        "gateway.heartbeat",
        "presence",
        "transcription",
    }
)

PAGES = (
    Page(
        "model",
        mark("Provider and model"),
        "sparkles",
        (
            Group(part="providers"),
            Group(mark("Models by task"), part="purposes"),
            Group(mark("On this computer"), part="builtin"),
            Group(
                mark("Answers"),
                (
                    "agents.defaults.temperature",
                    "agents.defaults.reasoning_effort",
                    "agents.defaults.max_tokens",
                    "agents.defaults.context_window_tokens",
                ),
            ),
        ),
    ),
    Page(
        "agent",
        mark("Agent"),
        "bot",
        (
            Group(
                "",
                (
                    "agents.defaults.bot_name",
                    "agents.defaults.workspace",
                    "agents.defaults.auto_titles",
                    "agents.defaults.max_tool_iterations",
                ),
            ),
            Group(
                mark("Memory"),
                (
                    "agents.defaults.idle_compact_after_minutes",
                    "agents.defaults.dream.enabled",
                    "agents.defaults.dream.interval_h",
                    "agents.defaults.dream.model_override",
                    "agents.defaults.dream.max_batch_size",
                    "agents.defaults.dream.max_iterations",
                ),
            ),
            Group(
                mark("Subagents"),
                (
                    "agents.defaults.max_concurrent_subagents",
                    "agents.defaults.max_subagent_iterations",
                ),
            ),
            Group(
                mark("Background"),
                (
                    "gateway.heartbeat",
                    "limits.daily_usd",
                    "limits.daily_tokens",
                    "agents.defaults.timezone",
                ),
            ),
        ),
    ),
    Page(
        "permissions",
        mark("Permissions"),
        "shield",
        (
            Group(
                "",
                (
                    "permissions.mode",
                    "permissions.autonomous_minutes",
                    "permissions.patience_minutes",
                    "tools.restrict_to_workspace",
                ),
            ),
            Group(part="standing"),
            Group(mark("Agent activity"), part="activity"),
        ),
    ),
    Page(
        "tools",
        mark("Tools"),
        "wrench",
        (
            Group(
                mark("Commands"),
                (
                    "tools.exec.enable",
                    "tools.exec.sandbox",
                    "tools.exec.timeout",
                    "tools.exec.max_memory",
                    "tools.exec.max_processes",
                    "tools.exec.max_file_size",
                    "tools.exec.path_append",
                    "tools.exec.readable",
                ),
            ),
            Group(
                mark("Web search"),
                (
                    "tools.web.search.provider",
                    "tools.web.search.max_results",
                    "tools.web.search.base_url",
                ),
            ),
            Group(part="search_key"),
            Group(mark("Results"), ("tools.max_tool_result_chars",)),
            Group(mark("Agent tools"), part="tools"),
        ),
    ),
    Page("tasks", mark("Tasks"), "calendar-clock", (Group(part="tasks"),)),
    Page("memory", mark("Memory"), "brain", (Group(part="memory"),)),
    Page("skills", mark("Skills"), "graduation-cap", (Group(part="skills"),)),
    Page("mcp", mark("MCP servers"), "plug", (Group(part="mcp"),)),
    Page(
        "channels",
        mark("Channels"),
        "send",
        (
            Group(part="channels"),
            *(
                Group(str(Channels.model_fields[app].title), _of_app(app, names), inside=True)
                for app, names in FIELDS.items()
            ),
            Group(
                mark("All channels"),
                (
                    "agents.defaults.unified_session",
                    "channels.send_progress",
                    "channels.send_tool_hints",
                    "channels.tool_hint_max_length",
                    "channels.messages_per_minute",
                    "channels.daily_messages",
                    "channels.send_max_retries",
                ),
            ),
        ),
    ),
    Page(
        "speech",
        mark("Speech"),
        "mic",
        (
            Group("", ("transcription",)),
            Group(mark("Test"), part="speech_test"),
            Group(mark("On this computer"), part="speech_models"),
        ),
    ),
    Page(
        "usage",
        mark("Usage"),
        "chart-column",
        (Group(part="usage"), Group(mark("Monthly budget"), ("limits.monthly_usd",))),
    ),
    Page(
        "notifications",
        mark("Notifications"),
        "bell",
        (
            Group(
                mark("On screen"),
                (
                    "notifications.answer",
                    "notifications.approval",
                    "notifications.reminder",
                    "notifications.heartbeat",
                    "notifications.subagent",
                    "notifications.error",
                ),
            ),
            Group(
                mark("Quiet hours"),
                ("notifications.quiet", "notifications.quiet_from", "notifications.quiet_to"),
            ),
            Group(part="notified"),
        ),
    ),
    Page(
        "presence",
        mark("Tray and startup"),
        "app-window",
        (Group("", ("presence",)), Group(part="reachable")),
    ),
    Page(
        "appearance",
        mark("Appearance"),
        "palette",
        (Group("", ("appearance.theme", "appearance.contrast")),),
    ),
    Page("language", mark("Language"), "languages", (Group("", ("appearance.language",)),)),
    Page(
        "advanced",
        mark("Advanced"),
        "sliders-horizontal",
        (
            Group(
                mark("Running"),
                ("agents.defaults.max_concurrent_turns", "model_host.idle_stop_s", "local.idle_stop_s"),
            ),
            Group(mark("Connection"), ("local.server",)),
        ),
    ),
    Page("import", mark("Import"), "folder-input", (Group(part="import"),)),
    Page(
        "data",
        mark("Privacy and data"),
        "hard-drive",
        (
            Group(mark("Backups"), part="backups"),
            Group(mark("Where data is stored"), part="places"),
            Group(mark("Delete everything"), part="wipe"),
        ),
    ),
    Page(
        "repair",
        mark("Repair"),
        "life-buoy",
        (
            Group(part="recovery"),
            Group(mark("Last crash"), part="crash"),
            Group(mark("Diagnostics"), part="diagnostics"),
        ),
    ),
    Page(
        "about",
        mark("About"),
        "info",
        (
            Group(part="about"),
            Group(mark("Updates"), ("updates.check",)),
            Group(part="updates"),
            Group(mark("Licenses"), part="licences"),
        ),
    ),
)

ELSEWHERE = frozenset(
    {
        "agents.defaults.provider",
        "agents.defaults.model",
        "agents.defaults.fallback_models",
        "agents.defaults.small_model.model",
        "agents.defaults.small_model.provider",
        "agents.defaults.vision_model.model",
        "agents.defaults.vision_model.provider",
        "local.model",
        "local.files",
        "permissions.rules",
        "permissions.folders",
        "tools.mcp_servers",
        *(f"channels.{app}.enabled" for app in FIELDS),
        "agents.defaults.disabled_skills",
        "agents.defaults.skill_keys",
    }
)
"""Set by parts of the pages."""

PROVIDER_DETAILS = ("proxy", "engine", "api_type", "idle_timeout_s", "extra_headers")
"""The rarer fields of a provider's section, which stand in its card."""
