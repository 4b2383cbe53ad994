"""A provider with a key, from an empty home: a wrong key is told in its place, the right one works and is
in the keychain and nowhere else. Once in English, once in Chinese by the keyboard alone."""

import re
from collections.abc import Iterator
from contextlib import suppress

import keyring
import psutil
import pytest
from keyring.errors import PasswordDeleteError

from tests.desktop.accessible import Name
from tests.desktop.desk import Desk
from tests.desktop.window import TITLE, Window, running_window
from tests.servers.scripted import ScriptedServer
from tests.stories.program import Program, texts
from tests.stories.window.talk import ask, rest, wait_listed

WRONG, KEY = "sk-story-wrong-1f8e", "sk-story-right-9d2c"
MODEL = "say:At your service."


@pytest.fixture(autouse=True)
def _no_key_yet(desk: Desk) -> Iterator[None]:
    forget()
    yield
    forget()


def forget() -> None:
    with suppress(PasswordDeleteError):
        keyring.delete_password("nanobot-desktop", "custom")


def in_the_keychain() -> str | None:
    return keyring.get_password("nanobot-desktop", "custom")


def fill_in(window: Window, desk: Desk, name: str, text: str) -> None:
    """Write into a field by the keyboard, in place of what is there."""
    window.focus(name, "text")
    desk.key("ctrl+a")
    desk.type(text)


def assert_nowhere(program: Program, pid: int, *keys: str) -> None:
    """No key in any file of the home, nor in the command line or the environment of any process."""
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    assert len(family) >= 2, "the program and its model host"
    told = [f"{process.cmdline()} {process.environ()}" for process in family]
    for key in keys:
        assert not [path for path, content in texts(program.home) if key.encode() in content]
        assert not any(key in each for each in told)


@pytest.mark.soak
def test_a_wrong_key_is_told_in_its_place_and_the_right_one_works(
    program: Program, server: ScriptedServer, desk: Desk
) -> None:
    program.configure(agents={"defaults": {"autoTitles": False}})
    server.script("status:401")
    with running_window(program) as window:
        desk.wait_active(TITLE)
        window.press("Set up: Use a provider with a key")
        window.focus("Provider", "combo box")
        desk.type("Custom")
        window.wait("Address", "text")
        fill_in(window, desk, "Model", MODEL)
        fill_in(window, desk, "Address", server.url)
        fill_in(window, desk, "Key", WRONG)
        window.press("Test and save")
        window.wait("Not accepted.")
        window.wait(re.compile("did not accept the key"))
        window.wait(re.compile("Check the key"))
        desk.screenshot("wrong-key")
        assert server.requests[-1].headers["authorization"] == f"Bearer {WRONG}"
        assert in_the_keychain() is None
        config = program.home / "config.json"
        assert not config.exists() or "custom" not in config.read_text("utf-8"), "nothing is stored"

        fill_in(window, desk, "Key", KEY)
        desk.key("Return")
        window.gone("Choose your model")
        window.wait(f"Model: {MODEL}")
        assert in_the_keychain() == KEY
        ask(window, "Are you there?")
        window.wait_text("Nanobot", "At your service.")
        rest(window)
        desk.screenshot("right-key")
        assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
        assert_nowhere(program, window.pid, KEY, WRONG)

    with running_window(program) as window:
        wait_listed(window, "Today", "Are you there?")
        window.wait_text("Nanobot", "At your service.")
        ask(window, "Still there?")
        window.wait_text("You", "Still there?")
        server.wait_for_request(4)
        assert server.requests[-1].headers["authorization"] == f"Bearer {KEY}"
        rest(window)
    assert not [path for path, content in texts(program.home) if b"sk-story" in content]


def tab_to(window: Window, desk: Desk, name: Name, role: str | None = None, key: str = "Tab") -> None:
    """Go from stop to stop until this one has the keyboard."""
    for _stop in range(40):
        if any("focused" in node.states for node in window.all(name, role)):
            return
        desk.key(key)
    raise AssertionError(f"{name} is not reached by {key}")


