"""Document node: the text, the pages or the rows of a file, read in a process of its own.

Reading is one effect without consequences whose end is journaled: a file never changes, and what a library makes of it
today is what a replay sees.
"""

from __future__ import annotations

from typing import TypedDict

from pydantic import Field

from backend.agents.memory import is_file
from backend.engine.document.types import AnyValue, NodeConfig, OptionalText, Text, node_type, words
from backend.engine.execution.context import NodeContext
from backend.engine.language.filters import to_text
from backend.errors import DocumentError
from backend.nodes.values import misfit
from backend.sandbox.documents import DocumentAnswer, DocumentValue, Form, read_document
from backend.tools.types import EffectHandle, JsonObject, JsonValue

DocumentValues = TypedDict("DocumentValues", {"file": JsonValue, "as": Form, "sheet": JsonValue})
"""Its values when it runs."""


class DocumentConfig(NodeConfig):
    """Which file, and what is wanted of it."""

    file: AnyValue = Field(
        **words(
            "File",
            "文件",
            help=Text(
                "A file of a form, of the run's inputs or of a tool: PDF, DOCX, XLSX, CSV, HTML, Markdown or text.",
                "来自表单、运行输入或工具的文件：PDF、DOCX、XLSX、CSV、HTML、Markdown 或纯文本。",
            ),
        )
    )
    as_: Form = Field(
        default="text",
        alias="as",
        **words(
            "Read as", "读取为", choices=[("Text", "文本"), ("Markdown", "Markdown"), ("Rows of a table", "表格行")]
        ),
    )
    sheet: OptionalText = Field(
        default=None,
        **words(
            "Sheet",
            "工作表",
            help=Text(
                "Of an XLSX file; empty means the first one for rows and all of them for text.",
                "仅用于 XLSX 文件；留空时，读取为表格行取第一个工作表，读取为文本取全部。",
            ),
            extra={"x-advanced": True},
        ),
    )


def _titled(schema: JsonObject, en: str, zh: str) -> JsonObject:
    return {**schema, "title": en, "x-zh": {"title": zh}}


@node_type(
    "document",
    group="data",
    title=Text("Document", "文档"),
    description=Text(
        "Reads a PDF, Word, Excel, CSV, HTML or Markdown file as text, Markdown or table rows.",
        "把 PDF、Word、Excel、CSV、HTML 或 Markdown 文件读取为文本、Markdown 或表格行。",
    ),
    config=DocumentConfig,
    output_schema={
        "type": "object",
        "properties": {
            "text": _titled({"type": "string"}, "Text", "文本"),
            "rows": _titled({"type": "array", "items": {"type": "object"}}, "Rows", "行"),
            "pages": _titled({"type": "array", "items": {"type": "string"}}, "Pages", "页"),
            "meta": _titled(
                {
                    "type": "object",
                    "properties": {
                        "kind": {"type": "string"},
                        "name": {"type": "string"},
                        "size": {"type": "integer"},
                        "pages": {"type": "integer"},
                        "sheets": {"type": "array", "items": {"type": "string"}},
                        "columns": {"type": "array", "items": {"type": "string"}},
                    },
                },
                "About the file",
                "文件信息",
            ),
        },
        "additionalProperties": False,
    },
)
async def document(ctx: NodeContext[DocumentValues]) -> DocumentValue:
    """What stands in the file."""
    file, form, sheet = ctx.config["file"], ctx.config["as"], to_text(ctx.config["sheet"] or "")
    if not is_file(file):
        raise misfit("file", "file", file)
    key = str(file["$file"])

    async def call(_: EffectHandle) -> DocumentAnswer:
        data, mime, name = await ctx.file(key)
        return await read_document(data, name, mime, form, sheet)

    answer = await ctx.effect("document", call, "pure", target="document", arguments=[key, form, sheet])
    if "failed" in answer:
        raise DocumentError(params=answer["failed"])
    return answer["value"]
