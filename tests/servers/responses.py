"""The scripted server's answers in the form of OpenAI's Responses: chat chunks become its events.

Written from openai-python's types/responses: the events of response_stream_event.py in the order of its
streaming examples, each output added, told in deltas, and told once more whole.
"""

from collections.abc import Iterable, Iterator
from typing import Any

type Body = dict[str, Any]

SEAL = "c2VhbGVk"
"""What a reasoning item is sealed with; sent back, it must be the same."""


def said(item: Body) -> str:
    """The words of a message, or of an item of `input`."""
    return str(item.get("content") or item.get("output"))


def events(chunks: Iterable[Body], usage: Body) -> Iterator[Body]:
    """The events of one response, numbered; `usage` in the words of Chat Completions."""
    whole: Body = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "scripted",
        "error": None,
    }
    whole |= {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    yield {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}}
    teller = _Teller()
    for chunk in chunks:
        yield from teller.chunk(chunk)
    yield from teller.close()
    cut = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(teller.why)
    status = "incomplete" if cut else "completed"
    tokens = {
        "input_tokens": usage["prompt_tokens"],
        "input_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 0},
        "output_tokens": usage["completion_tokens"],
        "output_tokens_details": {"reasoning_tokens": 7},
        "total_tokens": usage["total_tokens"],
    }
    end: Body = {"status": status, "output": teller.output, "usage": tokens}
    end["incomplete_details"] = {"reason": cut} if cut else None
    yield {"type": f"response.{status}", "response": whole | end}


class _Teller:
    def __init__(self) -> None:
        self.output: list[Body] = []
        self.why = ""
        self._open: Body | None = None
        self._call = -1

    def chunk(self, chunk: Body) -> Iterator[Body]:
        """The events for a chunk."""
        for choice in chunk["choices"]:
            delta = choice.get("delta") or choice.get("message") or {}
            self.why = choice.get("finish_reason") or self.why
            if thought := delta.get("reasoning_content") or delta.get("reasoning"):
                yield from self._opened("reasoning", {"summary": []})
                where = {"item_id": self._place["item_id"], "output_index": self._place["output_index"]}
                yield self._told("reasoning_summary_text", thought, where | {"summary_index": 0})
                assert self._open is not None
                self._open["text"] = self._open.get("text", "") + thought
            if text := delta.get("content"):
                yield from self._opened("message", {"role": "assistant", "content": []})
                yield self._told("output_text", text, self._place | {"content_index": 0, "logprobs": []})
                assert self._open is not None
                self._open["text"] = self._open.get("text", "") + text
            for call in delta.get("tool_calls") or ():
                yield from self._called(call)

    def _called(self, call: Body) -> Iterator[Body]:
        if call["index"] != self._call:
            self._call = call["index"]
            yield from self.close()
            fields = {"call_id": call["id"], "name": call["function"]["name"], "arguments": ""}
            yield from self._opened("function_call", fields)
        yield self._told("function_call_arguments", call["function"]["arguments"], self._place)
        assert self._open is not None
        self._open["arguments"] += call["function"]["arguments"]

    @property
    def _place(self) -> Body:
        assert self._open is not None
        return {"item_id": self._open["id"], "output_index": len(self.output)}

    def _told(self, what: str, delta: str, where: Body) -> Body:
        return {"type": f"response.{what}.delta", "delta": delta, **where}

    def _opened(self, kind: str, fields: Body) -> Iterator[Body]:
        if self._open is not None and self._open["type"] == kind:
            return
        yield from self.close()
        short = {"reasoning": "rs", "message": "msg", "function_call": "fc"}[kind]
        item = {"id": f"{short}_{len(self.output)}", "type": kind, "status": "in_progress", **fields}
        self._open = item
        place = {"output_index": len(self.output)}
        yield {"type": "response.output_item.added", "item": dict(item), **place}

    def close(self) -> Iterator[Body]:
        """The events that close the output which is open."""
        if (item := self._open) is None:
            return
        text = item.pop("text", "")
        if item["type"] == "message":
            item["content"] = [{"type": "output_text", "text": text, "annotations": []}]
            yield {"type": "response.output_text.done", "text": text, **self._place, "content_index": 0}
        if item["type"] == "reasoning":
            item |= {"summary": [{"type": "summary_text", "text": text}], "encrypted_content": SEAL}
        if item["type"] == "function_call":
            arguments = item["arguments"]
            yield {"type": "response.function_call_arguments.done", "arguments": arguments, **self._place}
        item["status"] = "completed"
        yield {"type": "response.output_item.done", "item": item, "output_index": len(self.output)}
        self.output.append(item)
        self._open = None
