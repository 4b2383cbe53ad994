"""Skills: instructions for kinds of work, each a SKILL.md in a folder of its own."""
