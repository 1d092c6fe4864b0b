"""Iteration: our iteration around the same nodes."""

from __future__ import annotations

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.mapping import Mapped, Mapping, Ref, one_step, renamed
from backend.workflows.dify.reading import DifyNode, number_in, selector_of, text_in
from backend.workflows.report import plural

_ON_ERROR = {"continue-on-error": "keep_null", "remove-abnormal-output": "skip"}


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The list, what each round gives, how many at once."""
    at_once = 1
    if node.data.get("is_parallel") is True:
        at_once = min(max(int(number_in(node.data, "parallel_nums")) or 10, 1), 50)
    config = {
        "items": ref(node.data.get("iterator_selector")),
        "output": Ref(selector_of(node.data.get("output_selector")), inside=True),
        "concurrency": at_once,
        "on_item_error": _ON_ERROR.get(text_in(node.data, "error_handle_mode"), "fail"),
    }
    count = len(ctx.children(node))
    en = f"{at_once} at once; " if at_once > 1 else ""
    zh = f"同时 {at_once} 项；" if at_once > 1 else ""
    return one_step(
        "iteration", config, Text(f"{en}{plural(count, 'node', 'nodes')} inside", f"{zh}内部 {count} 个节点")
    )


ITERATION = Mapping(convert, renamed({"output": "items"}))
