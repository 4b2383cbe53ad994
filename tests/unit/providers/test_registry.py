"""Which provider answers, and under which name: one line of a table for each rule."""

import re
from typing import Any

import pytest

from desktop.config.schema import Config
from desktop.errors import ConfigError
from desktop.providers.base import SignInNeeded
from desktop.providers.registry import (
    Choice,
    behaviour_for,
    choose,
    detect_by_key,
    endpoint,
    find,
    wire_name,
)
from desktop.providers.registry_table import BUILTIN, PROVIDERS

FEB_TO_APRIL = {
    *("custom", "azure_openai", "openrouter", "aihubmix", "siliconflow", "volcengine"),
    *("volcengine_coding_plan", "byteplus", "byteplus_coding_plan", "anthropic", "openai", "openai_codex"),
    *("github_copilot", "deepseek", "gemini", "zhipu", "dashscope", "moonshot", "minimax"),
    *("vllm", "ollama", "groq"),
}
LATER = {
    *("orcarouter", "edenai", "opencode", "huggingface", "skywork", "novita", "modelscope", "stepfun"),
    *(
        "xiaomi_mimo",
        "longcat",
        "ant_ling",
        "qianfan",
        "nvidia",
        "ovms",
        "atomic_chat",
        "minimax_anthropic",
    ),
    *("kimi_coding", "bedrock", "opencode_go", "stepfun_plan"),
}
"""Of nanobot's later versions."""
ON_LITELLM = {
    *("anthropic", "gemini", "github_copilot", "openai_codex", "azure_openai"),
    *("minimax_anthropic", "kimi_coding", "bedrock"),
}


def config(**providers: dict[str, Any]) -> Config:
    return Config.model_validate({"providers": providers})


def set_up(model: str = "", provider: str = "auto", **rest: Any) -> Config:
    return Config.model_validate({"agents": {"defaults": {"model": model, "provider": provider}}, **rest})


def test_all_names_are_there_and_speak_the_right_engine() -> None:
    names = [spec.name for spec in PROVIDERS]
    assert set(names) == {*FEB_TO_APRIL, *LATER, "lm_studio", "mistral", "xai"}
    assert len(names) == len(set(names))
    assert {spec.name for spec in PROVIDERS if spec.engine == "litellm"} == ON_LITELLM


@pytest.mark.parametrize("spec", PROVIDERS, ids=lambda spec: spec.name)
def test_a_row_is_complete(spec: Any) -> None:
    assert spec.display
    if spec.engine == "openai" and spec.name not in ("custom", "vllm"):
        assert re.match(r"https?://", spec.base)
        assert not spec.base.endswith("/")
    if spec.kind in ("standard", "gateway"):
        assert spec.suggestion
        assert spec.key_page.startswith("https://")
        assert spec.key_names


