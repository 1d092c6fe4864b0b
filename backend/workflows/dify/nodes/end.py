"""End: names the outputs of a run. Several ends with one name are joined by `ends.join_ends`."""

from __future__ import annotations

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.mapping import Mapped, Mapping, one_step
from backend.workflows.dify.reading import DifyNode, dicts_in, text_in
from backend.workflows.report import plural


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The values by name."""
    outputs = {
        name: ref(item.get("value_selector"))
        for item in dicts_in(node.data, "outputs")
        if (name := text_in(item, "variable"))
    }
    count = len(outputs)
    return one_step("end", {"outputs": outputs}, Text(plural(count, "output", "outputs"), f"{count} 个输出"))


END = Mapping(convert)
