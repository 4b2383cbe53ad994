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
            "path_append": Loosens(mark("Commands can use programs from these folders.")),
            "readable": Loosens(mark("Commands can read these folders of your home.")),
            "max_memory": Loosens(mark("A command can use this much memory.")),
            "max_processes": Loosens(mark("A command can have this many processes.")),
            "max_file_size": Loosens(mark("A command can write files of this size.")),
            "sandbox": Loosens(mark("Commands run without a sandbox."), order=("auto", "off")),
        }
    )
    HARMLESS = names("timeout")

    enable: bool = Field(
        default=True,
        title=mark("Commands"),
        description=mark("Whether the agent can run commands."),
        json_schema_extra=notes(applies="answer"),
    )
    timeout: int = Field(
        default=60,
        title=mark("Command timeout"),
        description=mark("A command and everything it started are stopped after this time."),
        ge=1,
        le=600,
        json_schema_extra=notes(unit=mark("seconds"), applies="answer"),
    )
    path_append: str = Field(
        default="",
        title=mark("Additional program folders"),
        description=mark("Added to the end of PATH for commands, in the same format as PATH."),
        max_length=4096,
        json_schema_extra=notes(applies="answer"),
    )
    readable: str = Field(
        default="",
        title=mark("Readable folders"),
        description=mark(
            "In the sandbox, your home folder is hidden except for the workspace, folders you granted "
            "access to and common toolchains. Add more folders that commands can read, in the same format "
            "as PATH."
        ),
        max_length=4096,
        json_schema_extra=notes(applies="answer"),
    )
    max_memory: int = Field(
        default=4096,
        title=mark("Memory limit"),
        description=mark("The most memory a command can use. 0: no limit."),
        ge=0,
        le=1_000_000,
        json_schema_extra=notes(unit=mark("MB"), applies="answer"),
    )
    max_processes: int = Field(
        default=512,
        title=mark("Process limit"),
        description=mark("The most processes and threads a command can have in the sandbox. 0: no limit."),
        ge=0,
        le=1_000_000,
        json_schema_extra=notes(applies="answer"),
    )
    max_file_size: int = Field(
        default=10_000,
        title=mark("File size limit"),
        description=mark("The largest file a command can write. 0: no limit."),
        ge=0,
        le=10_000_000,
        json_schema_extra=notes(unit=mark("MB"), applies="answer"),
    )
    sandbox: Literal["auto", "off"] = Field(
        default="auto",
        title=mark("Sandbox"),
        description=mark(
            "Where the system supports it, commands can write only to the workspace and have no network "
            "unless you allow it."
        ),
        json_schema_extra=notes(
            choices={"auto": mark("When available"), "off": mark("Never")}, applies="answer"
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
        description=mark("How many search results the model reads."),
        ge=1,
        le=10,
        json_schema_extra=notes(applies="answer"),
    )
    base_url: str = Field(
        default="",
        title=mark("SearXNG server"),
        description=mark("The address of your SearXNG server."),
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
                mark("This server runs, and the agent can use its tools."), entries=True
            ),
        }
    )
    HARMLESS = names("max_tool_result_chars")

    restrict_to_workspace: bool = Field(
        default=True,
        title=mark("Restrict to workspace"),
        description=mark(
            "The agent reads and writes only in its workspace and in folders you granted access to. It "
            "asks for everything else."
        ),
        json_schema_extra=notes(applies="answer"),
    )
    max_tool_result_chars: int = Field(
        default=16_000,
        title=mark("Result limit"),
        description=mark("Longer tool results are saved to a file, and the model sees only the beginning."),
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