@pytest.mark.parametrize(
    ("reason", "name", "model", "keys", "settings"),
    [
        # 1. the named provider, key or not
        ("named", "groq", "x", (), set_up("x", "groq")),
        ("named", "github_copilot", "gpt-4.1", (), set_up("", "githubCopilot")),
        ("named", "anthropic", "openrouter/x/y", ("openrouter",), set_up("openrouter/x/y", "anthropic")),
        ("named", "builtin", "", ("groq",), set_up("gpt-5", "builtin")),
        # 2. an explicit prefix that can be used
        ("prefix", "groq", "groq/claude-x", ("anthropic", "groq"), set_up("groq/claude-x")),
        ("prefix", "openai_codex", "openai-codex/gpt-5", (), set_up("openai-codex/gpt-5")),
        ("prefix", "ollama", "ollama/llama3", ("openrouter",), set_up("ollama/llama3")),
        (
            "prefix",
            "company_proxy",
            "companyProxy/big",
            ("openrouter",),
            set_up("companyProxy/big", providers={"companyProxy": {"apiBase": "http://c/v1"}}),
        ),
        # 3. a keyword, in the order of the table; local ones only with an address
        ("keyword", "anthropic", "claude-x", ("openai", "anthropic"), set_up("claude-x")),
        ("keyword", "dashscope", "Qwen3-Max", ("groq", "dashscope"), set_up("Qwen3-Max")),
        ("keyword", "zhipu", "glm-4.6", ("zhipu",), set_up("glm-4.6")),
        ("keyword", "deepseek", "deepseek-chat", ("deepseek", "openrouter"), set_up("deepseek-chat")),
        ("key", "groq", "nemotron-mini", ("groq",), set_up("nemotron-mini")),
        (
            "keyword",
            "ollama",
            "nemotron-mini",
            ("groq",),
            set_up("nemotron-mini", providers={"ollama": {"apiBase": "http://o:11434"}}),
        ),
        (
            "keyword",
            "bedrock",
            "us.anthropic.claude-x",
            ("anthropic", "bedrock"),
            set_up("us.anthropic.claude-x"),
        ),
        # 4. a local server that was set up, one whose port is known first
        (
            "local",
            "ollama",
            "llama3",
            ("openrouter",),
            set_up(
                "llama3",
                providers={"vllm": {"apiBase": "http://v:1"}, "ollama": {"apiBase": "http://o:11434"}},
            ),
        ),
        ("local", "vllm", "llama3", (), set_up("llama3", providers={"vllm": {"apiBase": "http://v:1"}})),
        ("local", "lm_studio", "", ("groq",), set_up("", local={"server": "http://127.0.0.1:1234"})),
        ("local", "vllm", "", (), set_up("", local={"server": "http://127.0.0.1:8080"})),
        # 5. the first gateway with a key
        ("gateway", "openrouter", "llama-4", ("groq", "siliconflow", "openrouter"), set_up("llama-4")),
        ("gateway", "openrouter", "anthropic/claude-x", ("openrouter",), set_up("anthropic/claude-x")),
        ("gateway", "openrouter", "anthropic/claude-sonnet-4.5", ("openrouter", "groq"), set_up("")),
        # 6. the first with a key; then an address of the person's own
        ("key", "deepseek", "llama-4", ("groq", "deepseek"), set_up("llama-4")),
        ("key", "groq", "openai/gpt-oss-120b", ("groq",), set_up("openai/gpt-oss-120b")),
        (
            "key",
            "custom",
            "llama-4",
            (),
            set_up("llama-4", providers={"custom": {"apiBase": "http://c/v1"}}),
        ),
        ("key", "own", "llama-4", (), set_up("llama-4", providers={"own": {"apiBase": "http://c/v1"}})),
        # 7. who has the model, without a key: the call says so; never another
        ("prefix", "anthropic", "anthropic/claude-x", (), set_up("anthropic/claude-x")),
        ("prefix", "anthropic", "anthropic/claude-x", ("deepseek",), set_up("anthropic/claude-x")),
        ("keyword", "openai", "gpt-5", ("deepseek",), set_up("gpt-5")),
        ("prefix", "stepfun", "stepfun/step-3", ("stepfun",), set_up("stepfun/step-3")),
        ("prefix", "stepfun", "stepfun/step-3", (), set_up("stepfun/step-3")),
        ("keyword", "anthropic", "claude-x", ("github_copilot",), set_up("claude-x")),
        # 8. the built-in model, where none is named
        ("builtin", "builtin", "", (), set_up("")),
        ("builtin", "builtin", "", ("github_copilot",), set_up("")),
        ("builtin", "builtin", "big", (), set_up("", local={"model": "big"})),
    ],
)
def test_the_order_of_choice(
    reason: str, name: str, model: str, keys: tuple[str, ...], settings: Config
) -> None:
    choice = choose(settings, keys)
    assert (choice.reason, choice.spec.name, choice.model) == (reason, name, model)


def test_a_question_may_name_its_own_model_and_provider() -> None:
    settings = set_up("claude-x", "anthropic")
    choice = choose(settings, ("groq",), model="llama", provider="groq")
    assert (choice.spec.name, choice.model, choice.reason) == ("groq", "llama", "named")
    assert choose(settings, ("groq",), provider="auto").spec.name == "groq"


