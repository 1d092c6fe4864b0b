"""Several ends of one app: ours may not give one name twice, so each sets variables and one end gives them."""

from __future__ import annotations

from typing import Any

from backend.workflows.dify.context import Context
from backend.workflows.dify.names import Names
from backend.workflows.dify.references import expression


def join_ends(graph: dict[str, Any], ctx: Context) -> None:
    """Join the ends of a document where two of them name one output."""
    ends = [node for node in graph["nodes"] if node["type"] == "end"]
    named = [name for node in ends for name in node["config"]["outputs"]]
    if len(named) == len(set(named)):
        return
    names, names_by_output = Names(), dict[str, str]()
    names.taken |= set(ctx.variables.values())
    for name in named:
        names_by_output.setdefault(name, "")
    names_by_output = {name: names.give(name, "output") for name in names_by_output}
    last = ctx.free_id("end")
    for node in ends:
        node["type"] = "set_variable"
        outputs = node["config"].pop("outputs")
        node["config"]["values"] = {names_by_output[name]: value for name, value in outputs.items()}
        graph["edges"].append(
            {
                "id": f"e{len(graph['edges']) + 1}",
                "source": node["id"],
                "source_port": "out",
                "target": last,
                "target_port": "in",
            }
        )
    graph["nodes"].append(
        {
            "id": last,
            "type": "end",
            "v": 1,
            "position": {
                "x": max(node["position"]["x"] for node in ends) + 300,
                "y": min(node["position"]["y"] for node in ends),
            },
            "config": {"outputs": {name: expression(f"vars.{variable}") for name, variable in names_by_output.items()}},
        }
    )
    ids = {node["id"] for node in ends}
    for line in ctx.lines.values():
        if line.node in ids:
            line.becomes = "set_variable"
            line.note("joined with the other ends", "与其他结束节点合并")
