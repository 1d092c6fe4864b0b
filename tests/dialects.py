"""How the services of the presets speak, for tests: made from their public documents, not recorded from them.

A `Dialect` holds the events of two rounds as the service's documents (`source`) describe its stream (a call of the tool
`add` with what the model attaches to it, then an answer), and `check`, which looks at a request as the service does and
gives the body of its 400, or None. `returned` = what the second round must hold of the first one's message, untouched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Json = Any
Check = Callable[[Json], Json]
ARGUMENTS = '{"a": 1, "b": 2}'
USAGE = {"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49}


def chunk(delta: Json, finish: str | None = None, **more: Json) -> Json:
    """One event with a choice."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "x", "object": "chat.completion.chunk", "model": "m-served", "choices": [choice], **more}


def call(call_id: str = "call_1", **more: Json) -> Json:
    """A delta with the whole call."""
    function = {"name": "add", "arguments": ARGUMENTS}
    return {"tool_calls": [{"index": 0, "id": call_id, "type": "function", "function": function, **more}]}


def used(**more: Json) -> Json:
    """The event after the last choice."""
    return {"id": "x", "object": "chat.completion.chunk", "model": "m-served", "choices": [], "usage": USAGE, **more}


def tool_call_messages(body: Json) -> list[tuple[int, Json]]:
    """(index, message) of the assistant's messages with calls."""
    return [(n, message) for n, message in enumerate(body["messages"]) if message.get("tool_calls")]


def refused(message: str, **more: Json) -> Json:
    """An error as most services word it."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **more}}


@dataclass
class Dialect:
    """One service."""

    name: str
    source: str
    calls: list[Json]
    answers: list[Json] = field(default_factory=lambda: [chunk({"content": "It is 3."}), chunk({}, "stop"), used()])
    check: Check = lambda body: None
    returned: Json = None  # fields of the assistant's message in the second round
    returned_call: Json = None  # fields of its call
    tokens: int = 49


# -- what the services look at ----------------------------------------------------------------------------------------

PLAIN = {"role", "content", "tool_calls", "tool_call_id", "name"}


def strict(body: Json) -> Json:
    """OpenAI's own rules: no field that a message does not have, no choice of tools without tools."""
    for index, message in enumerate(body["messages"]):
        odd = set(message) - PLAIN - {"refusal", "audio"}
        if odd:
            return refused(f"Unknown parameter: 'messages[{index}].{min(odd)}'.", code="unknown_parameter")
    if not body.get("tools") and ("tool_choice" in body or "parallel_tool_calls" in body):
        return refused("'tool_choice' is only allowed when 'tools' are specified.", param="tool_choice")
    return None


def deepseek(body: Json) -> Json:
    if any("reasoning_content" not in message for _, message in tool_call_messages(body)):
        return refused("The `reasoning_content` in the thinking mode must be passed back to the API.")
    return None


def kimi(body: Json) -> Json:
    for index, message in tool_call_messages(body):
        if "reasoning_content" not in message:
            text = (
                f"thinking is enabled but reasoning_content is missing in assistant tool call message at index {index}"
            )
            return refused(text)
    return None


def gemini(body: Json) -> Json:
    for _, message in tool_call_messages(body):
        extra = message["tool_calls"][0].get("extra_content") or {}
        if not (extra.get("google") or {}).get("thought_signature"):
            text = "Function call is missing a thought_signature in functionCall parts."
            return [{"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT"}}]
    return None


def mistral(body: Json) -> Json:
    for before, after in pairwise(body["messages"]):
        if before["role"] == "tool" and after["role"] == "user":
            text = "Unexpected role 'user' after role 'tool'"
            return {"object": "error", "message": text, "type": "invalid_request_message_order", "code": "3230"}
    for message in body["messages"]:
        if odd := set(message) - PLAIN - {"prefix"}:
            detail = {"type": "extra_forbidden", "loc": ["body", "messages", min(odd)], "msg": "Extra inputs"}
            return {"object": "error", "message": {"detail": [detail]}, "type": "invalid_request_error"}
    return None


