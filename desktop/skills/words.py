"""What the skills that come with the program are for, in the person's language: their own descriptions are
written for a model."""

from desktop.skills.document import one_line
from desktop.text import _, mark

_ABOUT = {
    "clawhub": mark("Finds ready-made skills on ClawHub and checks them first."),
    "cron": mark("Reminders and regular jobs, through sleep and restarts."),
    "github": mark("Issues, pull requests and checks on GitHub, through gh."),
    "memory": mark("How the agent remembers, and where it looks for what was said."),
    "skill-creator": mark("Writes new skills with you, and mends old ones."),
    "summarize": mark("Summarises web pages, PDFs, documents and long texts."),
    "tmux": mark("Talks to programs in a terminal that ask and answer, such as a debugger."),
    "weather": mark("The weather now and the forecast, without a key."),
}


def about(name: str, source: str, description: str) -> str:
    """One line about a skill for the person."""
    return _(_ABOUT[name]) if source == "builtin" and name in _ABOUT else one_line(description, 500)
