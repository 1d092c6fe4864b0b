"""How an answer ended, in one set of words for all endpoints: stop, length, content_filter, tool_calls, refusal."""

from __future__ import annotations

_SAME = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "complete": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "max_output_tokens": "length",
    "model_context_window_exceeded": "length",
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "sensitive": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "prohibited_content": "content_filter",
    "content_filtered": "content_filter",
}
BROKEN = frozenset({"insufficient_system_resource", "network_error", "error"})
"""The endpoint itself says that it broke off: asking again may help."""


def finish_of(reason: str, *, calls: bool, refused: bool) -> str:
    """What an endpoint calls the end of an answer (`said`, empty = nothing), in our words; an unknown one as it is.

    `calls`: the answer holds tool calls. `refused`: the model said that it will not.
    """
    word = _SAME.get(reason.lower(), reason.lower() if reason.isupper() else reason) or "stop"
    if calls:
        return "tool_calls" if word == "stop" else word
    return "refusal" if refused and word == "stop" else word
