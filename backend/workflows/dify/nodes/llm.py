"""LLM: messages for a model. One that remembers the conversation becomes an agent without tools, for ours remember."""

from __future__ import annotations

from typing import Any

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context, mentions, window_of
from backend.workflows.dify.jinja import plain_text
from backend.workflows.dify.mapping import Mapped, Mapping, Path, Raw, Ref, one_step
from backend.workflows.dify.reading import DifyNode, dict_in, dicts_in, selector_of, text_in
from backend.workflows.report import Line, plural

_ROLES = frozenset({"system", "user", "assistant"})
_OUTPUTS = {
    "text": "text",
    "structured_output": "structured",
    "usage": "usage",
    "reasoning_content": "reasoning",
    "finish_reason": "finish",
}


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """Messages, model and what the answer must fit."""
    line = ctx.lines[node.id]
    messages = _messages(node, line)
    config = ctx.model(dict_in(node.data, "model"), line)
    structured = dict_in(dict_in(node.data, "structured_output"), "schema")
    if node.data.get("structured_output_enabled") is True and structured:
        config["output_schema"] = Raw(structured)
    count = sum(len(list(mentions(message["content"]))) for message in messages)
    why = Text(f"prompt with {plural(count, 'value', 'values')}", f"提示词含 {count} 个值")
    pictures = _pictures(node, ctx)
    memory = node.data.get("memory")
    remembers = ctx.app.mode == "chatflow" and isinstance(memory, dict)
    if remembers:
        _add_query(messages, text_in(memory, "query_prompt_template") or "{{#sys.query#}}")
        if not pictures and len(messages) <= 2 and "agent" in ctx.types:
            return _agent(config, messages, memory, line)
        line.note("does not remember the conversation", "不记得之前的对话")
    if not messages:
        messages = [{"role": "user", "content": ""}]
    if pictures:
        messages.insert(max(len(messages) - 1, 0), {"role": "user", "content": Ref(pictures)})
    return one_step("llm", {**config, "messages": messages}, why)


def _agent(config: dict[str, Any], messages: list[dict[str, Any]], memory: Any, line: Line) -> Mapped:
    system = "\n\n".join(message["content"] for message in messages[:-1])
    why = Text("remembers the conversation: an agent without tools", "记住对话：没有工具的智能体")
    agent = {
        **config,
        "system_prompt": system,
        "query": messages[-1]["content"],
        "tools": {},
        "memory": window_of(memory),
    }
    line.tells = True
    return one_step("agent", agent, why)


def _messages(node: DifyNode, line: Line) -> list[dict[str, Any]]:
    template = node.data.get("prompt_template")
    parts = [template] if isinstance(template, dict) else dicts_in(node.data, "prompt_template")
    config = dict_in(node.data, "prompt_config")
    variables = {
        text_in(item, "variable"): selector_of(item.get("value_selector"))
        for item in dicts_in(config, "jinja2_variables")
    }
    context = ".".join(selector_of(dict_in(node.data, "context").get("variable_selector")))
    messages = []
    for part in parts:
        role = text_in(part, "role").lower()
        text = text_in(part, "text")
        if text_in(part, "edition_type") == "jinja2":
            plain = plain_text(text_in(part, "jinja2_text") or text, variables)
            text = text_in(part, "jinja2_text") or text if plain is None else plain
            if plain is None:
                line.note("its Jinja statements stay as text", "其中的 Jinja 语句保留为文本")
        text = text.replace("{{#context#}}", f"{{{{#{context}#}}}}" if context else "").replace("{{#histories#}}", "")
        if text.strip() or role == "user":
            messages.append({"role": role if role in _ROLES else "user", "content": text})
    return messages


def _add_query(messages: list[dict[str, Any]], query: str) -> None:
    """Put the person's words behind the messages, as Dify does."""
    query = query.replace("{{#sys.files#}}", "").strip()
    if messages and messages[-1]["role"] == "user":
        last = messages[-1]["content"].strip()
        messages[-1]["content"] = f"{query}\n{last}" if last and query != last else query
    else:
        messages.append({"role": "user", "content": query})


def _pictures(node: DifyNode, ctx: Context) -> tuple[str, ...]:
    vision = dict_in(node.data, "vision")
    if vision.get("enabled") is not True:
        return ()
    selector = selector_of(dict_in(vision, "configs").get("variable_selector")) or ("sys", "files")
    if selector[:2] == ("sys", "files") and "files" not in ctx.system_inputs:
        return ()
    return selector


def outputs(node: DifyNode, keys: tuple[str, ...], ctx: Context) -> Path | None:
    """Its outputs by our names."""
    name = _OUTPUTS.get(keys[0])
    outcome = ctx.outcomes.get(node.id)
    if name is None or (name == "reasoning" and outcome is not None and outcome.steps[0].type == "agent"):
        return None
    return Path((name, *keys[1:]))


LLM = Mapping(convert, outputs)
