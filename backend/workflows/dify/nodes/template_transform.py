"""Template: our template, where the Jinja in it only puts values in."""

from __future__ import annotations

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context, mentions
from backend.workflows.dify.jinja import plain_text
from backend.workflows.dify.mapping import Left, Mapped, Mapping, one_step, renamed
from backend.workflows.dify.reading import DifyNode, dicts_in, selector_of, text_in
from backend.workflows.report import plural


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The text with its values."""
    variables = {
        text_in(item, "variable"): selector_of(item.get("value_selector")) for item in dicts_in(node.data, "variables")
    }
    text = plain_text(text_in(node.data, "template"), variables)
    if text is None:
        raise Left("its Jinja does more than put values in", "其 Jinja 模板不只是填入变量")
    count = len(list(mentions(text)))
    return one_step("template", {"template": text}, Text(plural(count, "value", "values"), f"{count} 个值"))


TEMPLATE_TRANSFORM = Mapping(convert, renamed({"output": "text"}))