def groq(body: Json) -> Json:
    for index, message in enumerate(body["messages"]):
        if odd := set(message) - PLAIN - {"reasoning"}:
            where = f"'messages.{index}'"
            return refused(f"{where} : for 'role:assistant' ({where} : property '{min(odd)}' is unsupported)")
    return None


def minimax(body: Json) -> Json:
    """Takes anything, but thinks on only with its own thoughts; the test looks at them."""
    return None


# -- what they say ----------------------------------------------------------------------------------------------------

THOUGHT = "I add 1 and 2."
_REASONED = [chunk({"role": "assistant", "content": None, "reasoning_content": "I add "})]
_REASONED += [chunk({"content": None, "reasoning_content": "1 and 2."})]
_DONE = [chunk({}, "tool_calls"), used()]
_HEAD = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "add", "arguments": ""}}
_PIECES = [
    chunk({"tool_calls": [_HEAD]}),
    chunk({"tool_calls": [{"index": 0, "id": "", "type": "function", "function": {"arguments": ARGUMENTS[:7]}}]}),
    chunk({"tool_calls": [{"index": 0, "id": "", "type": "function", "function": {"arguments": ARGUMENTS[7:]}}]}),
]
_WITH_REASONING = {"reasoning_content": THOUGHT}
_SIGNATURE = {"google": {"thought_signature": "CukBAdHtim9+sig/=="}}
_DETAILS = [
    {"type": "reasoning.text", "text": "I add ", "format": "anthropic-claude-v1", "index": 0},
    {"type": "reasoning.text", "text": "1 and 2.", "format": "anthropic-claude-v1", "index": 0},
    {"type": "reasoning.text", "signature": "EqQBCkgIBhABGAI=", "format": "anthropic-claude-v1", "index": 0},
    {"type": "reasoning.encrypted", "data": "ZW5j", "id": "rs_1", "format": "openai-responses-v1", "index": 1},
]
_THINKING = {"type": "thinking", "thinking": [{"type": "text", "text": "I add "}]}
_THINKING_ON = {"type": "thinking", "thinking": [{"type": "text", "text": "1 and 2."}]}

