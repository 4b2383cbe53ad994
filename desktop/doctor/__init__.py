"""Every part of the program, its state, and what the person can do about it.

Only looks: nothing is repaired, started or unlocked, and no prompt of the keychain is raised.
"""

import os
import shutil
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from desktop.config import mcp_health, mcp_last
from desktop.config.given import Given, credential, variable
from desktop.config.keychain import Keychain, without_keychain
from desktop.config.needed import needed
from desktop.config.schema import Config
from desktop.config.store import ConfigStore
from desktop.config.tools import ENGINES
from desktop.config.updates import NEVER
from desktop.cron.health import look as look_at_jobs
from desktop.database.database import Database
from desktop.errors import AppError, ConfigError, KeychainError, explain, no_place
from desktop.files import Astray, Entry, Place
from desktop.memory.health import look as look_at_memory
from desktop.net import way_out
from desktop.paths import Home, open_to_others
from desktop.providers import discover, engine, former, weights
from desktop.providers.local import better_words, chosen, offered
from desktop.providers.registry import choose
from desktop.providers.speech.health import look as look_at_speech
from desktop.session.sessions import Sessions
from desktop.skills.health import look as look_at_skills
from desktop.skills.loader import Skills
from desktop.tasks import in_thread
from desktop.text import _, listed, ngettext
from desktop.updates.health import look as look_at_updates
from desktop.updates.source import of_build

_LITTLE_ROOM = 500 * 10**6


@dataclass(frozen=True, slots=True)
class Finding:
    """One part: whether it works, a sentence on its state, and the remedy where it needs one."""

    part: str
    ok: bool
    state: str
    remedy: str = ""


async def examine(home: Home, workspace_of: Callable[[Home, Config], Path]) -> list[Finding]:
    """Look at every part; one that cannot even be looked at is a finding like any other."""
    store = ConfigStore(home.config, os.environ)
    await in_thread(store.load)
    workspace = workspace_of(home, store.config)
    looks: list[tuple[str, Callable[[], Awaitable[list[Finding]]]]] = [
        (_("Home"), lambda: in_thread(_home, home)),
        (_("Home"), lambda: in_thread(_openness, home, workspace)),
        (_("Settings"), lambda: _settings(store)),
        (_("Workspace"), lambda: in_thread(_workspace, workspace)),
        (_("Conversations"), lambda: _conversations(workspace)),
        (_("Skills"), lambda: in_thread(_skills, store, workspace)),
        (_("Memory"), lambda: in_thread(_memory, workspace)),
        (_("Reminders and tasks"), lambda: _jobs(store, workspace)),
        (_("Usage"), lambda: _ledger(home)),
        (_("Keychain"), lambda: _keychain(store, workspace)),
        (_("Secrets for this run"), lambda: in_thread(_given, store, workspace)),
        (_("Web search"), lambda: in_thread(_search, store)),
        (_("Network"), lambda: in_thread(_way_out)),
        (_("Model"), lambda: _model(store)),
        (_("Built-in model"), lambda: _builtin(home, store)),
        (_("Built-in model"), lambda: in_thread(_former, home)),
        (_("Speech"), lambda: _speech(home, store)),
        (_("Local model servers"), _servers),
        (_("MCP servers"), lambda: _mcp(store, home.logs / "mcp")),
        (_("Updates"), lambda: in_thread(_updates, home, store)),
    ]
    findings: list[Finding] = []
    for part, look in looks:
        try:
            findings += await look()
        except Exception as error:
            told = explain(error)
            findings.append(Finding(part, ok=False, state=told.text, remedy=told.remedy))
    return findings


