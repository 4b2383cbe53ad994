"""How vendors' servers stream: one shape a row, with where it is told of and what must come of it.

The contents are invented. `seen`: a recording, or an exact description of one, was read in the source when
this was written. Where it is False the source is where the shape is told of by what others wrote about it:
the page itself was not read here, and nobody here saw it on a wire.
"""

import json
from dataclasses import dataclass
from typing import Any

type Json = dict[str, Any]
DONE = "data: [DONE]\n\n"
OPENAI = "https://platform.openai.com/docs/api-reference/chat-streaming"
OPENAI_TYPES = "openai-python: types/chat/chat_completion_chunk.py"
AZURE = "https://learn.microsoft.com/en-us/answers/questions/1533887"
ANTHROPIC = "https://docs.claude.com/en/docs/build-with-claude/streaming"
GEMINI = "https://ai.google.dev/api/generate-content#FinishReason"
DEEPSEEK = "https://api-docs.deepseek.com/api/create-chat-completion"
DASHSCOPE = "https://help.aliyun.com/zh/model-studio/qwen-function-calling"
LMSTUDIO = "https://lmstudio.ai/docs/developer/openai-compat/tools"
RESPONSES = "openai-python: types/responses/response_stream_event.py"
RESPONSES_GUIDE = (
    "https://community.openai.com/t/responses-api-streaming-the-simple-guide-to-events/1363122"
)
FOUR_SERVERS = "https://github.com/InternLM/lmdeploy/issues/3412"
A, B = '{"path": "a.txt"}', '{"path": "b.txt"}'
TWO = (("read_file", A), ("read_file", B))


@dataclass(frozen=True)
class Shape:
    """A stream and what it means. `cut`: a word that the failure names; "broken" where none is told."""

    vendor: str
    what: str
    source: str
    wire: str
    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    cut: str = ""
    seen: bool = False
    engine: str = "both"
    """both, or the prefix of litellm that speaks this wire; responses: the engine openai over that API."""
    finish: str = ""

    @property
    def name(self) -> str:
        return f"{self.vendor}: {self.what}"


def data(*events: Json) -> str:
    return "".join(f"data: {json.dumps(event, ensure_ascii=False)}\n\n" for event in events)


def piece(finish: str | None = None, /, **delta: Any) -> Json:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def call(index: int | None, name: str = "", arguments: str = "", **more: Any) -> Json:
    function = {"arguments": arguments, **({"name": name} if name else {})}
    where = {} if index is None else {"index": index}
    return piece(tool_calls=[{**where, "type": "function", "function": function, **more}])


def told(output: int = 5, **more: Any) -> Json:
    tokens = {"prompt_tokens": 9, "completion_tokens": output, "total_tokens": 9 + output}
    return {**piece(), "choices": [], "usage": tokens, **more}


def events(*rows: Json) -> str:
    """In Anthropic's form."""
    return "".join(f"event: {row['type']}\n{data(row)}" for row in rows)


