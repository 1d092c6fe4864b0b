"""Knowledge retrieval: its files stay in Dify, so a tool that searches is chosen in its place."""

from __future__ import annotations

from backend.workflows.dify.context import Context, ref
from backend.workflows.dify.mapping import Mapped, Mapping, ToChoose, renamed
from backend.workflows.dify.nodes.tool import as_tool
from backend.workflows.dify.reading import DifyNode, selector_of
from backend.workflows.report import ToolWant, plural


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The tool that was chosen, asked with the same question."""
    ids = node.data.get("dataset_ids", node.data.get("control_space_ids"))  # the latter in its second version
    datasets = sorted(str(entry) for entry in ids) if isinstance(ids, list) else []
    key = "knowledge:" + ",".join(datasets)[:280]
    want = ToolWant(key, node.title or "knowledge-retrieval", "knowledge", ["query"])
    try:
        known = ctx.tool(node, want, ctx.lines[node.id])
    except ToChoose as error:
        count = len(datasets)
        en = f"{plural(count, 'dataset', 'datasets')}; {'its' if count == 1 else 'their'} files stay in Dify"
        raise error if error.why.en else ToChoose(en, f"{count} 个知识库，文件仍在 Dify 中") from None
    query = selector_of(node.data.get("query_variable_selector"))
    return as_tool(known, {"query": ref(list(query))} if query else {}, ctx, node)


KNOWLEDGE_RETRIEVAL = Mapping(convert, renamed({"result": "result"}))