def _home(home: Home) -> list[Finding]:
    part = _("Home")
    try:
        home.root.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise no_place(home.root, error) from error
    probe = home.root / f".write-test-{uuid.uuid4().hex}"
    try:
        probe.write_bytes(b"x" * 4096)
    finally:
        probe.unlink(missing_ok=True)
    home.logs.mkdir(exist_ok=True)
    room = shutil.disk_usage(home.root).free
    if room < _LITTLE_ROOM:
        return [
            Finding(
                part,
                ok=False,
                state=_("{root}: only {room:.0f} MB free.").format(root=home.root, room=room / 1e6),
                remedy=_("Free up some space on that disk."),
            )
        ]
    return [Finding(part, ok=True, state=_("{root} is writable.").format(root=home.root))]


def _openness(home: Home, workspace: Path) -> list[Finding]:
    found = open_to_others(home, workspace)
    if not found:
        return []
    n = len(found)
    state = ngettext(
        "Other accounts on this computer can access {n} of your files or folders: {first}",
        "Other accounts on this computer can access {n} of your files and folders, among them {first}",
        n,
    ).format(n=n, first=found[0])
    return [Finding(_("Home"), False, state, _("Make them private with: nanobot-desktop doctor --fix"))]


_LOOKED_AT = ("", "memory", "skills", "cron", "sessions", "files")
"""Folders of the workspace in which the program opens files on its own account."""


def _workspace(workspace: Path) -> list[Finding]:
    """The links that are not followed."""
    part, place = _("Workspace"), Place(workspace)
    links = [
        f"{folder}/{entry.name}".lstrip("/")
        for folder in _LOOKED_AT
        for entry in _scanned(place, folder)
        if entry.kind == "link"
    ]
    findings = []
    for name in links:
        try:
            place.stat(name)
        except Astray as error:
            state = _("{path} is not used: {reason}.").format(path=place.named(name), reason=error.strerror)
            remedy = _(
                "If you did not create this link, delete it. Otherwise, grant access to the folder it "
                "leads to in Settings, under Permissions."
            )
            findings.append(Finding(part, ok=False, state=state, remedy=remedy))
        except OSError:
            continue  # it leads nowhere
    sound = _("{path} has no links that lead where the agent has no access.").format(path=workspace)
    return findings or [Finding(part, ok=True, state=sound)]


def _scanned(place: Place, folder: str) -> list[Entry]:
    try:
        return place.scan(folder)
    except OSError:  # a folder that is a link itself was named already
        return []


async def _settings(store: ConfigStore) -> list[Finding]:
    part = _("Settings")
    findings = [Finding(part, ok=False, state=p.text, remedy=p.remedy) for p in store.problems]
    findings += [
        Finding(
            part,
            ok=False,
            state=_("config.json contains the key for {name} in plain text; it is not used.").format(
                name=name
            ),
            remedy=_("Move it to the keychain with: nanobot-desktop provider set {name}").format(name=name),
        )
        for name in store.plaintext_keys
    ]
    return findings or [Finding(part, ok=True, state=_("config.json is valid."))]


async def _jobs(store: ConfigStore, workspace: Path) -> list[Finding]:
    found = await look_at_jobs(workspace, store.config.agents.defaults.timezone)
    remedy = _("See it with: nanobot-desktop cron list")
    part = _("Reminders and tasks")
    return [Finding(part, ok, state, "" if ok else remedy) for ok, state in found]


async def _conversations(workspace: Path) -> list[Finding]:
    part = _("Conversations")
    known = await Sessions(workspace / "sessions").list()
    damaged = [info.key for info in known if info.damaged]
    if damaged:
        return [
            Finding(
                part,
                ok=True,
                state=_("Damaged records are skipped in: {names}").format(names=listed(damaged)),
                remedy=_(
                    "Everything else in them is intact. Repair them with: nanobot-desktop doctor --fix"
                ),
            )
        ]
    n = len(known)
    return [Finding(part, ok=True, state=ngettext("{n} stored.", "{n} stored.", n).format(n=n))]


def _skills_of(store: ConfigStore, workspace: Path) -> Skills:
    config = store.config
    return Skills(
        workspace,
        lambda: config.agents.defaults.disabled_skills,
        more_path=lambda: config.tools.commands.path_append,
        stored=lambda: config.agents.defaults.skill_keys,
    )


