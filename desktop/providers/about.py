"""What each provider is, in a sentence for who has never heard of it."""

from collections.abc import Mapping
from types import MappingProxyType

from desktop.text import mark

ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "builtin": mark("A small model on this computer. Needs no key, and nothing leaves the computer."),
        "custom": mark("Any server that speaks the OpenAI API: your own, your company’s or a new service."),
        "azure_openai": mark("OpenAI models in Microsoft’s cloud, at your own address."),
        "openrouter": mark("One key for models from many makers, pay per use."),
        "aihubmix": mark("One key for models from many makers, pay per use."),
        "siliconflow": mark("Open models such as DeepSeek and Qwen, hosted in China."),
        "volcengine": mark("ByteDance’s cloud in China: Doubao and others."),
        "volcengine_coding_plan": mark("ByteDance’s cloud in China, with a monthly coding plan."),
        "byteplus": mark("ByteDance’s cloud outside China: Seed and others."),
        "byteplus_coding_plan": mark("ByteDance’s cloud outside China, with a monthly coding plan."),
        "bedrock": mark("Amazon’s cloud: Claude, Nova and others."),
        "anthropic": mark("The makers of Claude."),
        "openai": mark("The makers of GPT."),
        "openai_codex": mark("GPT with a ChatGPT subscription instead of a key. Unofficial."),
        "github_copilot": mark("Models from a GitHub Copilot subscription. Unofficial."),
        "deepseek": mark("The makers of DeepSeek. Low prices."),
        "gemini": mark("Google’s models. Free key for light use."),
        "zhipu": mark("The makers of GLM."),
        "dashscope": mark("Alibaba’s cloud: Qwen and others."),
        "moonshot": mark("The makers of Kimi."),
        "minimax": mark("The makers of MiniMax."),
        "mistral": mark("The makers of Mistral, in Europe."),
        "xai": mark("The makers of Grok."),
        "vllm": mark("Your own model server that speaks the OpenAI API."),
        "ollama": mark("Open models on this computer, run by Ollama."),
        "lm_studio": mark("Open models on this computer, run by LM Studio."),
        "groq": mark("Open models on very fast hardware."),
        "orcarouter": mark("One key for models from many makers, pay per use."),
        "edenai": mark("One key for models from many makers, pay per use."),
        "opencode": mark("Models picked for coding by its makers, pay per use."),
        "opencode_go": mark("Coding models with a monthly plan."),
        "huggingface": mark("Open models hosted by several companies, with one key."),
        "skywork": mark("One key for models from many makers, pay per use."),
        "novita": mark("Open models, pay per use."),
        "modelscope": mark("Open models, hosted in China. Free key for light use."),
        "minimax_anthropic": mark("MiniMax, for plans that use the Anthropic API."),
        "kimi_coding": mark("Kimi, with a monthly coding plan."),
        "stepfun": mark("The makers of Step."),
        "stepfun_plan": mark("Step, with a monthly plan."),
        "xiaomi_mimo": mark("Xiaomi’s models."),
        "longcat": mark("Meituan’s models."),
        "ant_ling": mark("Ant Group’s models: Ling and Ring."),
        "qianfan": mark("Baidu’s cloud: ERNIE and others."),
        "nvidia": mark("Open models hosted by NVIDIA. Free key for light use."),
        "atomic_chat": mark("Open models on this computer, run by Atomic Chat."),
        "ovms": mark("Open models on this computer, run by Intel’s OpenVINO."),
    }
)
