"""Code: Python stays as it is and runs in the sandbox; JavaScript has no counterpart."""

from __future__ import annotations

import ast

from backend.engine.document.types import Text
from backend.workflows.code_modules import missing_modules, modules_of
from backend.workflows.dify.context import Context, inputs_of
from backend.workflows.dify.mapping import Left, Mapped, Mapping, Raw, one_step
from backend.workflows.dify.reading import DifyNode, text_in
from backend.workflows.report import CodeWant, listed


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The same source with the same arguments."""
    language = text_in(node.data, "code_language") or "python3"
    ctx.lines[node.id].type = f"code · {language}"
    if not language.startswith("python"):
        raise Left("JavaScript: only Python runs here", "JavaScript：这里只能运行 Python")
    source = text_in(node.data, "code")
    modules = modules_of(source)
    missing = missing_modules(modules)
    if missing:
        ctx.lines[node.id].note(
            f"imports {listed(missing)}, which the sandbox has not", f"导入了沙箱中没有的 {listed(missing)}"
        )
    elif not _reads(source):
        ctx.lines[node.id].note("its Python cannot be read", "其中的 Python 代码无法解析")
    title = node.title or "code"
    ctx.report.wants.code.append(CodeWant(ctx.id_of(node), title, source, modules, missing))
    why = Text("standard library only", "只用标准库") if modules else Text("imports nothing", "不导入任何模块")
    return one_step("code", {"source": Raw(source), "inputs": inputs_of(node.data)}, why)


def _reads(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


CODE = Mapping(convert)
