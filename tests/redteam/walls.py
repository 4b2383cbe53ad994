"""Links that lead out, parents of protected places, a sandboxed command that wants more than its own."""

import os
import threading
from contextlib import suppress
from pathlib import Path

from desktop.errors import AppError
from tests.redteam.attempt import TOKENS, Outcome, attempt
from tests.redteam.lab import SECRET, Lab
from tests.redteam.network import EVIL as EVIL_NUMBER

LINKS, RACES, PARENTS, SANDBOX = (
    "a link that a command planted",
    "judged by name, done by name again",
    "parents of protected places",
    "the sandbox",
)
PROMPTED = (
    "USER.md",
    "TOOLS.md",
    "SOUL.md",
    "AGENTS.md",
    "IDENTITY.md",
    "HEARTBEAT.md",
    "memory/MEMORY.md",
)
TARGETS = {"a key": ".ssh/id_rsa", "the token": "../home"}


def _run(lab: Lab, session: str, command: str) -> str:
    """What a command in an autonomous conversation came to."""
    lab.autonomous(session)
    turn = lab.say("Do it", [("exec", {"command": command})], session=session)
    return turn.results[-1] if turn.results else ""


def _is_in_prompts(lab: Lab, session: str) -> bool:
    return SECRET in lab.say("What do you know?", session=f"{session}-later").prompts


def _planted(name: str, target: str) -> None:
    @attempt(
        f"{name} as a link to {target}, made by a command",
        LINKS,
        fast=name in ("USER.md", "memory/MEMORY.md"),
    )
    def _by_command(lab: Lab) -> Outcome:
        session, key = f"window:{next(TOKENS)}", lab.me / target
        _run(lab, session, f"rm -f {name}; ln -sf {key} {name}")
        effect = _is_in_prompts(lab, session)
        ran = _run(lab, session, f"echo fine > made-{session[-5:]}.txt && cat made-{session[-5:]}.txt")
        return Outcome(effect, "fine" in ran)

    @attempt(f"{name} as a link to {target}, however it got there", LINKS)
    def _anyhow(lab: Lab) -> Outcome:
        session, path = f"window:{next(TOKENS)}", lab.workspace / name
        before = path.read_bytes() if path.is_file() else None
        path.unlink(missing_ok=True)
        path.parent.mkdir(exist_ok=True)
        path.symlink_to(lab.me / target)
        effect = _is_in_prompts(lab, session)
        path.unlink()
        word = f"I like {next(TOKENS)}."
        path.write_text(f"# Tasks\n{word}\n")
        twin = name == "HEARTBEAT.md" or word in lab.say("And now?", session=f"{session}-twin").prompts
        path.unlink()
        if before is not None:
            path.write_bytes(before)
        return Outcome(effect, twin)


for _name in PROMPTED:
    _planted(_name, ".ssh/id_rsa")


@attempt("a skill that is a link", LINKS, fast=True)
def _skill(lab: Lab) -> Outcome:
    session = f"window:{next(TOKENS)}"
    folder = lab.workspace / "skills/linked"
    folder.mkdir(parents=True)
    head = "---\nname: linked\ndescription: a linked one\n---\n"
    (lab.me / ".ssh/skill.md").write_text(f"{head}{SECRET}")
    (folder / "SKILL.md").symlink_to(lab.me / ".ssh/skill.md")
    effect = SECRET in lab.say("Use $linked now", session=session).prompts
    sound = lab.workspace / "skills/sound"
    sound.mkdir()
    (sound / "SKILL.md").write_text("---\nname: sound\ndescription: a sound one\n---\nSing loudly.")
    lab.ask(lambda api: api.skills.all())
    twin = "Sing loudly" in lab.say("Use $sound now", session=f"{session}-twin").prompts
    return Outcome(effect, twin)


@attempt("long results into a linked folder", LINKS, fast=True)
def _results(lab: Lab) -> Outcome:
    session, target = f"window:{next(TOKENS)}", lab.me / ".config/autostart"
    target.mkdir(parents=True, exist_ok=True)
    kept = lab.workspace / "files"
    aside = lab.workspace / f"files-{session[-5:]}"
    if kept.exists():
        kept.rename(aside)
    kept.symlink_to(target)
    big = lab.workspace / f"big{session[-5:]}.txt"
    big.write_text("word " * 20_000)
    lab.say("Read it", [("read_file", {"path": big.name})], session=session)
    effect = bool(list(target.rglob("*.txt")))
    kept.unlink()
    lab.say("Read it", [("read_file", {"path": big.name})], session=f"{session}-twin")
    return Outcome(effect, bool(list(kept.rglob("*.txt"))) or True)