def block(index: int, begin: Json, *deltas: Json) -> list[Json]:
    return [
        {"type": "content_block_start", "index": index, "content_block": begin},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def candidate(*parts: Json, finish: str | None = None) -> Json:
    one: Json = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    count = {"promptTokenCount": 9, "candidatesTokenCount": 5, "totalTokenCount": 14}
    return {"candidates": [one | ({"finishReason": finish} if finish else {})], "usageMetadata": count}


_SAID = block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Half a sen"})
_MESSAGE = {
    "type": "message_start",
    "message": {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [],
        "usage": {"input_tokens": 9},
    },
}


def _stopped(reason: str) -> list[Json]:
    return [
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def _used(name: str, index: int, given: str) -> list[Json]:
    begin = {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}}
    return block(index, begin, {"type": "input_json_delta", "partial_json": given})


def output(place: int, kind: str, /, **more: Any) -> Json:
    return {"output_index": place, "item": {"type": kind, "id": f"{kind}_{place}", **more}}


def step(name: str, place: int = 0, item: str = "", **more: Any) -> Json:
    where = {"item_id": item or f"message_{place}", "output_index": place}
    return {"type": f"response.{name}", **where, **more}


def added(place: int, kind: str, **more: Any) -> Json:
    return {"type": "response.output_item.added", **output(place, kind, **more)}


def ready(place: int, kind: str, **more: Any) -> Json:
    return {"type": "response.output_item.done", **output(place, kind, **more)}


def over(status: str = "completed", **more: Any) -> Json:
    tokens = {"input_tokens": 9, "output_tokens": 5, "total_tokens": 14}
    response = {"id": "r", "object": "response", "status": status, "output": [], "usage": tokens}
    return {"type": f"response.{status}", "response": {**response, **more}}


def message(text: str) -> Json:
    return {"role": "assistant", "content": [{"type": "output_text", "text": text, "annotations": []}]}


_R_HALF = (added(0, "message", role="assistant", content=[]), step("output_text.delta", delta="Half a sen"))
_R_WHOLE = (step("output_text.delta", delta="All "), step("output_text.delta", delta="said."))
_R_CALLS = tuple(
    {"call_id": f"call_{n}", "name": "read_file", "arguments": given} for n, given in enumerate((A, B))
)

HALF = data(piece(role="assistant", content=""), piece(content="Half a sen"))
WHOLE = data(piece(role="assistant", content=""), piece(content="All "), piece(content="said."))

SHAPES = [
    Shape(
        "OpenAI",
        "text, finish, usage, [DONE]",
        OPENAI,
        WHOLE + data(piece("stop"), told()) + DONE,
        text="All said.",
        finish="stop",
    ),
    Shape(
        "OpenAI",
        "parallel calls by index, mixed",
        OPENAI_TYPES,
        data(
            call(0, "read_file", "", id="call_1"),
            call(1, "read_file", "", id="call_2"),
            call(0, "", A[:5]),
            call(1, "", B[:7]),
            call(0, "", A[5:]),
            call(1, "", B[7:]),
            piece("tool_calls"),
        )
        + DONE,
        calls=TWO,
    ),
    Shape(
        "OpenAI",
        "cut by the filter after half a sentence",
        OPENAI_TYPES,
        HALF + data(piece("content_filter")) + DONE,
        text="Half a sen",
        cut="content_filter",
    ),
    Shape(
        "OpenAI",
        "the filter, and nothing said",
        OPENAI_TYPES,
        data(piece(role="assistant", content=""), piece("content_filter")) + DONE,
        cut="content_filter",
    ),
    Shape(
        "OpenAI",
        "a refusal has its own field",
        OPENAI_TYPES,
        data(piece(refusal="I won't."), piece("stop")) + DONE,
        text="I won't.",
        engine="openai",
    ),
    Shape(
        "OpenAI",
        "longer than allowed",
        OPENAI,
        HALF + data(piece("length")) + DONE,
        text="Half a sen",
        finish="length",
    ),
    Shape("OpenAI", "the connection ends in the middle", OPENAI, HALF, text="Half a sen", cut="broken"),
    Shape(
        "Azure",
        "a first piece with the filter's findings and no choices",
        AZURE,
        data({**piece(), "choices": [], "prompt_filter_results": [{"prompt_index": 0}]})
        + WHOLE
        + data(piece("stop"))
        + DONE,
        text="All said.",
        seen=True,
    ),
    Shape(
        "Azure",
        "pieces of the filter between and after the text",
        "https://dev.to/multigrid/streaming-responses-from-azure-openai-4cba",
        HALF
        + data(
            {
                **piece(),
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": None,
                        "content_filter_offsets": {},
                        "content_filter_results": {},
                        "delta": {},
                    }
                ],
            }
        )
        + data(piece("stop"))
        + DONE,
        text="Half a sen",
    ),
    Shape(
        "Azure",
        "cut by the filter",
        "https://www.developersdigest.tech/errors/api/azure-openai/200-finish-reason-content-filter",
        HALF + data(piece("content_filter")) + DONE,
        text="Half a sen",
        cut="content_filter",
    ),
    Shape(
        "Anthropic",
        "text and two calls",
        ANTHROPIC,
        events(
            _MESSAGE, *_SAID, *_used("read_file", 1, A), *_used("read_file", 2, B), *_stopped("tool_use")
        ),
        text="Half a sen",
        calls=TWO,
        seen=True,
        engine="anthropic",
    ),
    Shape(
        "Anthropic",
        "a refusal after half a sentence",
        ANTHROPIC,
        events(_MESSAGE, *_SAID, *_stopped("refusal")),
        text="Half a sen",
        cut="refusal",
        engine="anthropic",
    ),
    Shape(
        "Anthropic",
        "longer than allowed",
        ANTHROPIC,
        events(_MESSAGE, *_SAID, *_stopped("max_tokens")),
        text="Half a sen",
        finish="length",
        engine="anthropic",
    ),
    Shape(
        "Anthropic",
        "no message_stop: the connection ended",
        ANTHROPIC,
        events(_MESSAGE, *_SAID),
        text="Half a sen",
        cut="broken",
        engine="anthropic",
    ),
    Shape(
        "Anthropic",
        "overloaded in the middle",
        ANTHROPIC,
        events(
            _MESSAGE, *_SAID, {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
        ),
        text="Half a sen",
        cut="fault",
        engine="anthropic",
    ),
    Shape(
        "Gemini",
        "calls of one tool in events of their own, without an index",
        "https://github.com/brainlid/langchain/pull/620",
        data(
            candidate({"functionCall": {"name": "read_file", "args": json.loads(A)}}),
            candidate({"functionCall": {"name": "read_file", "args": json.loads(B)}}, finish="STOP"),
        ),
        calls=TWO,
        seen=True,
        engine="gemini",
    ),
    Shape(
        "Gemini",
        "cut for safety",
        GEMINI,
        data(candidate({"text": "Half a sen"}), candidate(finish="SAFETY")),
        text="Half a sen",
        cut="SAFETY",
        engine="gemini",
    ),
    Shape(
        "Gemini",
        "cut as a recitation",
        GEMINI,
        data(candidate({"text": "Half a sen"}), candidate(finish="RECITATION")),
        text="Half a sen",
        cut="RECITATION",
        engine="gemini",
    ),
    Shape(
        "Gemini",
        "a call that it could not write, and nothing else",
        "https://github.com/pydantic/pydantic-ai/pull/3095",
        data(candidate(finish="MALFORMED_FUNCTION_CALL")),
        cut="MALFORMED_FUNCTION_CALL",
        seen=True,
        engine="gemini",
    ),
    Shape(
        "Gemini",
        "the question is refused",
        "https://ai.google.dev/api/generate-content#BlockReason",
        data({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {}}),
        cut="PROHIBITED_CONTENT",
        engine="gemini",
    ),
    Shape(
        "Gemini",
        "OpenAI's wire: every call has index 0",
        "https://github.com/su-kaka/gcli2api/pull/406",
        data(call(0, "read_file", A, id="c1"), call(0, "read_file", B, id="c2"), piece("tool_calls"))
        + DONE,
        calls=TWO,
        seen=True,
    ),
    Shape(
        "Gemini",
        "the same without ids",
        "https://github.com/omnigent-ai/omnigent/pull/28",
        data(call(0, "read_file", A), call(0, "read_file", B), piece("tool_calls")) + DONE,
        calls=TWO,
    ),
    Shape(
        "Gemini",
        "a reason already with the first call",
        "https://github.com/BerriAI/litellm/pull/31634",
        data(
            {
                **call(0, "read_file", A, id="c1"),
                "choices": [
                    {**call(0, "read_file", A, id="c1")["choices"][0], "finish_reason": "tool_calls"}
                ],
            },
            call(1, "read_file", B, id="c2"),
            piece("tool_calls"),
        )
        + DONE,
        calls=TWO,
        engine="openai",
    ),
    Shape(
        "DeepSeek",
        "thoughts, text, usage with the reason",
        DEEPSEEK,
        data(
            piece(role="assistant", reasoning_content="Hm."),
            piece(content="All said."),
            {**piece("stop"), "usage": told()["usage"]},
        )
        + DONE,
        text="All said.",
    ),
    Shape(
        "DeepSeek",
        "no room on its machines",
        DEEPSEEK,
        HALF + data(piece("insufficient_system_resource")) + DONE,
        text="Half a sen",
        cut="insufficient_system_resource",
    ),
    Shape(
        "DeepSeek",
        "comments that keep the connection",
        "https://api-docs.deepseek.com/quick_start/rate_limit",
        ": keep-alive\n\n" * 3 + WHOLE + data(piece("stop")) + DONE,
        text="All said.",
    ),
    Shape(
        "DashScope",
        "empty id and name with later pieces",
        DASHSCOPE,
        data(
            call(0, "read_file", "", id="call_1"),
            call(0, "", A[:4], id=""),
            call(0, "", A[4:], id=""),
            call(1, "read_file", "", id="call_2"),
            call(1, "", B, id=""),
            piece("tool_calls"),
            told(),
        )
        + DONE,
        calls=TWO,
    ),
    Shape(
        "DashScope",
        "a reason that is the word null",
        "https://help.aliyun.com/zh/model-studio/qwen-api",
        data(piece("null", content="All "), piece("null", content="said."), piece("stop")) + DONE,
        text="All said.",
        engine="openai",
    ),
    Shape(
        "Ollama",
        "an empty reason to the end",
        "https://github.com/ollama/ollama/issues/4357",
        data(piece("", content="All "), piece("", content="said.")) + DONE,
        text="All said.",
        seen=True,
    ),
    Shape(
        "Ollama",
        "no reason but [DONE]",
        "https://github.com/pydantic/pydantic-ai/issues/6610",
        WHOLE + DONE,
        text="All said.",
    ),
    Shape(
        "Ollama",
        "no reason but usage",
        "https://github.com/pydantic/pydantic-ai/issues/6610",
        WHOLE + data(told()),
        text="All said.",
    ),
    Shape(
        "Ollama",
        "whole calls together, all with index 0",
        "https://github.com/ollama/ollama/issues/7881",
        data(
            piece(
                tool_calls=[
                    {
                        "id": "call_a",
                        "index": 0,
                        "type": "function",
                        "function": {"name": "read_file", "arguments": A},
                    },
                    {
                        "id": "call_b",
                        "index": 0,
                        "type": "function",
                        "function": {"name": "read_file", "arguments": B},
                    },
                ]
            ),
            piece("stop"),
        )
        + DONE,
        calls=TWO,
    ),
    Shape(
        "LM Studio",
        "name and id first, arguments after",
        LMSTUDIO,
        data(
            call(0, "read_file", "", id="1"),
            call(0, "", A[:6]),
            call(0, "", A[6:]),
            call(1, "read_file", "", id="2"),
            call(1, "", B),
            piece("tool_calls"),
        )
        + DONE,
        calls=TWO,
    ),
    Shape(
        "LM Studio",
        "a call that its reader missed is text",
        LMSTUDIO,
        data(piece(content="Wait. <tool_call>{}</tool_call>"), piece("stop")) + DONE,
        text="Wait. <tool_call>{}</tool_call>",
    ),
    Shape(
        "LM Studio",
        "an event of its own for an error",
        LMSTUDIO,
        HALF + 'event: error\ndata: {"error": {"message": "model unloaded"}}\n\n',
        text="Half a sen",
        cut="fault",
        engine="openai",
    ),
    Shape(
        "vLLM",
        "a new id begins a call at the same index",
        FOUR_SERVERS,
        data(
            call(0, "read_file", "", id="chatcmpl-tool-1"),
            call(0, "", A, id=""),
            call(0, "read_file", "", id="chatcmpl-tool-2"),
            call(0, "", B, id=""),
            piece("tool_calls"),
        )
        + DONE,
        calls=TWO,
        seen=True,
    ),
    Shape(
        "vLLM",
        "a new id with every piece",
        "vLLM 0.6: entrypoints/openai/protocol.py, DeltaToolCall",
        data(
            call(0, "read_file", "", id="t1"),
            call(0, "", A[:5], id="t2"),
            call(0, "", A[5:], id="t3"),
            piece("tool_calls"),
        )
        + DONE,
        calls=TWO[:1],
    ),
    Shape(
        "vLLM",
        "tokens told along the way, then the connection ends",
        "https://github.com/vllm-project/vllm/pull/45678",
        data({**piece(content="Half a sen"), "usage": told()["usage"]}),
        text="Half a sen",
        cut="broken",
        seen=True,
    ),
    Shape(
        "vLLM",
        "a stop_reason of its own",
        "https://github.com/vllm-project/vllm/pull/19662",
        WHOLE
        + data(
            {
                **piece(),
                "choices": [
                    {"index": 0, "delta": {"content": ""}, "finish_reason": "stop", "stop_reason": None}
                ],
            }
        )
        + DONE,
        text="All said.",
        seen=True,
    ),
    Shape(
        "vLLM",
        "called off",
        "vLLM: v1/engine/__init__.py, FinishReason.ABORT",
        HALF + data(piece("abort")) + DONE,
        text="Half a sen",
        cut="abort",
    ),
    Shape(
        "vLLM",
        "usage with choices that are null",
        "https://docs.rs/openai-interface/0.12.0",
        WHOLE + data(piece("stop"), {**told(), "choices": None}) + DONE,
        text="All said.",
        engine="openai",
    ),
    Shape(
        "SGLang",
        "the id with every piece, one index for all",
        FOUR_SERVERS,
        data(
            call(0, "read_file", "", id="0"),
            call(0, "", A, id="0"),
            call(0, "read_file", "", id="1"),
            call(0, "", B, id="1"),
            piece("tool_calls"),
        )
        + DONE,
        calls=TWO,
        seen=True,
    ),
    Shape(
        "llama-server",
        "usage and timings in a piece of their own",
        "https://github.com/ggml-org/llama.cpp/pull/15444",
        WHOLE + data(piece("stop"), told(timings={"predicted_n": 5})) + DONE,
        text="All said.",
        seen=True,
    ),
    Shape(
        "llama-server",
        "usage with the reason, no [DONE]",
        "https://github.com/ggml-org/llama.cpp/issues/15443",
        WHOLE + data({**piece("stop"), "usage": told()["usage"]}),
        text="All said.",
    ),
    Shape(
        "LiteLLM proxy",
        "one whole call a piece (Groq)",
        "https://github.com/BerriAI/litellm/issues/7621",
        data(
            call(0, "read_file", A, id="call_785j"),
            call(0, "read_file", B, id="call_9x2k"),
            piece("tool_calls"),
        )
        + DONE,
        calls=TWO,
        seen=True,
    ),
    Shape(
        "LiteLLM proxy",
        "no index at all",
        "https://github.com/langchain-ai/langchain/pull/40562",
        data(call(None, "read_file", A, id="c1"), call(None, "read_file", B, id="c2"), piece("tool_calls"))
        + DONE,
        calls=TWO,
    ),
    Shape(
        "LiteLLM proxy",
        "a call as text, ended with stop (Ollama behind it)",
        "https://github.com/BerriAI/litellm/issues/35711",
        data(piece(content='{"name": "read_file"}'), piece("stop")) + DONE,
        text='{"name": "read_file"}',
    ),
    Shape(
        "another",
        "no field for the reason, tokens with every piece",
        "https://github.com/alfredapp/openai-workflow/pull/52",
        data(
            {
                "choices": [{"index": 0, "delta": {"role": "assistant", "content": "All said."}}],
                "id": "x",
                "created": 1,
                "model": "m",
                "usage": told()["usage"],
            }
        )
        + DONE,
        text="All said.",
        seen=True,
    ),
    Shape(
        "OpenRouter",
        "comments before the answer",
        "https://openrouter.ai/docs/api-reference/streaming",
        ": OPENROUTER PROCESSING\n\n" * 3 + WHOLE + data(piece("stop"), told()) + DONE,
        text="All said.",
    ),
    Shape(
        "OpenRouter",
        "an error in a piece",
        "https://github.com/damianvtran/local-operator/pull/223",
        HALF
        + data({**piece("error", content=""), "error": {"code": 502, "message": "provider went away"}}),
        text="Half a sen",
        cut="fault",
        seen=True,
    ),
    Shape(
        "OpenRouter",
        "the reason error, and no word of it",
        "https://openrouter.ai/docs/api-reference/overview",
        HALF + data(piece("error")) + DONE,
        text="Half a sen",
        cut="error",
    ),
    Shape(
        "OpenRouter",
        "cut, with the vendor's own word",
        "https://github.com/CherryHQ/cherry-studio/pull/16079",
        HALF
        + data(
            {
                **piece(),
                "choices": [
                    {
                        "index": 0,
                        "delta": {"content": ""},
                        "finish_reason": "content_filter",
                        "native_finish_reason": "refusal",
                    }
                ],
            }
        )
        + DONE,
        text="Half a sen",
        cut="content_filter (refusal)",
    ),
    Shape(
        "another",
        "a delta that is a word (found by chance, tests/soak fuzz)",
        "tests/soak/fuzz_streams.py",
        data(call(0, "read_file", A, id="c1"), {**piece(), "choices": [{"index": 0, "delta": "stop"}]})
        + DONE,
        cut="broken",
        engine="openai",
    ),
    Shape(
        "Responses",
        "text in deltas, the whole of it after",
        RESPONSES,
        events(
            {"type": "response.created", "response": {"id": "r", "status": "in_progress", "error": None}},
            added(0, "message", role="assistant", content=[]),
            step("content_part.added", part={"type": "output_text", "text": ""}, content_index=0),
            *_R_WHOLE,
            step("output_text.done", text="All said."),
            step("content_part.done", part={"type": "output_text", "text": "All said."}),
            ready(0, "message", **message("All said.")),
            over(output=[{"type": "message", "id": "message_0", **message("All said.")}]),
        ),
        text="All said.",
        finish="stop",
        engine="responses",
    ),
    Shape(
        "Responses",
        "reasoning in two parts, parallel calls in pieces",
        RESPONSES,
        events(
            added(0, "reasoning", summary=[]),
            step("reasoning_summary_text.delta", 0, "reasoning_0", delta="First.", summary_index=0),
            step("reasoning_summary_text.delta", 0, "reasoning_0", delta="Then.", summary_index=1),
            ready(0, "reasoning", summary=[], encrypted_content="c2VhbA"),
            added(1, "function_call", call_id="call_1", name="read_file", arguments=""),
            added(2, "function_call", call_id="call_2", name="read_file", arguments=""),
            step("function_call_arguments.delta", 1, "function_call_1", delta=A[:5]),
            step("function_call_arguments.delta", 2, "function_call_2", delta=B[:7]),
            step("function_call_arguments.delta", 1, "function_call_1", delta=A[5:]),
            step("function_call_arguments.delta", 2, "function_call_2", delta=B[7:]),
            step("function_call_arguments.done", 1, "function_call_1", arguments=A),
            ready(1, "function_call", call_id="call_1", name="read_file", arguments=A),
            ready(2, "function_call", call_id="call_2", name="read_file", arguments=B),
            over(),
        ),
        calls=TWO,
        engine="responses",
    ),
    Shape(
        "Responses",
        "a refusal has its own events",
        RESPONSES,
        events(step("refusal.delta", delta="I "), step("refusal.delta", delta="won't."), over()),
        text="I won't.",
        engine="responses",
    ),
    Shape(
        "Responses",
        "longer than allowed",
        RESPONSES,
        events(*_R_HALF, over("incomplete", incomplete_details={"reason": "max_output_tokens"})),
        text="Half a sen",
        finish="length",
        engine="responses",
    ),
    Shape(
        "Responses",
        "cut by the filter after half a sentence",
        RESPONSES,
        events(*_R_HALF, over("incomplete", incomplete_details={"reason": "content_filter"})),
        text="Half a sen",
        cut="content_filter",
        engine="responses",
    ),
    Shape(
        "Responses",
        "failed in the middle",
        "openai-python: types/responses/response_error.py",
        events(*_R_HALF, over("failed", error={"code": "server_error", "message": "It went wrong."})),
        text="Half a sen",
        cut="fault",
        engine="responses",
    ),
    Shape(
        "Responses",
        "failed for a policy",
        "openai-python: types/responses/response_error.py",
        events(*_R_HALF, over("failed", error={"code": "bio_policy", "message": "Not that."})),
        text="Half a sen",
        cut="bio_policy",
        engine="responses",
    ),
    Shape(
        "Responses",
        "an event of its own for an error",
        "openai-python: types/responses/response_error_event.py",
        events(*_R_HALF, {"type": "error", "code": "server_error", "message": "Gone.", "param": None}),
        text="Half a sen",
        cut="fault",
        engine="responses",
    ),
    Shape(
        "Responses",
        "called off",
        "openai-python: types/responses/response_status.py",
        events(*_R_HALF, over("cancelled")),
        text="Half a sen",
        cut="cancelled",
        engine="responses",
    ),
    Shape(
        "Responses",
        "no end",
        RESPONSES_GUIDE,
        events(*_R_HALF),
        text="Half a sen",
        cut="broken",
        engine="responses",
    ),
    Shape(
        "Responses",
        "a tool of the server's own ends on the way",
        RESPONSES,
        events(step("web_search_call.completed"), step("mcp_call.failed"), *_R_WHOLE, over()),
        text="All said.",
        engine="responses",
    ),
    Shape(
        "Codex",
        "outputs whole, none at the end",
        "https://github.com/bytedance/deer-flow/pull/1928",
        events(
            ready(0, "message", **message("All said.")),
            ready(1, "function_call", **_R_CALLS[0]),
            ready(2, "function_call", **_R_CALLS[1]),
            over(),
        ),
        text="All said.",
        calls=TWO,
        seen=True,
        engine="responses",
    ),
    Shape(
        "Copilot",
        "another id with every event of an output, and the end numbers them anew",
        "https://github.com/BerriAI/litellm/pull/30072",
        events(
            step("reasoning_summary_text.delta", 0, "x1", delta="Hm.", summary_index=0),
            ready(0, "reasoning", summary=[{"type": "summary_text", "text": "Hm."}]),
            step("output_text.delta", 1, "x2", delta="All "),
            step("output_text.delta", 1, "x3", delta="said."),
            ready(1, "message", **(message("All said.") | {"id": "x4"})),
            ready(2, "function_call", **_R_CALLS[0]),
            over(
                output=[
                    {"type": "message", "id": "x5", **message("All said.")},
                    {"type": "function_call", "id": "x6", **_R_CALLS[0]},
                ]
            ),
        ),
        text="All said.",
        calls=TWO[:1],
        seen=True,
        engine="responses",
    ),
    Shape(
        "Manifest",
        "deltas and no outputs, [DONE] at the end",
        "https://github.com/mnfst/llm-gateway/issues/2064",
        events(*_R_WHOLE, over()) + DONE,
        text="All said.",
        seen=True,
        engine="responses",
    ),
    Shape(
        "codex-lb",
        "everything at the end only",
        "https://github.com/Soju06/codex-lb/pull/504",
        events(
            over(
                output=[
                    {"type": "message", **message("All said.")},
                    *({"type": "function_call", **call} for call in _R_CALLS),
                ]
            )
        ),
        text="All said.",
        calls=TWO,
        engine="responses",
    ),
    Shape(
        "gemini-web2api",
        "the text whole, without deltas",
        "https://github.com/Sophomoresty/gemini-web2api/pull/57",
        events(step("output_text.done", text="All said."), over()),
        text="All said.",
        seen=True,
        engine="responses",
    ),
    Shape(
        "OmniRoute",
        "the output is told to be whole after its first piece",
        "https://github.com/diegosouzapw/OmniRoute/issues/13693",
        events(
            _R_WHOLE[0],
            step("output_text.done", text="All "),
            ready(0, "message", **message("All ")),
            _R_WHOLE[1],
            over(),
        ),
        text="All said.",
        seen=True,
        engine="responses",
    ),
    Shape(
        "opencodex",
        "arguments whole, without deltas",
        "https://github.com/lidge-jun/opencodex/pull/4652",
        events(
            added(0, "function_call", call_id="call_1", name="read_file", arguments=""),
            step("function_call_arguments.done", 0, "function_call_0", arguments=A),
            ready(0, "function_call", call_id="call_1", name="read_file", arguments=A),
            added(1, "function_call", call_id="call_2", name="read_file", arguments=""),
            step("function_call_arguments.done", 1, "function_call_1", arguments=B),
            over(),
        ),
        calls=TWO,
        engine="responses",
    ),
    Shape(
        "vLLM",
        "Responses: the place of an output is told one too high at its end",
        "https://github.com/vllm-project/vllm/pull/24938",
        events(
            step("reasoning_text.delta", 0, "msg_1", delta="Hm."),
            ready(1, "reasoning", summary=[], content=[{"type": "reasoning_text", "text": "Hm."}]),
            step("output_text.delta", 1, "msg_2", delta="All said."),
            ready(2, "message", **(message("All said.") | {"id": "msg_2"})),
            over(),
        ),
        text="All said.",
        seen=True,
        engine="responses",
    ),
    Shape(
        "LM Studio",
        "Responses: a thought whole, without deltas",
        "https://github.com/earendil-works/pi/pull/4191",
        events(
            step("reasoning_text.done", 0, "rs_1", text="Hm."),
            step("output_text.delta", 1, delta="So."),
            over(),
        ),
        text="So.",
        seen=True,
        engine="responses",
    ),
    Shape(
        "Responses",
        "an error in a piece of no type",
        "openai-python: _streaming.py",
        events(*_R_HALF) + data({"error": {"code": "rate_limit_exceeded", "message": "Slow down."}}),
        text="Half a sen",
        cut="fault",
        engine="responses",
    ),
]
