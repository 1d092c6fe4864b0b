"""Document extractor: our document node; of a list of files inside an iteration."""

from __future__ import annotations

from backend.engine.document.types import Text
from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.mapping import Mapped, Mapping, Own, Path, Step, one_step
from backend.workflows.dify.reading import DifyNode
from backend.workflows.dify.references import expression, written


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The file, read as text."""
    file = ref(node.data.get("variable_selector"))
    if node.data.get("is_array_file") is not True:
        return one_step("document", {"file": file, "as": "text"}, Text("one file", "一个文件"))
    inner = ctx.id_of(node, "each")
    frame = {"items": file, "output": Own(expression(written(inner, ("text",)))), "on_item_error": "fail"}
    each = Step("document", {"file": Own(expression("item")), "as": "text"}, "each", Text("Read the file", "读取文件"))
    return Mapped([Step("iteration", frame)], Text("one file after the other", "逐个读取文件"), closing=[each])


def outputs(node: DifyNode, keys: tuple[str, ...], ctx: Context) -> Path | None:
    """The text, of several files a list of texts."""
    if keys[0] != "text":
        return None
    return Path(("items" if node.data.get("is_array_file") is True else "text", *keys[1:]))


DOCUMENT_EXTRACTOR = Mapping(convert, outputs)
