"""What a tool is: a name, a model of its arguments, an effect, and a claim that is judged before it runs.

A call goes through here in three steps. claim() says what the call is about to do, in terms that
permissions can judge and a person can read; it does nothing itself. Then somebody says yes. Then run()
does it. A failure is a result with a hint for the model (ToolFailure), never the end of the turn.
"""

import functools
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from desktop.files import Seen
from desktop.origin import TRUSTED, Mark
from desktop.tools.form import Asker

type Json = dict[str, Any]


class Effect(StrEnum):
    """What a call does to the world; the class that permissions go by."""

    READ = "read"
    WRITE = "write"
    RUN = "run"
    SEND = "send"


class ToolFailure(Exception):
    """A call that did not work. `text` is for the model: what happened and what to try instead."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Arguments(BaseModel):
    """The arguments of a tool; what a model adds to them is ignored, "5" is taken for 5."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


@dataclass(frozen=True, slots=True)
class Claim:
    """What one call is about to do. Paths are absolute, as the call named them: links are not resolved."""

    effect: Effect
    gist: str
    """One short line for the person: a file's name, the command, an address."""
    asks: str = ""
    """The question to the person, where what is done says more than its effect: "Set a reminder?"."""
    facts: tuple[str, ...] = ()
    """Lines below it: what the person has to know and nothing else of the claim says."""
    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    command: str = ""
    """The whole command line for the shell; only where effect is RUN."""
    cwd: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the child's environment has besides or unlike the usual one."""
    network: bool = False
    """Whether a command asked for the network."""
    address: str = ""
    """The address that will be fetched."""
    query: str = ""
    """What will be given to a search engine."""
    recipient: str = ""
    """The session that a message goes to; empty for the turn's own."""
    body: str = ""
    """What will be written or sent, whole."""
    service: str = ""
    """The MCP server that the call goes to."""
    identity: str = ""
    """What the service and this tool of it are, hashed: a yes is good for just that."""
    always_ask: str = ""
    """Why the person is asked whatever they said before, as a sentence; empty where they need not be."""
    lasts: bool = False
    """It changes something of the program's own that lasts, such as a job or a reminder."""
    stays: bool = False
    """The person said of the service that it is on this computer and only reads."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A message that a tool puts into a conversation."""

    session: str
    text: str
    media: tuple[Path, ...] = ()
    """Files that go along."""

    @property
    def files(self) -> tuple[str, ...]:
        """Their paths as texts."""
        return tuple(map(str, self.media))

    @property
    def fields(self) -> Json:
        """Of the message's record, where there are any."""
        return {"_files": list(self.files)} if self.media else {}


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Where a call runs."""

    session: str
    turn: str
    call: str
    workspace: Path
    cwd: Path
    """The conversation's working folder: relative paths start here."""
    network: bool = False
    """A command may use the network: a rule or the approval said so."""
    writable: tuple[Path, ...] = ()
    """Folders outside the workspace that a command may write to."""
    judged: Mapping[Path, Path] = field(default_factory=dict)
    """The paths of the claim, and the real paths that were judged for them: the only ones to be opened."""
    readable: tuple[Path, ...] = ()
    """Folders outside the workspace that a command may read."""
    apart: bool = False
    """A command does not see the workspace."""
    guarded: bool = False
    """A command runs without a question while marked text is in view: it leaves nothing that runs later."""
    say: Callable[[Saying], Awaitable[None]] | None = None
    """Puts a message into a conversation; raises ToolFailure if there is none such."""
    spawn: Callable[[str, str], Awaitable[bool]] | None = None
    """Has a subagent do a task under a label; whether it has to wait. Raises ToolFailure."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """Variables whose values the skills of this turn need, and whose skill's each is."""
    chat: str = ""
    """The key of the chat that the turn is of, where its conversation is that of several."""
    asker: Asker | None = None
    """Asks the person what somebody outside wants to know in the middle of the call."""

    def path(self, name: str) -> Path:
        """A path as a call names it: `~` is the home, a relative one starts in the working folder, `..`
        stays as it is (links before it count)."""
        if "\0" in name:
            raise ToolFailure("A path cannot contain a zero byte.")
        try:
            return self.cwd / Path(name).expanduser()
        except RuntimeError:
            raise ToolFailure(f"There is no home folder for {name!r}.") from None

    def real(self, path: Path) -> Path:
        """The real path that was judged for a path of the claim. Raises ToolFailure where none was."""
        try:
            return self.judged[path]
        except KeyError:
            raise ToolFailure(f"{path} was not judged before this call.") from None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call brought. `text` is what the model reads."""

    text: str
    mark: Mark = TRUSTED
    """Whose words the text is, as far as the tool knows; what it read from files counts besides."""
    addresses: frozenset[str] = frozenset()
    """Addresses that the text gave: the model may fetch some of these without a question."""
    images: tuple[Path, ...] = ()
    """Pictures that the model is shown where it can see."""
    spoke: bool = False
    """The call put a message into the turn's own conversation."""
    read: tuple[Seen, ...] = ()
    """Files whose content is in the text."""
    wrote: tuple[Seen, ...] = ()
    """Files that the call made or changed."""


class Tool[A: Arguments](ABC):
    """One thing the agent can do. A class a tool; made once, when the first turn needs it."""

    name: str
    description: str
    """What the model is told of it."""
    brief: str = ""
    """What a small model is told of it; empty for the description."""
    effect: Effect
    """The usual effect, for lists; claim() says it of one call."""
    parallel_safe: bool = False
    """Whether calls of one round may run side by side."""
    capped: bool = True
    """Whether a long result goes to a file with a pointer."""
    mark: Mark = TRUSTED
    """Whose words all its text is, failures too."""
    arguments: type[A]

    @abstractmethod
    def claim(self, args: A, context: ToolContext) -> Claim:
        """What this call is about to do. Touches nothing. Raises ToolFailure for what can never be done."""

    @abstractmethod
    async def run(self, args: A, context: ToolContext) -> str | ToolResult:
        """Do it. Raises ToolFailure. Cancelling it ends everything that it started."""

    @functools.cached_property
    def schema(self) -> Json:
        """The tool in the form that a request carries (OpenAI's function form)."""
        return self._function(self.description, _plain(self.arguments.model_json_schema(by_alias=True)))

    @functools.cached_property
    def brief_schema(self) -> Json:
        """The same for a small model: few words, the required parameters only."""
        whole = self.schema["function"]["parameters"]
        needed = whole.get("required", [])
        kept = {name: {"type": whole["properties"][name].get("type", "string")} for name in needed}
        return self._function(
            self.brief or self.description, {"type": "object", "properties": kept, "required": needed}
        )

    def _function(self, description: str, parameters: Json) -> Json:
        function = {"name": self.name, "description": description, "parameters": parameters}
        return {"type": "function", "function": function}


def _plain(schema: Any) -> Any:
    """A JSON Schema without what models have no use for: titles, defaults of null, `anyOf` with null."""
    if isinstance(schema, list):
        return [_plain(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "anyOf" in schema:
        options = [option for option in schema["anyOf"] if option != {"type": "null"}]
        if len(options) == 1:
            schema = {**{key: value for key, value in schema.items() if key != "anyOf"}, **options[0]}
    plain = {}
    for key, value in schema.items():
        if key == "properties":
            plain[key] = {name: _plain(inner) for name, inner in value.items()}
        elif not (key == "title" or (key == "default" and value is None)):
            plain[key] = _plain(value)
    return plain
