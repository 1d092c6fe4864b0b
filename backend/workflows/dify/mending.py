"""The last look at a document: what the validator finds wrong is mended and said, so that what is mapped also runs."""

from __future__ import annotations

from typing import Any

from backend.engine.document.problems import Problem
from backend.engine.document.types import ERROR, OUT, NodeTypes
from backend.engine.document.validate import validate
from backend.engine.language.expressions import scan
from backend.workflows.dify.context import Context
from backend.workflows.dify.placeholders import placeholder_config
from backend.workflows.dify.references import NOTHING
from backend.workflows.report import Line

_ROUNDS = 6
_TO_CHOOSE = ("/config/provider", "/config/model")
_REFERENCES = frozenset({"reference_unknown", "reference_later", "reference_inside", "secret_read"})


def mend(graph: dict[str, Any], ctx: Context, types: NodeTypes) -> None:
    """Mend `graph` in place until only what a person decides is left, a model to choose above all."""
    origins = {line.node: line for line in ctx.lines.values()}
    for _ in range(_ROUNDS):
        problems = [problem for problem in validate(graph, types) if _mendable(problem)]
        if not problems:
            return
        lost: set[str] = set()
        removed: set[str | None] = set()
        for problem in problems:
            if problem.edge is not None:
                lost.add(problem.edge)
            elif problem.node not in removed and _mend(graph, problem, _line(problem.node, origins, ctx)):
                removed.add(problem.node)
        if lost:
            graph["edges"] = [edge for edge in graph["edges"] if edge["id"] not in lost]


def _mendable(problem: Problem) -> bool:
    if problem.severity != "error" or problem.code in ("placeholder", "cycle"):
        return False
    return not (problem.code.startswith("config_") and problem.path.endswith(_TO_CHOOSE))


def _line(node: str | None, origins: dict[str, Line], ctx: Context) -> Line | None:
    """The line of a node, or of the one that it is a further step of."""
    if node is None:
        return None
    if node in origins:
        return origins[node]
    return next((line for id_, line in origins.items() if node.startswith(f"{id_}_")), None)


def _mend(graph: dict[str, Any], problem: Problem, line: Line | None) -> bool:
    """Mend one problem; gives whether its node was given up."""
    node = next((item for item in graph["nodes"] if item["id"] == problem.node), None)
    if node is None:
        return False
    if problem.code in _REFERENCES:
        name = str(problem.params["name"])
        _rewrite(graph, problem.path, lambda text: without_reference(text, name))
        if line:
            line.note(f"{name} has no value here: empty", f"{name} 在此处没有值，留空")
    elif problem.code == "output_unknown":
        name, key = str(problem.params["name"]), str(problem.params["key"])
        _rewrite(graph, problem.path, lambda text: with_default(text, name, key))
        if line:
            line.note(f"{name} gives no {key}: empty", f"{name} 没有输出 {key}，留空")
    elif problem.code.startswith("expression_"):
        _rewrite(graph, problem.path, lambda text: text.replace("\\{{", "{{").replace("{{", "\\{{"))
        if line:
            line.note("an expression stays as text", "有一处表达式保留为文本")
    elif problem.code == "secret_place":
        _rewrite(graph, problem.path, lambda text: text.replace("${secret:", "$ {secret:"))
    elif problem.code == "parent_wrong":
        node.pop("parent", None)
    elif problem.code.startswith(("config_", "type_")):
        _give_up(graph, node, problem, line)
        return True
    return False


def _give_up(graph: dict[str, Any], node: dict[str, Any], problem: Problem, line: Line | None) -> None:
    """A placeholder in the place of a node whose settings do not fit."""
    ports = dict.fromkeys(edge["source_port"] for edge in graph["edges"] if edge["source"] == node["id"])
    shown = list(dict.fromkeys([OUT, *(port for port in ports if port != ERROR)]))
    node["config"] = placeholder_config(node["type"], {"config": node["config"]}, shown)
    node["type"], node["disabled"] = "placeholder", True
    node.pop("size", None)
    if line:
        message = problem.as_json("en")["message"], problem.as_json("zh")["message"]
        line.note(*message)
        line.state, line.becomes, line.why = "left", "placeholder", line.notes[-1]
        line.notes = []


def _rewrite(graph: dict[str, Any], pointer: str, change: Any) -> None:
    """Change the text at a JSON pointer."""
    place: Any = graph
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for part in parts[:-1]:
        place = place[int(part)] if isinstance(place, list) else place[part]
    last: Any = int(parts[-1]) if isinstance(place, list) else parts[-1]
    if isinstance(place[last], str):
        place[last] = change(place[last])


def without_reference(text: str, name: str) -> str:
    """The text without what refers to `name` (a root, or a root and its first key)."""
    root, _, key = name.partition(".")
    references, _ = scan(text)
    for reference in reversed(references):
        fits = reference.root == root and (not key or (reference.keys and str(reference.keys[0]) == key))
        if fits:
            whole = reference.start == 0 and reference.end == len(text)
            text = NOTHING if whole else text[: reference.start] + text[reference.end :]
    return text


def with_default(text: str, root: str, key: str) -> str:
    """The text in which an output that is not there is null."""
    references, _ = scan(text)
    for reference in reversed(references):
        if reference.root == root and reference.keys and str(reference.keys[0])[:80] == key and not reference.guarded:
            inside = text[reference.start : reference.end]
            text = f"{text[: reference.start]}{inside[:-2].rstrip()} | default(null) }}}}{text[reference.end :]}"
    return text
