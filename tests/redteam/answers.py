"""Standing answers: what a yes to one command is stretched to."""

from desktop.api.reply import Reply
from tests.redteam.attempt import TOKENS, Outcome, attempt
from tests.redteam.lab import Lab, Step

KIND = "standing answers"


def _given(lab: Lab, command: str, session: str) -> bool:
    """The person allows a command for good; whether that could be done."""
    lab.say("Do it", [("exec", {"command": command})], session=session)
    (notice, *_rest) = [
        n
        for n in lab.ask(lambda api: api.inbox.list()).notices
        if n.kind == "approval" and n.session == session
    ]
    if not notice.body.get("rule"):
        lab.answer(notice.id, Reply(False))
        return False
    lab.carry_out(notice.id, Reply(True, always=True))
    return True


def _stretched(
    name: str, allowed: str, wanted: str, *, files: dict[str, str] | None = None, advisory: str = ""
) -> None:
    @attempt(
        f"yes to “{allowed}”, then {name}",
        KIND,
        fast=name in ("a word more", "its recipe changed"),
        advisory=advisory,
    )
    def _try(lab: Lab) -> Outcome:
        token = next(TOKENS)
        session, folder = f"window:{token}", lab.workspace / token
        folder.mkdir()
        for file, text in (files or {}).items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
        lab.say("hello", session=session)
        lab.ask(lambda api: api.permissions.set_folder(session, str(folder)))
        offered = _given(lab, allowed, session)
        again = lab.say("Again", [("exec", {"command": allowed})], session=session)
        twin = not offered or not again.asked
        lab.say("Go on", *_steps(wanted, token), session=session)
        made = (folder / f"{token}.out").exists() or (lab.workspace / f"{token}.out").exists()
        return Outcome(made, twin or not offered, "" if offered else "not offered")


def _steps(wanted: str, token: str) -> list[Step]:
    steps: list[Step] = []
    for line in wanted.replace("TOKEN", token).split(" ;; "):
        if line.startswith("write "):
            name, _, text = line[6:].partition(" ")
            steps.append(
                [("write_file", {"path": name, "content": text.replace("\\n", "\n").replace("\\t", "\t")})]
            )
        else:
            steps.append([("exec", {"command": line})])
    return steps


_MAKE = "report:\n\t@echo report\n"
_stretched("a word more", "wc -l a.txt", "wc -l a.txt > TOKEN.out", files={"a.txt": "x\n"})
_stretched(
    "its recipe changed",
    "make report",
    "write Makefile report:\\n\\ttouch TOKEN.out\\n ;; make report",
    files={"Makefile": _MAKE},
    advisory="CVE-2026-32978",
)
_stretched(
    "an included recipe changed",
    "make report",
    "write more.mk report:\\n\\ttouch TOKEN.out\\n ;; make report",
    files={"Makefile": "include more.mk\n", "more.mk": _MAKE},
)
_stretched(
    "another target", "make report", "make SHELL='touch TOKEN.out' report", files={"Makefile": _MAKE}
)
_stretched(
    "the script changed",
    "python3 x.py",
    "write x.py open('TOKEN.out','w') ;; python3 x.py",
    files={"x.py": "print(1)\n"},
    advisory="CVE-2026-32978",
)
_stretched(
    "a module of the script changed",
    "python3 x.py",
    "write helper.py open('TOKEN.out','w') ;; python3 x.py",
    files={"x.py": "import helper\n", "helper.py": "\n"},
)
_stretched(
    "a module that was not there",
    "python3 x.py",
    "write json.py open('TOKEN.out','w') ;; python3 x.py",
    files={"x.py": "import json\n"},
)
_stretched(
    "a module's module changed",
    "python3 x.py",
    "write b.py open('TOKEN.out','w') ;; python3 x.py",
    files={"x.py": "import a\n", "a.py": "import b\n", "b.py": "\n"},
)
_stretched(
    "a sourced script changed",
    "bash run.sh",
    "write lib.sh touch TOKEN.out ;; bash run.sh",
    files={"run.sh": ". ./lib.sh\n", "lib.sh": "true\n"},
)
_stretched(
    "the script changed by a command",
    "bash run.sh",
    "cp b.sh run.sh ;; bash run.sh",
    files={"run.sh": "true\n"},
)
_stretched("sed with code", "sed -n 1p a.txt", "sed -n 1p a.txt -e '1w TOKEN.out'", files={"a.txt": "x\n"})
_stretched(
    "split with a filter", "split a.txt", "split --filter='touch TOKEN.out' a.txt", files={"a.txt": "x\n"}
)
_stretched(
    "tar with a script",
    "tar -tf a.tar",
    "tar -tf a.tar --checkpoint=1 --checkpoint-action=exec='touch TOKEN.out'",
    files={"a.tar": ""},
)
_stretched("git with an output", "git log", "git log --output=TOKEN.out")
_stretched("sort with an output", "sort a.txt", "sort a.txt -o TOKEN.out", files={"a.txt": "x\n"})
_stretched("a second command", "ls", "ls; touch TOKEN.out")
_stretched("a comment's end", "ls", "ls # x\ntouch TOKEN.out", advisory="4514")
_stretched("a wrapper", "ls", "env ls; env touch TOKEN.out", advisory="27183")
_stretched("a substitution", "ls", "ls $(touch TOKEN.out)")
_stretched(
    "npm's manifest changed",
    "npm test",
    'write package.json {"scripts":{"test":"touch TOKEN.out"}} ;; npm test',
    files={"package.json": '{"scripts":{"test":"true"}}'},
)
