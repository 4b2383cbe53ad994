"""Long runs, as commands: kills at random moments, damage to files, a very long conversation.

Usage: .venv/bin/python tests/soak kill [--program 100] [--host 20] [--server 20] [--seed N]
       .venv/bin/python tests/soak kill-tools [--rounds 200] [--sandbox auto|off] [--seed N]
       .venv/bin/python tests/soak kill-subagents [--rounds 100] [--seed N]
       .venv/bin/python tests/soak kill-memory [--rounds 200] [--seed N]
       .venv/bin/python tests/soak kill-due [--rounds 500] [--seed N]
       .venv/bin/python tests/soak channels [--rounds 200] [--seed N]
       .venv/bin/python tests/soak flood [--messages 10000]
       .venv/bin/python tests/soak chat-faults
       .venv/bin/python tests/soak channels-week [--messages 10000] [--at-once 8] [--seed N]
       .venv/bin/python tests/soak channels-hour [--minutes 60] [--seed N]
       .venv/bin/python tests/soak vendors
       .venv/bin/python tests/soak fuzz [--rounds 2000] [--only NAME] [--seed N]
       .venv/bin/python tests/soak talk [--messages 1000]
       .venv/bin/python tests/soak remember [--messages 3000]
       .venv/bin/python tests/soak documents [--count 10000]
       .venv/bin/python tests/soak schedule [--years 10] [--seed N]
       .venv/bin/python tests/soak counting
       .venv/bin/python tests/soak stories
       .venv/bin/python tests/soak redteam [--only WORDS]
       .venv/bin/python tests/soak everyday
       .venv/bin/python tests/soak deb [--packages FOLDER] [--newer DEB]
       .venv/bin/python tests/soak wine [--pictures DIR] [--folder DIR [--built]]

A run that finds something lost says what and exits with 1.
"""

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.soak import (
    channels_hour,
    channels_week,
    chat_faults,
    counting,
    deb,
    documents,
    everyday,
    flood,
    fuzz,
    fuzz_mcp,
    fuzz_readers,
    fuzz_streams,
    kill,
    kill_channels,
    kill_due,
    kill_memory,
    kill_subagents,
    kill_tools,
    redteam,
    remember,
    schedule,
    stories,
    talk,
    vendors,
)
from tests.soak.wine import trying


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests/soak", description=__doc__.partition("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    kills = verbs.add_parser("kill", help="kill the program, the model host and the model server in turns")
    kills.add_argument("--program", type=int, default=100)
    kills.add_argument("--host", type=int, default=20)
    kills.add_argument("--server", type=int, default=20)
    acting = verbs.add_parser("kill-tools", help="kill the program in the middle of turns that act")
    acting.add_argument("--rounds", type=int, default=200)
    acting.add_argument("--sandbox", choices=("auto", "off"), default="auto")
    working = verbs.add_parser("kill-subagents", help="kill the program while subagents work for it")
    working.add_argument("--rounds", type=int, default=100)
    remembering = verbs.add_parser("kill-memory", help="kill the program while it sums up and dreams")
    remembering.add_argument("--rounds", type=int, default=200)
    reminding = verbs.add_parser("kill-due", help="kill the program when reminders and jobs are due")
    reminding.add_argument("--rounds", type=int, default=500)
    chats = verbs.add_parser("channels", help="kill the program while chats are received and answered")
    chats.add_argument("--rounds", type=int, default=200)
    waiting = verbs.add_parser("flood", help="thousands of messages that wait at the start")
    waiting.add_argument("--messages", type=int, default=10_000)
    verbs.add_parser("chat-faults", help="large files and a clock that jumps, over all chat apps")
    week = verbs.add_parser("channels-week", help="seven days of all chat apps, with nights and cuts")
    week.add_argument("--messages", type=int, default=10_000)
    week.add_argument("--at-once", type=int, default=channels_week.AT_ONCE)
    hour = verbs.add_parser("channels-hour", help="mail and Matrix by the clock, on real servers")
    hour.add_argument("--minutes", type=int, default=60)
    damage = verbs.add_parser("fuzz", help="damage everything that is read, and read it")
    damage.add_argument("--rounds", type=int, default=2000)
    damage.add_argument(
        "--only", default="", help="one of sessions, streams or a reader, such as jobs.json"
    )
    long = verbs.add_parser("talk", help="a long conversation through the window, and its memory")
    long.add_argument("--messages", type=int, default=1000)
    longer = verbs.add_parser("remember", help="a conversation far longer than the model's window")
    longer.add_argument("--messages", type=int, default=3000)
    random_documents = verbs.add_parser("documents", help="Markdown by chance, streamed in pieces")
    random_documents.add_argument("--count", type=int, default=10_000)
    appointments = verbs.add_parser("schedule", help="years of appointments on a clock that is moved")
    appointments.add_argument("--years", type=int, default=10)
    verbs.add_parser("counting", help="our count of tokens against the built-in model's own")
    verbs.add_parser("stories", help="the tests for which not every run has time")
    attacks = verbs.add_parser("redteam", help="everything a hostile text, file or server tries")
    attacks.add_argument("--only", default="")
    verbs.add_parser("vendors", help="the vendors' own clients with the servers of our tests")
    verbs.add_parser("everyday", help="ordinary turns, and how often each asks")
    packages = verbs.add_parser("deb", help="the Linux packages, on a Debian with nothing but its base")
    packages.add_argument("--packages", type=Path, help="what packaging/build.sh made; else it is made")
    packages.add_argument("--newer", type=Path, help="the .deb of a higher version; else it is made")
    wine = verbs.add_parser("wine", help="the program for Windows and its installer, under Wine")
    wine.add_argument("--pictures", type=Path, default=Path("pictures"))
    wine.add_argument("--folder", type=Path, help="where it is made, and stays")
    wine.add_argument("--built", action="store_true", help="take the program that is in the folder")
    kinds = (kills, acting, working, remembering, reminding, chats, week, hour, damage, long, longer)
    for verb in (*kinds, random_documents, appointments):
        verb.add_argument("--seed", type=int, default=int(time.time()))
    arguments = parser.parse_args()
    arguments.seed = getattr(arguments, "seed", 0)
    print(f"seed {arguments.seed}", flush=True)
    chance = random.Random(arguments.seed)
    if arguments.verb == "kill":
        lost = kill.run(chance, arguments.program, arguments.host, arguments.server)
    elif arguments.verb == "kill-tools":
        lost = kill_tools.run(chance, arguments.rounds, arguments.sandbox)
    elif arguments.verb == "kill-subagents":
        lost = kill_subagents.run(chance, arguments.rounds)
    elif arguments.verb == "kill-memory":
        lost = kill_memory.run(chance, arguments.rounds)
    elif arguments.verb == "kill-due":
        lost = kill_due.run(chance, arguments.rounds)
    elif arguments.verb == "channels":
        lost = kill_channels.run(chance, arguments.rounds)
    elif arguments.verb == "flood":
        lost = flood.run(arguments.messages)
    elif arguments.verb == "chat-faults":
        lost = chat_faults.run()
    elif arguments.verb == "channels-week":
        lost = channels_week.run(chance, arguments.messages, arguments.at_once)
    elif arguments.verb == "channels-hour":
        lost = channels_hour.run(chance, arguments.minutes)
    elif arguments.verb == "fuzz":
        lost = _fuzz(chance, arguments.rounds, arguments.only)
    elif arguments.verb == "talk":
        lost = talk.run(arguments.messages)
    elif arguments.verb == "remember":
        lost = remember.run(arguments.messages)
    elif arguments.verb == "counting":
        lost = counting.run()
    elif arguments.verb == "stories":
        lost = stories.run()
    elif arguments.verb == "redteam":
        lost = redteam.run(arguments.only)
    elif arguments.verb == "vendors":
        lost = vendors.run()
    elif arguments.verb == "everyday":
        lost = everyday.run()
    elif arguments.verb == "deb":
        lost = deb.run(arguments.packages, arguments.newer)
    elif arguments.verb == "wine":
        lost = trying.run(arguments.pictures, arguments.folder, built=arguments.built)
    elif arguments.verb == "schedule":
        lost = schedule.run(chance, arguments.years)
    else:
        lost = documents.run(arguments.count)
    for line in lost:
        print(f"LOST: {line}")
    sys.exit(1 if lost else 0)


def _fuzz(chance: random.Random, rounds: int, only: str) -> list[str]:
    """Each reader in turn, or only one."""
    lost = fuzz.run(chance, rounds) if only in ("", "sessions") else []
    lost += fuzz_streams.run(chance, rounds) if only in ("", "streams") else []
    lost += fuzz_mcp.run(chance, rounds) if only in ("", "mcp") else []
    return lost + fuzz_readers.run(chance, rounds, only)


if __name__ == "__main__":
    main()