@pytest.mark.parametrize(
    ("model", "keys", "named"),
    [
        ("nosuch/model-3", (), "nosuch"),
        ("nosuch/model-3", ("nosuch", "deepseek"), "nosuch"),
        ("meta-llama/llama-4", ("openai",), "meta-llama"),
        ("llama-4", (), "llama-4"),
        ("copilot-x", ("github_copilot",), "copilot-x"),
        ("azure-x", ("custom", "azure_openai"), "azure-x"),
    ],
)
def test_a_named_model_that_nobody_has_is_never_replaced(
    model: str, keys: tuple[str, ...], named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        choose(set_up(model), keys)


def test_an_unknown_name_is_a_sentence() -> None:
    with pytest.raises(ConfigError, match="nosuch"):
        choose(set_up("x", "nosuch"), ())
    assert find("nosuch") is None
    assert find("builtin") is BUILTIN


@pytest.mark.parametrize(
    ("name", "model", "openai", "litellm"),
    [
        ("deepseek", "deepseek/deepseek-chat", "deepseek-chat", "deepseek/deepseek-chat"),
        ("deepseek", "deepseek-chat", "deepseek-chat", "deepseek/deepseek-chat"),
        ("openrouter", "openrouter/anthropic/claude", "anthropic/claude", "openrouter/anthropic/claude"),
        ("openrouter", "anthropic/claude", "anthropic/claude", "openrouter/anthropic/claude"),
        ("openrouter", "openrouter/auto", "openrouter/auto", "openrouter/openrouter/auto"),
        ("aihubmix", "anthropic/claude-x", "claude-x", "openai/claude-x"),
        ("aihubmix", "aihubmix/anthropic/claude-x", "claude-x", "openai/claude-x"),
        ("siliconflow", "siliconflow/Qwen/Qwen3", "Qwen/Qwen3", "openai/Qwen/Qwen3"),
        ("siliconflow", "openai/gpt-oss-20b", "openai/gpt-oss-20b", "openai/openai/gpt-oss-20b"),
        ("volcengine", "volcengine/doubao", "doubao", "volcengine/doubao"),
        ("byteplus_coding_plan", "byteplus-coding-plan/seed", "seed", "volcengine/seed"),
        ("zhipu", "zhipu/glm-4.6", "glm-4.6", "zai/glm-4.6"),
        ("zhipu", "zai/glm-4.6", "glm-4.6", "zai/glm-4.6"),
        (
            "moonshot",
            "openrouter/moonshotai/kimi",
            "openrouter/moonshotai/kimi",
            "openrouter/moonshotai/kimi",
        ),
        ("dashscope", "qwen-max", "qwen-max", "dashscope/qwen-max"),
        ("groq", "groq/openai/gpt-oss-20b", "openai/gpt-oss-20b", "groq/openai/gpt-oss-20b"),
        ("groq", "groq/compound", "groq/compound", "groq/groq/compound"),
        ("vllm", "hosted_vllm/meta-llama/L3", "meta-llama/L3", "hosted_vllm/meta-llama/L3"),
        ("vllm", "meta-llama/L3", "meta-llama/L3", "hosted_vllm/meta-llama/L3"),
        ("ollama", "ollama_chat/llama3", "llama3", "ollama_chat/llama3"),
        ("lm_studio", "lm-studio/qwen/qwen3", "qwen/qwen3", "lm_studio/qwen/qwen3"),
        ("openai", "openai/gpt-5", "gpt-5", "openai/gpt-5"),
        ("anthropic", "claude-x", "claude-x", "anthropic/claude-x"),
        ("anthropic", "anthropic/claude-x", "claude-x", "anthropic/claude-x"),
        ("gemini", "gemini-2.5-pro", "gemini-2.5-pro", "gemini/gemini-2.5-pro"),
        ("github_copilot", "github-copilot/gpt-5", "gpt-5", "github_copilot/gpt-5"),
        ("azure_openai", "my-deployment", "my-deployment", "azure/my-deployment"),
        ("custom", "custom/bedrock/x", "bedrock/x", "bedrock/x"),
        (
            "bedrock",
            "bedrock/amazon.nova-pro-v1:0",
            "amazon.nova-pro-v1:0",
            "bedrock/converse/amazon.nova-pro-v1:0",
        ),
        ("bedrock", "anthropic.claude-x", "anthropic.claude-x", "bedrock/converse/anthropic.claude-x"),
        ("opencode_go", "opencode-go/glm-5.3", "glm-5.3", "openai/glm-5.3"),
        ("opencode", "opencode/gpt-5.5", "gpt-5.5", "openai/gpt-5.5"),
        ("stepfun_plan", "stepfun-plan/step-3.5-flash", "step-3.5-flash", "openai/step-3.5-flash"),
        ("custom", "Qwen/Qwen3", "Qwen/Qwen3", "openai/Qwen/Qwen3"),
    ],
)
def test_names_on_the_wire(name: str, model: str, openai: str, litellm: str) -> None:
    spec = find(name)
    assert spec is not None
    assert wire_name(spec, model, "openai") == openai
    assert wire_name(spec, model, "litellm") == litellm


@pytest.mark.parametrize(
    ("key", "base", "name"),
    [
        ("sk-or-v1-abc", "", "openrouter"),
        ("sk-or-v1-abc", "https://api.groq.com", "openrouter"),
        ("sk-ant-abc", "", "anthropic"),
        ("gsk_abc", "", "groq"),
        ("k", "https://aihubmix.com/v1", "aihubmix"),
        ("k", "https://ark.ap-southeast.bytepluses.com/api/v3", "byteplus"),
        ("", "https://bedrock-runtime.eu-central-1.amazonaws.com", "bedrock"),
        ("", "https://opencode.ai/zen/go/v1", "opencode_go"),
        ("", "https://opencode.ai/zen/v1", "opencode"),
        ("", "https://api.stepfun.com/step_plan/v1", "stepfun_plan"),
        ("", "http://127.0.0.1:11434/v1", "ollama"),
        ("", "http://127.0.0.1:1234", "lm_studio"),
        ("sk-abc", "https://example.org", None),
        ("", "", None),
    ],
)
def test_a_key_or_an_address_gives_its_provider_away(key: str, base: str, name: str | None) -> None:
    found = detect_by_key(key, base)
    assert (found.name if found else None) == name


def call(settings: Config, keys: tuple[str, ...] = (), key: str | None = "secret-key") -> Any:
    return endpoint(choose(settings, keys), settings, key)


def test_an_endpoint_carries_address_headers_key_and_timeouts() -> None:
    settings = set_up(
        "groq/llama",
        providers={"groq": {"apiBase": "http://g/v1/", "extraHeaders": {"X-A": "b"}, "idleTimeoutS": 5}},
    )
    made = call(settings, ("groq",))
    assert (made.provider, made.model, made.engine) == ("groq", "llama", "openai")
    assert (made.base_url, made.headers, made.idle_seconds) == ("http://g/v1", {"X-A": "b"}, 5)
    assert made.api_key == "secret-key"
    assert "secret-key" not in repr(made)
    assert call(set_up("groq/llama"), ("groq",)).idle_seconds == 90
    assert call(set_up("groq/llama"), ("groq",)).base_url == "https://api.groq.com/openai/v1"


@pytest.mark.parametrize(
    ("base", "engine", "expected"),
    [
        ("http://localhost:11434", "auto", "http://localhost:11434/v1"),
        ("http://localhost:11434/v1/", "auto", "http://localhost:11434/v1"),
        ("http://localhost:11434/own", "openai", "http://localhost:11434/own"),
        ("http://localhost:11434", "litellm", "http://localhost:11434"),
    ],
)
def test_local_servers_get_the_path_of_their_wire(base: str, engine: str, expected: str) -> None:
    made = call(set_up("ollama/x", providers={"ollama": {"apiBase": base, "engine": engine}}), key=None)
    assert (made.base_url, made.api_key, made.idle_seconds) == (expected, "", 600)


def test_a_provider_can_be_forced_onto_the_other_engine() -> None:
    forced = set_up("deepseek-chat", providers={"deepseek": {"engine": "litellm"}})
    made = call(forced, ("deepseek",))
    assert (made.engine, made.model) == ("litellm", "deepseek/deepseek-chat")


@pytest.mark.parametrize("spec", PROVIDERS, ids=lambda spec: spec.name)
def test_a_missing_key_or_address_is_told_with_a_remedy(spec: Any) -> None:
    made = Choice(spec, "m", spec.base or "http://localhost:1/v1", "named")
    if not spec.needs_key:
        assert endpoint(made, Config(), None).api_key == ""
        if spec.direct:
            with pytest.raises(ConfigError, match="address"):
                endpoint(Choice(spec, "m", "", "named"), Config(), None)
        return
    with pytest.raises(SignInNeeded) as caught:
        endpoint(made, Config(), None)
    assert spec.display in caught.value.text
    verb = "login" if spec.oauth else "set"
    assert f"provider {verb} {spec.name}" in caught.value.remedy
    assert spec.key_page in caught.value.remedy


def test_the_built_in_model_is_small_and_local() -> None:
    choice = choose(Config(), ())
    assert choice.spec.small_model
    assert choice.spec.local
    assert behaviour_for(choice, Config()).rules.text_only
    assert endpoint(choice, Config(), None).idle_seconds == 600
