"""Answer: a text that is said."""

from __future__ import annotations

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context, mentions
from backend.workflows.dify.mapping import Mapped, Mapping, one_step, renamed
from backend.workflows.dify.reading import DifyNode, text_in
from backend.workflows.report import plural


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The text."""
    text = text_in(node.data, "answer")
    count = len(list(mentions(text)))
    return one_step(
        "answer", {"text": text}, Text(f"text with {plural(count, 'value', 'values')}", f"文本，含 {count} 个值")
    )


ANSWER = Mapping(convert, renamed({"answer": "text", "text": "text"}))