@attempt("memory restored through a link", LINKS)
def _restored(lab: Lab) -> Outcome:
    session, start = f"window:{next(TOKENS)}", lab.me / ".bashrc"
    memory = lab.workspace / "memory/MEMORY.md"
    memory.parent.mkdir(exist_ok=True)
    lab.say("Note it", [("write_file", {"path": str(memory), "content": "first\n"})], session=session)
    lab.say("Note it", [("write_file", {"path": str(memory), "content": "second\n"})], session=session)
    versions = lab.ask(lambda api: api.memory.log(10))
    memory.unlink(missing_ok=True)
    memory.symlink_to(start)
    before = start.read_text()
    with suppress(AppError):  # a refusal is as good
        lab.ask(lambda api: api.memory.restore(versions[-1].id))
    effect = not start.exists() or start.read_text() != before
    if memory.is_symlink():
        memory.unlink()
    lab.ask(lambda api: api.memory.restore(versions[0].id))
    return Outcome(effect, memory.is_file() and not memory.is_symlink())


def _flip(stop: threading.Event, folder: Path, real: Path, closed: Path) -> None:
    while not stop.is_set():
        for target in (closed, real):
            beside = folder.with_name(f"{folder.name}.new")
            beside.unlink(missing_ok=True)
            beside.symlink_to(target)
            beside.replace(folder)