ALLOWED = re.compile(
    r"Nanobot Desktop|nanobot-desktop|[Nn]anobot|/tmp/pytest\S+|LM Studio|Ollama|llama\.cpp|vLLM|"
    r"Qwen2\.5-Coder \S+B|Qwen3(\.5)? \S+B( Instruct)?|\bGGUF\b|"
    r"qwen2\.5-coder-0\.5b-instruct|Apache-2\.0|\b[KMG]B\b|\bAPI\b|\bHTTP\b|NANOBOT_[A-Z_]+|Ctrl\+.|\bEnter$|\bEsc$|"
    r"say:At your service\.|At your service\.|Are you there\?|A good name|slow story|http://\S+|word|"
    r"scripted 401 \(scripted\)|"
    r"\bMCP\b|\bDream\b|\bSKILL\.md\b|ClawHub|GitHub|\bgh\b|sudo apt install gh|\bJSON\b|mcpServers|"
    r"/tmp/\S+/skills|"
    r"\b(clawhub|cron|github|memory|skill-creator|summarize|tmux|weather|water-bill)\b|</?p>|"
    r"(USER|SOUL|AGENTS|MEMORY|HEARTBEAT)\.md|\bUTC\b|Etc/UTC|Europe/Berlin|Ctrl\+Alt\+Space|\bdunst\b|\b[Tt]oken\b|"
    r"\b(AiHubMix|Anthropic|Azure|OpenAI|Codex|ChatGPT|GPT|BytePlus|Coding Plan|DashScope|DeepSeek|Gemini|"
    r"Google|Copilot|Groq|Grok|MiniMax|Mistral|Moonshot|Kimi|OpenRouter|SiliconFlow|Volcengine|xAI|Zhipu|"
    r"GLM|Claude|Qwen|Seed)\b|"
    r"\b(Discord|Message Content Intent|Reset Token|Bot)\b|discord\.com/developers|"
    r"\bWhatsApp\b|\bWhisper\b( (tiny|base|small)\b)?|ggml-….bin|\bMIT\b|\ben 或 zh\b|"
    r"@nano:matrix\.org|https://matrix\.org|@room|\b(Telegram|Slack|Matrix|Element)\b|"
    r"\b(Gmail|iCloud|Yahoo|Fastmail|Outlook|STARTTLS|TLS|DKIM|SPF|IMAP|SMTP|Socket Mode)\b|"
    r"\b\w+:(write|read|history)\b|\bID\b|\bQQ\b|\bGMX\b|Authentication-Results|@BotFather|/newbot|api\.slack\.com/apps|message\.im|app_mention|xoxb-|xapp-|"
    r"\b(Lark|AppID|AppSecret|App ID|App Secret|Client ID|Client Secret|Stream|Feishu|THUMBSUP|OK)\b|"
    r"q\.qq\.com|"
    r"open(-dev)?\.(feishu\.cn|larksuite\.com|dingtalk\.com)(/app)?|\bim:\S+|\bcontact:\S+|"
    r"\bMochat\b|mochat\.io/skill\.md|\bclaw_|\bbotUserId\b|Socket\.IO|MessagePack|"
    r"im\.message\.receive_v1|card\.action\.trigger|\bcli_\w*|"
    r"Basic Information › App-Level Tokens|image/\*|application/pdf|https?://|"
    r"DuckDuckGo|SearXNG|Brave|Tavily|\bPATH\b|\bPDF\b|\bWord\b|\bExcel\b|\bshell\b"
)
"""Names of programs, models, providers and keys, and what the story itself and its server write."""


def english(window: Window) -> set[str]:
    """Latin words left in what assistive technologies read, apart from the names of providers."""
    found = set()
    for node in window.all(hidden=True):
        for said in (node.name, node.description):
            if node.role not in {"application", "list item"} and re.search(
                "[A-Za-z]{2,}", ALLOWED.sub("", said)
            ):
                found.add(said)
    return found


