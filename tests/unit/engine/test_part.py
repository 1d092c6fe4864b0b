"""What "run to here" keeps of a document."""

from __future__ import annotations

from typing import Any

from backend.engine.document.upstream_slice import upstream_part
from backend.json_types import JsonObject
from tests.looking import inside


def node(key: str, parent: str | None = None, **config: Any) -> dict[str, Any]:
    return {"id": key, "type": "start" if key == "start" else "template", "parent": parent, "config": config}


def document(nodes: list[dict[str, Any]], *edges: str) -> dict[str, Any]:
    pairs = [edge.split(">") for edge in edges]
    return {"schema": 1, "env": {"A": "b"}, "nodes": nodes, "edges": [{"source": a, "target": b} for a, b in pairs]}


def ids(part: dict[str, Any] | None) -> set[str]:
    assert part is not None
    return {node["id"] for node in part["nodes"]}


CHAIN = document(
    [node("start"), node("a"), node("b"), node("beside"), node("c")],
    "start>a", "a>b", "start>beside", "b>c", "beside>c",
)  # fmt: skip


def test_the_node_and_what_is_before_it() -> None:
    part = upstream_part(CHAIN, "b")
    assert part is not None
    assert [node["id"] for node in inside(part["nodes"])] == ["start", "a", "b"]
    assert part["edges"] == [{"source": "start", "target": "a"}, {"source": "a", "target": "b"}]
    assert part["env"] == {"A": "b"} and len(CHAIN["nodes"]) == 5
    assert ids(upstream_part(CHAIN, "c")) == {"start", "a", "b", "beside", "c"}


def test_the_start_is_there_though_nothing_leads_from_it() -> None:
    assert ids(upstream_part(document([node("start"), node("lone"), node("x")]), "lone")) == {"start", "lone"}


def test_a_frame_upstream_is_whole() -> None:
    framed = document(
        [node("start"), node("each"), node("in_a", "each"), node("in_b", "in_f"), node("in_f", "each"), node("z")],
        "start>each", "each>z",
    )  # fmt: skip
    assert ids(upstream_part(framed, "z")) == {"start", "each", "in_a", "in_b", "in_f", "z"}
    assert ids(upstream_part(framed, "each")) == {"start", "each", "in_a", "in_b", "in_f"}


def test_inside_a_frame_it_ends_there_but_for_what_the_frame_speaks_of() -> None:
    framed = document(
        [
            node("start"),
            node("list"),
            node("each", output="{{ told.text }}"),
            node("first", "each"),
            node("here", "each"),
            node("told", "each"),
            node("after", "each"),
            node("z"),
        ],
        "start>list", "list>each", "first>here", "first>told", "here>after", "each>z",
    )  # fmt: skip
    assert ids(upstream_part(framed, "here")) == {"start", "list", "each", "first", "here", "told"}


def test_what_cannot_be_read_is_no_reason_to_fail() -> None:
    odd: JsonObject = {"nodes": [3, {"id": 4}, node("start"), node("a", "nowhere")], "edges": [None, {"source": "a"}]}
    assert ids(upstream_part(odd, "a")) == {"start", "a"}
    assert upstream_part(odd, "nowhere") is None
    assert upstream_part({"nodes": "x"}, "a") is None
