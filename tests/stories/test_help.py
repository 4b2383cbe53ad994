"""The help in the terminal: topics, a page, and what is said of a topic that is not there."""

from desktop.help import TOPICS
from tests.stories.program import Program


def test_topics_are_listed_and_read(program: Program) -> None:
    listed = program.run("help")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "Files and attachments" in listed.stdout
    assert [line["topic"] for line in program.events("help", "--json")] == list(TOPICS)
    read = program.run("help", "Files and attachments")
    assert read.stdout.startswith("# Files and attachments\n")
    (page,) = program.events("help", "files", "--json")
    assert page["text"] == read.stdout


def test_a_topic_that_is_not_there_names_the_nearest(program: Program) -> None:
    done = program.run("help", "shortcut")
    assert (done.returncode, done.stdout) == (2, "")
    assert "Did you mean shortcuts?" in done.stderr
    assert "nanobot-desktop help" in done.stderr
