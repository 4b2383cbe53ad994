"""The page of the tools: commands, searching the web, how much of a result the model reads."""

from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field, field_validator

from desktop.config.base import ADDRESS, Section, notes
from desktop.config.loosens import Loosens, names
from desktop.config.mcp import McpServer
from desktop.text import mark

ENGINES = {
    "duckduckgo": "DuckDuckGo",
    "brave": "Brave",
    "tavily": "Tavily",
    "searxng": "SearXNG",
    "jina": "Jina",
    "kagi": "Kagi",
    "exa": "Exa",
}
"""The search engines by their names in the settings."""
KEYED = ("brave", "tavily", "jina", "kagi", "exa")
"""Those that want a key."""


def search_entry(engine: str) -> str:
    """Under which name of the keychain the key of a search engine is."""
    return f"search:{engine}"


class ExecTool(Section):
    """Commands of the shell."""

    LOOSENS = MappingProxyType(
        {
            "enable": Loosens(mark("The agent can run commands."), order=(False, True)),
            "path_append": Loosens(mark("Commands may be programs from these folders.")),
            "readable": Loosens(mark("Commands can read these folders of your home.")),
            "max_memory": Loosens(mark("A command may use so much memory.")),
            "max_processes": Loosens(mark("A command may have so many processes.")),
            "max_file_size": Loosens(mark("A command may write files of such a size.")),
            "sandbox": Loosens(mark("Commands run without a sandbox."), order=("auto", "off")),
        }
    )
    HARMLESS = names("timeout")

    enable: bool = Field(
        default=True,
        title=mark("Commands"),
        description=mark("Whether the agent has a tool that runs commands at all."),
        json_schema_extra=notes(applies="answer"),
    )
    timeout: int = Field(
        default=60,
        title=mark("A command may take"),
        description=mark("How long a command runs before it and all it started are ended."),
        ge=1,
        le=600,
        json_schema_extra=notes(unit=mark("seconds"), applies="answer"),
    )
    path_append: str = Field(
        default="",
        title=mark("More folders with programs"),
        description=mark("Added at the end of PATH for commands, separated as PATH is."),
        max_length=4096,
        json_schema_extra=notes(applies="answer"),
    )
    readable: str = Field(
        default="",
        title=mark("Folders that commands read"),
        description=mark(
            "In the sandbox your home is hidden but for the workspace, folders you opened and usual "
            "toolchains. More folders that commands can read, separated as PATH is."
        ),
        max_length=4096,
        json_schema_extra=notes(applies="answer"),
    )
    max_memory: int = Field(
        default=4096,
        title=mark("Memory of a command"),
        description=mark("What one command may use at most. 0 is no limit."),
        ge=0,
        le=1_000_000,
        json_schema_extra=notes(unit=mark("MB"), applies="answer"),
    )
    max_processes: int = Field(
        default=512,
        title=mark("Processes of a command"),
        description=mark(
            "How many processes and threads one command may have, in the sandbox. 0 is no limit."
        ),
        ge=0,
        le=1_000_000,
        json_schema_extra=notes(applies="answer"),
    )
    max_file_size: int = Field(
        default=10_000,
        title=mark("Largest file of a command"),
        description=mark("How large a file may become that a command writes. 0 is no limit."),
        ge=0,
        le=10_000_000,
        json_schema_extra=notes(unit=mark("MB"), applies="answer"),
    )
    sandbox: Literal["auto", "off"] = Field(
        default="auto",
        title=mark("Sandbox"),
        description=mark(
            "Where the system has one, commands can write to the workspace only and have no network unless "
            "you allow it."
        ),
        json_schema_extra=notes(
            choices={"auto": mark("Where there is one"), "off": mark("Never")}, applies="answer"
        ),
    )

    @field_validator("sandbox", mode="before")
    @classmethod
    def _older_names(cls, value: Any) -> Any:
        """nanobot's names of a sandbox; its "" was its default, not a wish for none."""
        return "auto" if value in ("", "bwrap", "seatbelt") else value


class WebSearch(Section):
    """Searching the web."""

    LOOSENS = MappingProxyType({"base_url": Loosens(mark("Searches go to the server at this address."))})
    HARMLESS = names("provider max_results")

    provider: str = Field(
        default="duckduckgo",
        title=mark("Search engine"),
        description=mark("DuckDuckGo needs no key."),
        json_schema_extra=notes(
            choices=ENGINES,
            applies="answer",
        ),
    )
    max_results: int = Field(
        default=5,
        title=mark("Results"),
        description=mark("How many results of a search the model reads."),
        ge=1,
        le=10,
        json_schema_extra=notes(applies="answer"),
    )
    base_url: str = Field(
        default="",
        title=mark("SearXNG server"),
        description=mark("The address of your SearXNG."),
        pattern=ADDRESS,
        max_length=2000,
        json_schema_extra=notes(applies="answer"),
    )

    @field_validator("provider")
    @classmethod
    def _one_style(cls, value: str) -> str:
        """A name that nobody knows stays: the tool and the doctor say so, and nothing else is asked."""
        return value.strip().lower() or "duckduckgo"


class WebTools(Section):
    """Reading and searching the web."""

    search: WebSearch = Field(default_factory=WebSearch, title=mark("Web search"))


class Tools(Section):
    """What the agent's tools do and how far they go."""

    LOOSENS = MappingProxyType(
        {
            "restrict_to_workspace": Loosens(
                mark("The agent reads outside its workspace without asking."), order=(True, False)
            ),
            "mcp_servers": Loosens(
                mark("This server is started or reached, and the agent has its tools."), entries=True
            ),
        }
    )
    HARMLESS = names("max_tool_result_chars")

    restrict_to_workspace: bool = Field(
        default=True,
        title=mark("Keep to the workspace"),
        description=mark(
            "The agent reads and writes in its workspace and in folders you granted; it asks for all else."
        ),
        json_schema_extra=notes(applies="answer"),
    )
    max_tool_result_chars: int = Field(
        default=16_000,
        title=mark("Longest result"),
        description=mark("A longer result of a tool goes to a file, and the model is given its beginning."),
        ge=1_000,
        le=500_000,
        json_schema_extra=notes(unit=mark("characters"), applies="answer"),
    )
    exec: ExecTool = Field(default_factory=ExecTool, title=mark("Commands"))
    web: WebTools = Field(default_factory=WebTools, title=mark("Web"))
    mcp_servers: dict[str, McpServer] = Field(
        default_factory=dict,
        title=mark("MCP servers"),
        description=mark("Programs and services that give the agent more tools."),
        json_schema_extra=notes(kind="own"),
    )

    @property
    def commands(self) -> ExecTool:
        """The section `exec`, under a name that no rule against nested event loops mistakes."""
        section: ExecTool = self.__dict__["exec"]
        return section