def _skills(store: ConfigStore, workspace: Path) -> list[Finding]:
    found = look_at_skills(_skills_of(store, workspace))
    return [Finding(_("Skills"), ok, state, remedy) for ok, state, remedy in found]


def _memory(workspace: Path) -> list[Finding]:
    return [Finding(_("Memory"), ok, state, remedy) for ok, state, remedy in look_at_memory(workspace)]


async def _ledger(home: Home) -> list[Finding]:
    if not await in_thread(home.database.exists):
        return [Finding(_("Usage"), ok=True, state=_("No calls to a model yet."))]
    database = Database(home.database, mend=False)
    await database.open()
    try:
        await database.check()
        rows = await database.read("SELECT count(*) FROM usage")
    finally:
        await database.close()
    n = int(rows[0][0])
    return [Finding(_("Usage"), ok=True, state=ngettext("{n} call.", "{n} calls.", n).format(n=n))]


async def _keychain(store: ConfigStore, workspace: Path) -> list[Finding]:
    part = _("Keychain")
    try:
        await Keychain().check()
    except AppError as error:
        lacking = await in_thread(_lacking, store, workspace)
        return [Finding(part, ok=not lacking, state=error.text, remedy=error.remedy)]
    return [Finding(part, ok=True, state=_("It works."))]


def _lacking(store: ConfigStore, workspace: Path) -> list[str]:
    """The entries of the keychain that are needed and not given for this run."""
    given = Given()
    skills = _skills_of(store, workspace).wanted()
    return [entry for entry in needed(store.config, skills) if not given.get(entry)]


def _given(store: ConfigStore, workspace: Path) -> list[Finding]:
    """What is given by systemd or the environment, and by which names the rest could be."""
    part, given = _("Secrets for this run"), Given()
    lacking = list(filter(credential, _lacking(store, workspace)))
    places = listed(given.places())
    state = _("Provided: {names}.").format(names=places) if places else _("None provided.")
    names = "\n".join(f"{credential(entry)}  {variable(entry)}" for entry in lacking)
    remedy = _("You can provide these as a systemd credential or a variable:") if names else ""
    return [Finding(part, ok=True, state=state, remedy=f"{remedy}\n{names}".strip())]


def _search(store: ConfigStore) -> list[Finding]:
    part, name = _("Web search"), store.config.tools.web.search.provider
    if name in ENGINES:
        return [Finding(part, ok=True, state=_("Using {engine}.").format(engine=ENGINES[name]))]
    state = _("There is no search engine named {name}, so searching doesn’t work.").format(name=name)
    remedy = _("Choose one in Settings: {names}.").format(names=listed(ENGINES.values()))
    return [Finding(part, ok=False, state=state, remedy=remedy)]


def _way_out() -> list[Finding]:
    """The proxies and certificates that the environment names."""
    part = _("Network")
    wrong = [Finding(part, ok=False, state=one.text, remedy=one.remedy) for one in way_out.faults()]
    named = listed(way_out.named())
    state = (
        _("Set by the environment: {names}.").format(names=named)
        if named
        else _("Direct connection, no proxy.")
    )
    return wrong or [Finding(part, ok=True, state=state)]


async def _model(store: ConfigStore) -> list[Finding]:
    chosen = choose(store.config, store.keyed)
    if chosen.spec.needs_key and chosen.spec.name not in store.keyed:
        return [
            Finding(
                _("Model"),
                ok=False,
                state=_("{provider} is in use but has no key.").format(provider=_(chosen.spec.display)),
                remedy=_("Set one with: nanobot-desktop provider set {name}").format(name=chosen.spec.name),
            )
        ]
    state = _("{provider} answers with {model}.").format(
        provider=_(chosen.spec.display), model=chosen.model or _("built-in")
    )
    return [Finding(_("Model"), ok=True, state=state)]


