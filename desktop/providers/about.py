"""What each provider is, in a sentence for who has never heard of it."""

from collections.abc import Mapping
from types import MappingProxyType

from desktop.text import mark

ABOUT: Mapping[str, str] = MappingProxyType(
    {
        "builtin": mark("A small model on this computer. It needs no key and nothing leaves the computer."),
        "custom": mark(
            "Any server that speaks the OpenAI API: your own, your company's, or a new service."
        ),
        "azure_openai": mark("OpenAI's models in Microsoft's cloud, under an address of your own."),
        "openrouter": mark("One key for the models of many makers, paid by use."),
        "aihubmix": mark("One key for the models of many makers, paid by use."),
        "siliconflow": mark("Open models such as DeepSeek and Qwen, run in China."),
        "volcengine": mark("ByteDance's cloud in China: Doubao and others."),
        "volcengine_coding_plan": mark("ByteDance's cloud in China, by a monthly plan for programming."),
        "byteplus": mark("ByteDance's cloud outside of China: Seed and others."),
        "byteplus_coding_plan": mark(
            "ByteDance's cloud outside of China, by a monthly plan for programming."
        ),
        "bedrock": mark("Amazon's cloud: Claude, Nova and others."),
        "anthropic": mark("The makers of Claude."),
        "openai": mark("The makers of GPT."),
        "openai_codex": mark("GPT by a ChatGPT subscription instead of a key. Not an official way in."),
        "github_copilot": mark("The models of a GitHub Copilot subscription. Not an official way in."),
        "deepseek": mark("The makers of DeepSeek, with low prices."),
        "gemini": mark("Google's models; a key for small use is free."),
        "zhipu": mark("The makers of GLM."),
        "dashscope": mark("Alibaba's cloud: Qwen and others."),
        "moonshot": mark("The makers of Kimi."),
        "minimax": mark("The makers of MiniMax."),
        "mistral": mark("The makers of Mistral, in Europe."),
        "xai": mark("The makers of Grok."),
        "vllm": mark("A model server of yours that speaks the OpenAI API."),
        "ollama": mark("Open models on this computer, run by Ollama."),
        "lm_studio": mark("Open models on this computer, run by LM Studio."),
        "groq": mark("Open models on very fast hardware."),
        "orcarouter": mark("One key for the models of many makers, paid by use."),
        "edenai": mark("One key for the models of many makers, paid by use."),
        "opencode": mark("Models that its makers chose for programming, paid by use."),
        "opencode_go": mark("Models for programming, by a monthly plan."),
        "huggingface": mark("Open models, run by several companies, with one key."),
        "skywork": mark("One key for the models of many makers, paid by use."),
        "novita": mark("Open models, paid by use."),
        "modelscope": mark("Open models, run in China; a key for small use is free."),
        "minimax_anthropic": mark("MiniMax for those whose plan speaks Anthropic's API."),
        "kimi_coding": mark("Kimi by a monthly plan for programming."),
        "stepfun": mark("The makers of Step."),
        "stepfun_plan": mark("Step by a monthly plan."),
        "xiaomi_mimo": mark("Xiaomi's models."),
        "longcat": mark("Meituan's models."),
        "ant_ling": mark("Ant Group's models: Ling and Ring."),
        "qianfan": mark("Baidu's cloud: ERNIE and others."),
        "nvidia": mark("Open models on NVIDIA's computers; a key for small use is free."),
        "atomic_chat": mark("Open models on this computer, run by Atomic Chat."),
        "ovms": mark("Open models on this computer, run by Intel's OpenVINO."),
    }
)
