"""What a small model is spared: it answers a greeting with a tool if it was told of one, so it is told of
tools only where there may be a task for them. What it is not told it need not read, too.

The words are looked for in the person's own message; a file's name or an address counts in any language.
"""

import re

_TASK = re.compile(
    r"https?://|www\.|[\w-]+\.[A-Za-z]\w{0,4}\b|(?:^|\s)[~.]?[/\\]\w|[A-Za-z]:\\"
    r"|\b(?:files?|folders?|director(?:y|ies)|save|write|store|put|create|append|note down|read|list|open|"
    r"fetch|download|web ?(?:page|site)|message|datei(?:en)?|ordner|fichiers?|dossiers?|archivos?)\b"
    r"|文件|文档|目录|保存|写入|写到|写进|存到|存入|创建|读取|打开|列出|网页|网址|网站|下载|发送",
    re.IGNORECASE,
)


def asks_for_action(text: str) -> bool:
    """Whether a message may want something done that takes a tool."""
    return bool(_TASK.search(text))
