"""Iteration: our iteration around the same nodes."""

from __future__ import annotations

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.mapping import Mapped, Mapping, Ref, one_step, renamed
from backend.workflows.dify.reading import DifyNode, dict_in, dicts_in, number_in, selector_of, text_in
from backend.workflows.report import plural

_ON_ERROR = {"continue-on-error": "keep_null", "remove-abnormal-output": "skip"}

_LISTS = {"iteration": "output", "list-operator": "result", "knowledge-retrieval": "result"}
"""Outputs that are always lists."""


def _gives_a_list(node: DifyNode, ctx: Context) -> bool:
    """Whether the app says that each round gives a list."""
    selector = selector_of(node.data.get("output_selector"))
    inner = ctx.app.nodes.get(selector[0]) if len(selector) == 2 else None
    if inner is None:
        return False
    name, data = selector[1], inner.data
    if _LISTS.get(inner.type) == name:
        return True
    if inner.type == "document-extractor":
        return data.get("is_array_file") is True
    declared = [text_in(dict_in(dict_in(data, "outputs"), name), "type")]
    if name == "output":
        declared.append(text_in(data, "output_type"))
    declared += [text_in(item, "type") for item in dicts_in(data, "parameters") if text_in(item, "name") == name]
    return any(kind.startswith("array") for kind in declared)


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
    if node.data.get("flatten_output") is not False and _gives_a_list(node, ctx):
        ctx.lines[node.id].note(
            "its output is a list of lists: newer versions of Dify join the lists of its rounds",
            "输出为列表的列表：新版 Dify 会把各轮的列表合并为一个",
        )
    count = len(ctx.children(node))
    en = f"{at_once} at once; " if at_once > 1 else ""
    zh = f"同时 {at_once} 项；" if at_once > 1 else ""
    return one_step(
        "iteration", config, Text(f"{en}{plural(count, 'node', 'nodes')} inside", f"{zh}内部 {count} 个节点")
    )


ITERATION = Mapping(convert, renamed({"output": "items"}))