DIALECTS = [
    Dialect(
        "openai",
        "https://platform.openai.com/docs/api-reference/chat-streaming",
        [chunk({"role": "assistant", "content": None, "refusal": None}, obfuscation="x7"), *_PIECES, *_DONE],
        check=strict,
    ),
    Dialect(
        "azure",
        "https://learn.microsoft.com/azure/ai-foundry/openai/latest",
        [
            {"choices": [], "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]},
            chunk({"role": "assistant", "content": None, "refusal": None}),
            *_PIECES,
            *_DONE,
        ],
        check=strict,
    ),
    Dialect(
        "anthropic",
        "https://platform.claude.com/docs/en/api/openai-sdk",
        [chunk({"role": "assistant", "content": ""}), chunk(call("toolu_01")), *_DONE],
    ),
    Dialect(
        "gemini",
        "https://ai.google.dev/gemini-api/docs/thought-signatures",
        [chunk({"role": "assistant", **call("function-call-1", extra_content=_SIGNATURE)}), chunk({}, "stop"), used()],
        check=gemini,
        returned_call={"extra_content": _SIGNATURE},
    ),
    Dialect(
        "mistral",
        "https://docs.mistral.ai/capabilities/reasoning/",
        [
            chunk({"role": "assistant", "content": ""}),
            chunk({"content": [_THINKING]}),
            chunk({"content": [_THINKING_ON]}),
            chunk({"content": "Adding."}),
            chunk(call("Ab12Cd34E")),
            chunk({}, "tool_calls", usage=USAGE),
        ],
        [chunk({"content": "It is 3."}), chunk({}, "stop", usage=USAGE)],
        check=mistral,
        returned={
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
                {"type": "text", "text": "Adding."},
            ]
        },
    ),
    Dialect(
        "groq",
        "https://console.groq.com/docs/reasoning",
        [
            chunk({"role": "assistant", "content": None, "reasoning": THOUGHT}),
            chunk(call("call_g"), channel="analysis"),
            chunk({}, "tool_calls", x_groq={"id": "req_1", "usage": USAGE}),
        ],
        check=groq,
        returned={"reasoning": THOUGHT},
    ),
    Dialect(
        "openrouter",
        "https://openrouter.ai/docs/use-cases/reasoning-tokens",
        [
            *(chunk({"content": "", "reasoning": d.get("text"), "reasoning_details": [d]}) for d in _DETAILS),
            chunk(call("toolu_02")),
            *_DONE,
        ],
        returned={
            "reasoning_details": [
                {**_DETAILS[0], "text": THOUGHT, "signature": "EqQBCkgIBhABGAI="},
                _DETAILS[3],
            ]
        },
    ),
    Dialect(
        "deepseek",
        "https://api-docs.deepseek.com/guides/thinking_mode",
        [*_REASONED, *_PIECES, chunk({"content": ""}, "tool_calls", usage=USAGE)],
        check=deepseek,
        returned=_WITH_REASONING,
    ),
    Dialect(
        "moonshot",
        "https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model",
        [
            *_REASONED,
            chunk(call("add:0")),
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls", "usage": USAGE}]},
        ],
        check=kimi,
        returned=_WITH_REASONING,
    ),
    Dialect(
        "zhipu",
        "https://docs.bigmodel.cn/cn/guide/capabilities/thinking",
        [*_REASONED, chunk(call("call_-8231")), chunk({"role": "assistant", "content": ""}, "tool_calls", usage=USAGE)],
        returned=_WITH_REASONING,
    ),
    Dialect(
        "dashscope",
        "https://help.aliyun.com/zh/model-studio/deep-thinking",
        [*_REASONED, *_PIECES, *_DONE],
        returned=_WITH_REASONING,
    ),
    Dialect(
        "modelscope",
        "https://modelscope.cn/docs/model-service/API-Inference/intro",
        [*_REASONED, *_PIECES, *_DONE],
        returned=_WITH_REASONING,
    ),
    Dialect(
        "siliconflow",
        "https://docs.siliconflow.cn/cn/userguide/capabilities/reasoning",
        [*_REASONED, *_PIECES, *_DONE],
        check=lambda body: {"code": 20015, **kimi(body)["error"], "data": None} if kimi(body) else None,
        returned=_WITH_REASONING,
    ),
    Dialect(
        "volcengine",
        "https://www.volcengine.com/docs/82379/1449737",
        [*_REASONED, *_PIECES, *_DONE],
        returned=_WITH_REASONING,
    ),
    Dialect(
        "minimax",
        "https://platform.minimax.io/docs/guides/text-m2-function-call",
        [
            chunk({"role": "assistant", "content": "<think>\nI add "}),
            chunk({"content": "1 and 2.\n</think>\n\nAdding."}),
            chunk(call("call_function_1")),
            *_DONE,
        ],
        returned={"content": "<think>\nI add 1 and 2.\n</think>\n\nAdding."},
    ),
    Dialect(
        "ollama",
        "https://docs.ollama.com/api/openai-compatibility",
        [
            chunk({"role": "assistant", "content": "", "reasoning": THOUGHT}),
            chunk({"role": "assistant", "content": "", **call("call_o")}, "tool_calls"),
            used(),
        ],
        returned={"reasoning": THOUGHT},
    ),
    Dialect(
        "vllm",
        "https://docs.vllm.ai/en/latest/features/reasoning_outputs.html",
        [chunk({"role": "assistant", "content": "", "reasoning": THOUGHT}), *_PIECES, *_DONE],
        returned={"reasoning": THOUGHT},
    ),
    Dialect(
        "lmstudio",
        "https://lmstudio.ai/docs/developer/openai-compat/tools",
        [*_REASONED, *_PIECES, *_DONE],
        returned=_WITH_REASONING,
    ),
    Dialect(
        "llamacpp",
        "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md",
        [*_REASONED, *_PIECES, chunk({}, "tool_calls", timings={"predicted_n": 9}), used()],
        returned=_WITH_REASONING,
    ),
]