def test_in_chinese_by_the_keyboard_alone(program: Program, server: ScriptedServer, desk: Desk) -> None:
    program.environment["NANOBOT_DESKTOP_LANGUAGE"] = "zh_CN"
    program.configure(agents={"defaults": {"autoTitles": False}})
    server.script("status:401")
    with running_window(program) as window:
        desk.wait_active(TITLE)
        window.wait("选择模型")
        window.wait("消息", states="focused")
        desk.screenshot("chinese-first-run")
        assert english(window) == set()
        desk.type("a")  # as long as nobody is chosen to answer, no model is woken by that
        window.wait("发送", states="enabled")
        desk.key("BackSpace")
        tab_to(window, desk, re.compile("^(下载|使用)：Qwen"))
        tab_to(window, desk, "重新检查")
        tab_to(window, desk, "设置：使用需要密钥的提供商")
        assert not psutil.Process(window.pid).children(recursive=True)
        assert not window.find(re.compile("模型出错"))
        desk.key("Return")
        window.wait("提供商", "combo box", states="focused")
        for _entry in range(8):
            if window.wait("提供商", "combo box").name == "自定义服务器":
                break
            desk.key("Down")
        tab_to(window, desk, "密钥", "text")
        desk.type(WRONG)
        tab_to(window, desk, "模型", "text")
        desk.type(MODEL)
        tab_to(window, desk, "地址", "text")
        desk.type(server.url)
        desk.key("Return")
        window.wait("未被接受。")
        window.wait(re.compile("不接受这个密钥"))
        desk.screenshot("chinese-wrong-key")
        assert english(window) == set()
        assert in_the_keychain() is None
        tab_to(window, desk, "密钥", "text", key="shift+Tab")
        desk.key("ctrl+a")
        desk.type(KEY)
        desk.key("Return")
        window.gone("选择模型")
        window.wait(f"模型：{MODEL}")
        assert in_the_keychain() == KEY

        desk.key("ctrl+l")
        window.wait("消息", states="focused")
        desk.type("Are you there?")
        desk.key("Return")
        window.wait_text("Nanobot", "At your service.")
        window.wait_text("你", "Are you there?")
        window.gone("停止")
        server.script("slow:0.2")
        desk.type("slow story")
        desk.key("Return")
        window.wait_text("Nanobot", "word word")
        desk.key("Escape")
        window.wait("已停止")
        window.gone("停止")
        desk.screenshot("chinese-conversation")
        assert english(window) == set()
        assert window.names("list item", within="对话") == ["今天", "Are you there?"]

        desk.key("ctrl+n")
        window.wait("新对话", "label")
        desk.key("alt+Down")
        window.wait("Are you there?", "label")
        desk.key("ctrl+shift+f", "Down")
        window.wait("对话", "list", states="focused")
        desk.key("F2", "ctrl+a")
        desk.type("A good name")
        desk.key("Return")
        window.wait("A good name", "label")
        desk.key("Delete")
        window.wait("已删除“A good name”")
        window.wait("你的对话会显示在这里。")
        assert english(window) == set()
        window.wait("消息", states="focused")
        desk.key("ctrl+z")
        window.wait("A good name", "label")
        window.wait_text("Nanobot", "At your service.")

        desk.key("ctrl+comma")
        window.wait("设置", "dialog")
        window.wait("页面", states="focused")
        pages = window.names("list item", within="页面")
        assert pages[:5] == ["提供商与模型", "助手", "权限", "工具", "任务"]
        for page in pages[1:]:
            desk.key("Down")
            window.wait(page, "label")
        assert english(window) == set()
        desk.screenshot("chinese-settings")
        desk.key("Escape")
        window.gone("设置", "dialog")
        desk.wait_active(TITLE)
        desk.key("ctrl+w")
        window.gone(TITLE, "frame")