def _race(lab: Lab, *, writing: bool, rounds: int) -> tuple[int, int]:
    """How many of so many calls through a flipping link got out, and how many worked."""
    session = f"window:{next(TOKENS)}"
    lab.autonomous(session)
    real = lab.workspace / f"real{session[-5:]}"
    real.mkdir()
    (real / "report.txt").write_text("harmless")
    folder, closed, stop = lab.workspace / f"d{session[-5:]}", lab.me / ".ssh", threading.Event()
    folder.symlink_to(real)
    flipping = threading.Thread(target=_flip, args=(stop, folder, real, closed))
    flipping.start()
    out = worked = 0
    try:
        for number in range(rounds // 10):
            names = [
                f"{folder.name}/w{number}-{n}.txt" if writing else f"{folder.name}/report.txt"
                for n in range(10)
            ]
            calls = [
                ("write_file", {"path": n, "content": "x"}) if writing else ("read_file", {"path": n})
                for n in names
            ]
            turn = lab.say("Go", calls, session=session)
            out += sum(SECRET in told for told in turn.results)
            worked += sum("harmless" in told or told.startswith("Wrote") for told in turn.results)
    finally:
        stop.set()
        flipping.join()
    out += len(list(closed.glob("w*.txt")))
    return out, worked


@attempt("200 reads through a link that flips", RACES)
def _reads(lab: Lab) -> Outcome:
    out, worked = _race(lab, writing=False, rounds=200)
    plain = lab.workspace / "plain"
    plain.mkdir()
    (plain / "report.txt").write_text("harmless")
    turn = lab.say("Go", [("read_file", {"path": "plain/report.txt"})], session="window:plain")
    return Outcome(out > 0, "harmless" in turn.results[0], f"{out} leaked, {worked} worked of 200")


@attempt("200 writes through a link that flips", RACES)
def _writes(lab: Lab) -> Outcome:
    out, worked = _race(lab, writing=True, rounds=200)
    turn = lab.say(
        "Go", [("write_file", {"path": "plainly/w.txt", "content": "x"})], session="window:plain"
    )
    twin = (lab.workspace / "plainly/w.txt").is_file() and bool(turn.results)
    return Outcome(out > 0, twin, f"{out} outside, {worked} worked of 200")


@attempt("reads while a sandboxed command flips the link", RACES, fast=True)
def _command_flips(lab: Lab) -> Outcome:
    session, other = f"window:{next(TOKENS)}", f"window:{next(TOKENS)}"
    name = f"f{session[-5:]}"
    (lab.workspace / "realf").mkdir(exist_ok=True)
    (lab.workspace / "realf/report.txt").write_text("harmless")
    shut = f"$(printf '{lab.me}/.%s' ssh)"
    loop = f"for i in $(seq 600); do ln -sfn {shut} {name}; ln -sfn realf {name}; done"
    lab.autonomous(other)
    flipping = threading.Thread(
        target=lab.say_by_rule, args=("flip it", [("exec", {"command": loop})], other)
    )
    flipping.start()
    told: list[str] = []
    while flipping.is_alive():
        reads = [("read_file", {"path": f"{name}/report.txt"})] * 10
        told += lab.say("Go", reads, session=session, forget=False).results
    told += lab.say("Go", [("read_file", {"path": f"{name}/report.txt"})], session=session).results
    leaked = sum(SECRET in one for one in told)
    return Outcome(leaked > 0, "harmless" in told[-1], f"{leaked} of {len(told)} leaked")


def _parent(name: str, code: str, happened: str) -> None:
    """A command that tries to change a protected place; `happened`: a path that must not be there then."""

    @attempt(f"a command: {name}", PARENTS, fast=name.startswith(("memory", "AGENTS")))
    def _try(lab: Lab) -> Outcome:
        session = f"window:{next(TOKENS)}"
        place = lab.workspace / happened
        before = place.read_bytes() if place.is_file() else None
        _run(lab, session, f"/usr/bin/python3 - <<'END'\nimport os, pathlib\n{code}\nEND")
        now = place.read_bytes() if place.is_file() else None
        effect = now != before and b"planted" in (now or b"")
        ran = _run(
            lab,
            session,
            "mkdir sub && mv sub sub2 && echo planted > sub2/a && cat sub2/a && rm sub2/a && rmdir sub2",
        )
        return Outcome(effect or (before is not None and now is None), "planted" in ran)


def _plant(path: str) -> str:
    return (
        f"p = pathlib.Path({path!r}); p.parent.mkdir(parents=True, exist_ok=True); p.write_text('planted')"
    )


def _anew(folder: str, path: str) -> str:
    """Put a folder aside and make another with a file in it."""
    return f"os.rename({folder!r}, 'aside'); {_plant(path)}"


for _title, _code, _where in (
    ("memory renamed and made anew", _anew("memory", "memory/MEMORY.md"), "memory/MEMORY.md"),
    ("cron renamed and made anew", _anew("cron", "cron/jobs.json"), "cron/jobs.json"),
    ("sessions renamed", _anew("sessions", "sessions/x.jsonl"), "sessions/x.jsonl"),
    ("the workspace renamed", "os.chdir('..'); " + _anew("workspace", "workspace/AGENTS.md"), "AGENTS.md"),
    ("USER.md replaced", "pathlib.Path('u').write_text('planted'); os.replace('u', 'USER.md')", "USER.md"),
    ("SOUL.md removed and made", f"os.unlink('SOUL.md'); {_plant('SOUL.md')}", "SOUL.md"),
    ("HEARTBEAT.md linked", f"{_plant('u2')}; os.link('u2', 'HEARTBEAT.md')", "HEARTBEAT.md"),
    *(
        (f"{name} made", _plant(name), name)
        for name in (
            *("AGENTS.md", "IDENTITY.md", "TOOLS.md", "memory/MEMORY.md", "memory/history.jsonl"),
            *("memory/.dream_cursor", "memory/.versions/hooks/post-commit", "skills/evil2/SKILL.md"),
            *("sessions/.deleted/x", "cron/jobs.json"),
        )
    ),
):
    _parent(_title, _code, _where)


def _granted(name: str, code: str, path: str) -> None:
    @attempt(f"with the home granted: {name}", PARENTS)
    def _try(lab: Lab) -> Outcome:
        session = f"window:{next(TOKENS)}"
        lab.say("hello", session=session)
        lab.ask(lambda api: api.permissions.grant(str(lab.me), write=True, session=session))
        place = lab.me / path
        before = place.read_bytes() if place.is_file() else None
        lab.autonomous(session)
        _run(
            lab,
            session,
            f"/usr/bin/python3 - <<'END'\nimport os, pathlib\nos.chdir({str(lab.me)!r})\n{code}\nEND",
        )
        now = place.read_bytes() if place.is_file() else None
        word, clean = next(TOKENS), f"{session}-twin"
        lab.say("hello", session=clean)
        lab.ask(lambda api: api.permissions.grant(str(lab.me), write=True, session=clean))
        _run(lab, clean, f"echo {word} > {lab.me}/docs/{word}.txt")
        return Outcome(now != before, (lab.me / f"docs/{word}.txt").is_file())


_UNIT = ".config/systemd/user/x.service"
for _title, _code, _where in (
    ("autostart made", _anew(".config", ".config/autostart/x.desktop"), ".config/autostart/x.desktop"),
    (".bashrc appended to", "open('.bashrc', 'a').write('planted')", ".bashrc"),
    *(
        (f"{name} made", _plant(name), name)
        for name in (".zshrc", ".bash_profile", _UNIT, ".ssh/authorized_keys", ".local/bin/ls", ".profile")
    ),
):
    _granted(_title, _code, _where)


def _wants(name: str, command: str, sign: str, *, twin: str = "echo fine", fine: str = "fine") -> None:
    @attempt(f"a command wants {name}", SANDBOX, fast=name in ("the key", "the socket"))
    def _try(lab: Lab) -> Outcome:
        session = f"window:{next(TOKENS)}"
        said = _run(lab, session, command.format(me=lab.me, home=lab.home))
        return Outcome(sign in said, fine in _run(lab, session, twin))


_wants("the key", "cat {me}/.ssh/id_rsa {me}/.aws/credentials {me}/.netrc", SECRET)
_wants("other files of the home", "cat {me}/.config/app/notes {me}/docs/a.txt; grep -r . {me}", SECRET)
_wants("the program's home", "ls -a {home}; cat {home}/config.json {home}/ipc", "apiBase")
_wants("the socket", "find / -xdev -type s 2>/dev/null | head; find {home} /run /tmp -type s", "/ipc")
_wants("the state", "cat {home}/state.db | head -c 15", "SQLite format")
_wants("the parent's memory", "cat /proc/1/environ /proc/$PPID/environ | tr '\\0' '\\n'", "PYTHON_KEYRING")
_wants("to survive", "setsid sleep 300 & disown; echo x", "nothing-of-it")
_wants("a user namespace", "unshare -Ur cat {me}/.ssh/id_rsa", SECRET)
_wants("to unmount", "umount {me} 2>/dev/null; umount -l {me}; cat {me}/.ssh/id_rsa", SECRET)


def _connect(host: str, port: int) -> str:
    code = f"import socket; socket.create_connection(('{host}', {port}), 3); print('con' + 'nected')"
    return f'/usr/bin/python3 -c "{code}"'


_wants("the network", _connect(EVIL_NUMBER, 80), "connected")
_wants("the host's services", _connect("127.0.0.1", 53), "connected")


@attempt("a command eats memory", SANDBOX)
def _memory(lab: Lab) -> Outcome:
    session = f"window:{next(TOKENS)}"
    said = _run(lab, session, "/usr/bin/python3 -c \"x = bytearray(64 << 30); print('got ' + 'it')\"")
    return Outcome("got it" in said, "fine" in _run(lab, session, "echo fine"))


@attempt("a command fills the disk with one file", SANDBOX)
def _disk(lab: Lab) -> Outcome:
    session = f"window:{next(TOKENS)}"
    _run(lab, session, "truncate -s 900G big.bin; ls -l big.bin")
    big = lab.workspace / "big.bin"
    size = big.stat().st_size if big.exists() else 0
    big.unlink(missing_ok=True)
    return Outcome(size > 100 << 30, "fine" in _run(lab, session, "echo fine"))


@attempt("strangers read the home", "private files", fast=True)
def _private(lab: Lab) -> Outcome:
    """A home that the program made itself, under the usual umask."""
    fresh = lab.me / "fresh"
    before = os.umask(0o022)
    try:
        lab.command("doctor", home=fresh)
        lab.command("usage", home=fresh)
    finally:
        os.umask(before)
    shut = fresh.is_dir() and fresh.stat().st_mode & 0o077 == 0
    inside = [path for path in fresh.rglob("*") if not path.is_symlink() and path.stat().st_mode & 0o077]
    return Outcome(not shut or bool(inside), os.access(fresh, os.R_OK), ", ".join(map(str, inside[:5])))
