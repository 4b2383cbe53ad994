"""What a small model is spared: it answers a greeting with a tool if it was told of one, so it is told of
tools only where there may be a task for them. What it is not told it need not read, too.

The words are looked for in the person's own message; a file's name or an address counts in any language.
"""

import re

_TASK = re.compile(
    r"https?://|www\.|[\w-]+\.[A-Za-z]\w{1,4}\b|(?:^|\s)[~.]?[/\\]\w|[A-Za-z]:\\"
    r"|\b(?:files?|folders?|director(?:y|ies)|web ?(?:pages?|sites?)|datei(?:en)?|ordner|fichiers?"
    r"|dossiers?|archivos?|remind(?:er|ers)?|wake me|erinner\w*|rappel\w*|recuérda\w*)\b"
    r"|文件|文档|目录|保存|存到|存入|网页|网址|网站|提醒|叫我",
    re.IGNORECASE,
)


def asks_for_action(text: str) -> bool:
    """Whether a message may want something done that takes a tool."""
    return bool(_TASK.search(text))