async def _builtin(home: Home, store: ConfigStore) -> list[Finding]:
    part = _("Built-in model")
    try:
        needed = choose(store.config, store.keyed).spec.small_model
    except ConfigError:  # told beside the model
        needed = False
    model = await in_thread(chosen, store.config.local.model, home.models)
    if await weights.verified(model, home.models) is None:
        state = _("{name} is not on this computer.").format(name=model.name)
        remedy = _("Download it with: {command}").format(command=f"nanobot-desktop local setup {model.id}")
        return [Finding(part, not needed, state, remedy)]
    if fault := await in_thread(engine.fault):
        return [Finding(part, not needed, fault.text, fault.remedy)]
    state = _("{name} is installed.").format(name=model.name)
    if offer := await in_thread(offered, model, home.models):
        command = f"nanobot-desktop local setup {offer.id} --use"
        return [
            Finding(
                part,
                True,
                f"{state} {better_words(offer)}",
                _("Download it with: {command}").format(command=command),
            )
        ]
    return [Finding(part, True, state)]


def _former(home: Home) -> list[Finding]:
    if not (size := former.size(home.models)):
        return []
    state = _("Packages of the previous engine use {mb} MB and are no longer needed.")
    remedy = _("Remove them with: nanobot-desktop doctor --fix")
    return [Finding(_("Built-in model"), True, state.format(mb=former.megabytes(size)), remedy)]


async def _speech(home: Home, store: ConfigStore) -> list[Finding]:
    return [Finding(_("Speech"), *await look_at_speech(store, home.models))]


async def _servers() -> list[Finding]:
    found = await discover.servers()
    state = listed(f"{server.kind} {server.base_url}" for server in found) or _("None found.")
    remedy = _("See how to use one with: nanobot-desktop local list") if found else ""
    return [Finding(_("Local model servers"), ok=True, state=state, remedy=remedy)]


async def _mcp(store: ConfigStore, logs: Path) -> list[Finding]:
    part, keychain = _("MCP servers"), Keychain()
    servers = {name: s for name, s in store.config.tools.mcp_servers.items() if s.enabled}
    given, shut = Given(), ""
    try:
        await keychain.check()
    except KeychainError as error:
        shut = error.state  # what it has is not looked at, for that would raise its prompt
    findings: list[Finding] = []
    for name, server in servers.items():
        found = await in_thread(lambda server=server: list(mcp_health.faults(server, os.environ)))
        for entry, key in mcp_health.entries(name, server):
            if await in_thread(given.get, entry):
                continue
            if shut == "missing":
                found.append((_not_in_keychain(key)[0], without_keychain(entry)))
            elif not shut and not await keychain.get(entry):
                found.append(_not_in_keychain(key))
        if not found and (last := await in_thread(mcp_last.read, logs, name)):
            found = [(_("Last attempt: {text}").format(text=last[0]), last[1])]
        findings += [
            Finding(part, ok=False, state=f"{name}: {text}", remedy=remedy) for text, remedy in found
        ]
    n = len(servers)
    state = ngettext("{n} is on.", "{n} are on.", n).format(n=n)
    remedy = _("Test one with: nanobot-desktop mcp test NAME") if n else ""
    return findings or [Finding(part, ok=True, state=state, remedy=remedy)]


def _updates(home: Home, store: ConfigStore) -> list[Finding]:
    off = store.config.updates.check == NEVER
    return [Finding(_("Updates"), *look_at_updates(home, of_build(), off=off))]


def _not_in_keychain(key: str) -> tuple[str, str]:
    if key:
        return (
            _("The keychain has no value for {name}.").format(name=key),
            _("Enter it again in this server’s settings."),
        )
    return (
        _("The server requires you to sign in."),
        _("Sign in under Settings, MCP servers, or with: nanobot-desktop mcp sign-in NAME"),
    )
