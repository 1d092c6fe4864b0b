"""Problems of documents: each with its code, place and sentence; nothing raises, nothing takes long."""

from __future__ import annotations

import copy
import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.engine.document.compile import compile_graph
from backend.engine.document.validate import validate
from backend.errors import GraphInvalid
from backend.nodes import node_types
from tests.exhaustive import few
from tests.unit.engine.engine_run import flow, node

TYPES = node_types()


def codes(document: Any) -> list[tuple[str, str]]:
    """(code, path) of all problems."""
    return [(p.code, p.path) for p in validate(document, TYPES)]


def changed(**more: Any) -> Any:
    """A good document with other members."""
    return flow("start -> a -> b") | more


def with_node(*nodes: Any) -> Any:
    """A good document with more nodes."""
    good = flow("start -> a -> b")
    good["nodes"] += nodes
    return good


def with_edge(**edge: Any) -> Any:
    """A good document with one more edge."""
    good = flow("start -> a -> b")
    good["edges"].append({"id": "x", "source": "a", "target": "b"} | edge)
    return good


def configured(type_: str, config: Any, **more: Any) -> Any:
    """start → n of this type."""
    return flow("start -> n", n=(type_, config, more))


TOOL = {"server": "kb", "tool": "go", "arguments": {}}


@pytest.mark.parametrize(
    ("document", "code", "path"),
    [
        (None, "shape", ""),
        ([], "shape", ""),
        ("text", "shape", ""),
        (changed(schema=2), "schema_version", "/schema"),
        (changed(schema=True), "schema_version", "/schema"),
        (changed(nodes={}), "shape", "/nodes"),
        (changed(edges="x"), "shape", "/edges"),
        (changed(env=[]), "shape", "/env"),
        (changed(variables={"Bad": {}}), "id_bad", "/variables/Bad"),
        (changed(variables={"a": 1}), "shape", "/variables/a"),
        (changed(variables={"a": {"scope": "world"}}), "config_choice", "/variables/a/scope"),
        ({"schema": 1}, "start_missing", "/nodes"),
        (with_node(5), "shape", "/nodes/3"),
        (with_node({"id": "A b", "type": "end"}), "id_bad", "/nodes/3/id"),
        (with_node({"id": ["a"], "type": "end"}), "id_bad", "/nodes/3/id"),
        (with_node({"id": "a", "type": "end"}), "id_double", "/nodes/3/id"),
        (with_node({"id": "loop", "type": "end"}), "id_reserved", "/nodes/3/id"),
        (with_node({"id": "c", "type": "no_such"}), "type_unknown", "/nodes/3/type"),
        (with_node({"id": "c", "type": "end", "v": 99}), "type_newer", "/nodes/3/v"),
        (with_node({"id": "c", "type": "end", "v": "1"}), "shape", "/nodes/3/v"),
        (with_node({"id": "c", "type": "end", "config": 1}), "shape", "/nodes/3/config"),
        (with_node({"id": "c", "type": "end", "on_error": "explode"}), "shape", "/nodes/3/on_error"),
        (with_node({"id": "c", "type": "end", "on_error": []}), "shape", "/nodes/3/on_error"),
        (with_node({"id": "c", "type": "end", "timeout_s": -1}), "shape", "/nodes/3/timeout_s"),
        (with_node({"id": "c", "type": "end", "timeout_s": float("nan")}), "shape", "/nodes/3/timeout_s"),
        (with_node({"id": "c", "type": "end", "retry": {"max": "3"}}), "shape", "/nodes/3/retry/max"),
        (with_node({"id": "c", "type": "end", "pinned": []}), "shape", "/nodes/3/pinned"),
        (with_node({"id": "c", "type": "end", "parent": "a"}), "parent_wrong", "/nodes/3/parent"),
        (with_node({"id": "c", "type": "end", "parent": "c"}), "parent_wrong", "/nodes/3/parent"),
        (with_node({"id": "c", "type": "end", "parent": "gone"}), "parent_wrong", "/nodes/3/parent"),
        (with_node({"id": "c", "type": "end"}), "unreached", "/nodes/3"),
        (with_node(node("start2", ("start", {}))), "start_double", "/nodes/3"),
        (with_edge(source="gone"), "edge_dangling", "/edges/2/source"),
        (with_edge(target=None), "edge_dangling", "/edges/2/target"),
        (with_edge(target={}), "edge_dangling", "/edges/2/target"),
        (with_edge(id="e0_0"), "edge_double", "/edges/2/id"),
        (with_edge(id=7), "shape", "/edges/2/id"),
        (with_edge(), "edge_same", "/edges/2"),
        (with_edge(source_port="left"), "port_unknown", "/edges/2/source_port"),
        (with_edge(source_port="error"), "port_unknown", "/edges/2/source_port"),
        (with_edge(target_port="top"), "port_unknown", "/edges/2/target_port"),
        (with_edge(source_port=1), "shape", "/edges/2/source_port"),
        (with_edge(source="b", target="a"), "cycle", "/nodes/1"),
        (with_edge(source="b", target="b"), "cycle", "/nodes/2"),
        (with_edge(source="b", target="start"), "port_unknown", "/edges/2/target_port"),
        (configured("tool", {"tool": "x"}), "config_missing", "/nodes/1/config/server"),
        (configured("tool", TOOL | {"arguments": 5}), "config_type", "/nodes/1/config/arguments"),
        (configured("tool", TOOL | {"tool": ""}), "config_type", "/nodes/1/config/tool"),
        (configured("tool", TOOL | {"argumets": {}}), "config_unknown", "/nodes/1/config/argumets"),
        (configured("if", {"match": "some"}), "config_choice", "/nodes/1/config/match"),
        (configured("if", {"conditions": [{"op": "like"}]}), "config_choice", "/nodes/1/config/conditions/0/op"),
        (configured("if", {"conditions": {}}), "config_type", "/nodes/1/config/conditions"),
        (configured("switch", {"cases": [{"id": "a"}, {"id": "a"}]}), "config_type", "/nodes/1/config/cases"),
        (configured("switch", {"cases": [{"id": "default"}]}), "config_type", "/nodes/1/config/cases/0/id"),
        (configured("template", {"template": "{{ start.q"}), "expression_unclosed", "/nodes/1/config/template"),
        (configured("template", {"template": "{{ 1 + 1 }}"}), "expression_syntax", "/nodes/1/config/template"),
        (configured("template", {"template": "{{ n.text }}"}), "reference_later", "/nodes/1/config/template"),
        (configured("template", {"template": "{{ gone.x }}"}), "reference_unknown", "/nodes/1/config/template"),
        (configured("template", {"template": "{{ vars.x }}"}), "reference_unknown", "/nodes/1/config/template"),
        (configured("template", {"template": "{{ env.x }}"}), "reference_unknown", "/nodes/1/config/template"),
        (configured("template", {"template": "{{ sys.x }}"}), "reference_unknown", "/nodes/1/config/template"),
        (configured("template", {"template": "{{ item.x }}"}), "reference_unknown", "/nodes/1/config/template"),
        (configured("template", {"template": "{{ start.q }}"}), "output_unknown", "/nodes/1/config/template"),
        (configured("template", {"template": "${secret:x}"}), "secret_place", "/nodes/1/config/template"),
        (configured("wait", {"seconds": "soon"}), "config_type", "/nodes/1/config/seconds"),
        (configured("set_variable", {"values": {"Bad name": 1}}), "config_type", "/nodes/1/config/values"),
        (configured("form", {"title": "x", "schema": {"type": "nonsense"}}), "config_type", "/nodes/1/config/schema"),
        (flow("start -> n", start=("start", {"inputs": {"type": "array"}})), "config_type", "/nodes/0/config/inputs"),
    ],
)
def test_each_problem_is_found_at_its_place(document: Any, code: str, path: str) -> None:
    before = copy.deepcopy(document)
    assert (code, path) in codes(document)
    assert repr(document) == repr(before), "looking at a document does not change it"


def test_a_good_document_has_no_problem() -> None:
    assert codes(flow("start -> a -> b")) == []


def test_two_ends_that_set_one_name() -> None:
    graph = flow("start -> x", "start -> y", x=("end", {"outputs": {"r": 1}}), y=("end", {"outputs": {"r": 2, "q": 1}}))
    (problem,) = validate(graph, TYPES)
    assert (problem.code, problem.path, problem.params["other"]) == (
        "output_double", "/nodes/2/config/outputs/r", "x",
    )  # fmt: skip
    graph["edges"].pop()
    assert [code for code, _ in codes(graph)] == ["unreached"]


def test_an_end_that_returns_nothing_is_mentioned() -> None:
    graph = flow("start -> x", x=("end", {"outputs": {}}))
    (problem,) = validate(graph, TYPES)
    assert (problem.code, problem.severity, problem.path) == ("output_none", "warning", "/nodes/1/config/outputs")
    assert problem.as_json("zh")["message"] == "此结束节点没有返回任何值。"
    compile_graph(graph, TYPES)
    graph["nodes"][1]["config"] = {}
    assert [code for code, _ in codes(graph)] == ["output_none"]
    graph["nodes"][1]["disabled"] = True
    assert codes(graph) == []


def test_an_output_that_is_not_there_names_those_that_are() -> None:
    graph = flow("start -> a -> b", a=("template", {"template": "x"}), b=("template", {"template": "{{ a.txt }}"}))
    (problem,) = validate(graph, TYPES)
    assert (problem.code, problem.params["known"]) == ("output_unknown", ["text"])


def test_nodes_that_cannot_run_have_warnings_only() -> None:
    graph = with_node(node("c", ("template", {"template": "{{ gone.x }}"})), node("d", ("no_such", {})))
    assert {p.severity for p in validate(graph, TYPES)} == {"warning"}
    compile_graph(graph, TYPES)
    disabled = configured("tool", {}, disabled=True)
    assert {p.severity for p in validate(disabled, TYPES)} == {"warning"}
    compile_graph(disabled, TYPES)


def test_a_thousand_warnings_hide_no_error() -> None:
    graph = with_node(*(node(f"c{i}", ("template", {"template": "{{ gone.x }}"})) for i in range(1_500)))
    graph["nodes"][2]["config"] = {"values": 5}
    result = validate(graph, TYPES)
    assert [p.node for p in result if p.severity == "error"] == ["b"]
    assert len(result) == 1_001
    with pytest.raises(GraphInvalid):
        compile_graph(graph, TYPES)


def test_references_to_what_may_be_missing_pass_with_a_default() -> None:
    assert codes(configured("template", {"template": "{{ start.q | default('') }}"})) == []
    assert codes(configured("template", {"template": "{{ vars.x | default('') }}"})) == []


def test_an_expression_cannot_read_a_secret() -> None:
    graph = configured("template", {"template": "{{ env.TOKEN }} {{ env.REGION }}"})
    graph["env"] = {"TOKEN": "${secret:token}", "REGION": "eu"}
    assert codes(graph) == [("secret_read", "/nodes/1/config/template")]


def test_a_server_may_name_secrets() -> None:
    inline = {"transport": "http", "url": "https://example.org", "headers": {"X": "${secret:x}"}}
    assert codes(configured("tool", TOOL | {"server": inline})) == []


def test_an_error_port_exists_where_the_node_has_one() -> None:
    graph = flow("start -> n", "n:error -> b", n=("tool", TOOL, {"on_error": "port"}))
    assert codes(graph) == []


def test_an_invalid_document_is_not_compiled_and_says_why() -> None:
    with pytest.raises(GraphInvalid) as refused:
        compile_graph(with_edge(source="b", target="a") | {"language": "zh"}, TYPES)
    (problem,) = refused.value.detail["problems"]
    assert problem["message"] == "节点形成了环：a → b → a。"
    assert problem["node"] == "a" and problem["severity"] == "error" and problem["hint"]


def test_every_problem_has_a_sentence_in_both_languages() -> None:
    backend = Path(__file__).parents[3] / "backend"
    source = "".join(path.read_text() for path in (backend / "engine").rglob("*.py"))
    used = set(re.findall(r'(?:add|wrong)\(\s*"([a-z_]+)"', source)) - {"v", "config", "parent", "on_error"}
    used |= {f"expression_{r}" for r in re.findall(r'(?:fail|ExpressionInvalid)\("([a-z_]+)"', source)}
    used |= {"reference_unknown", "reference_later"}
    texts = json.loads((backend / "errors" / "catalogue.json").read_text())
    known = {code.removeprefix("GRAPH_INVALID.") for code in texts if code.startswith("GRAPH_INVALID.")}
    assert used - {"timeout_s", "pinned", "retry"} <= known
    for code in known:
        entry = texts[f"GRAPH_INVALID.{code}"]
        assert entry["en"]["message"] != entry["zh"]["message"]


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["start", "a", "if", "{{ a.b }}", "\0"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["id", "type", "config", "nodes", "edges", "source", "target", "schema", "parent", "cases"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=30,
)


@settings(max_examples=few(300), deadline=None)
@given(ANY_JSON, st.lists(ANY_JSON, max_size=4), st.lists(ANY_JSON, max_size=4))
def test_no_json_makes_it_raise(document: Any, nodes: Any, edges: Any) -> None:
    validate(document, TYPES)
    validate({"schema": 1, "nodes": [*flow("start -> a")["nodes"], *nodes], "edges": edges}, TYPES)
    for type_ in TYPES:
        for problem in validate(configured(type_, nodes[0] if nodes else {}), TYPES):
            json.dumps(problem.as_json("zh"))


def deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def test_values_nested_too_deep_are_a_problem() -> None:
    assert ("config_deep", "/nodes/1/config") in codes(configured("set_variable", {"values": {"x": deep(500)}}))
    assert codes(configured("set_variable", {"values": {"x": deep(50)}})) == []


def quick(document: Any, seconds: float = 8.0) -> None:
    begun = time.process_time()
    validate(document, TYPES)
    assert time.process_time() - begun < seconds


def test_large_documents_are_checked_in_time() -> None:
    count = 12_000
    names = [f"n{i}" for i in range(count)]
    chain = flow(" -> ".join(["start", *names]))
    for i, item in enumerate(chain["nodes"][2:]):
        item["config"] = {"values": {"v": f"{{{{ n{i // 2}.v }}}} {{{{ n{max(0, i - 1)} }}}} {'x' * 250}"}}
    assert len(json.dumps(chain)) > 5_000_000
    quick(chain)
    ring = copy.copy(chain) | {"edges": [*chain["edges"], {"id": "back", "source": names[-1], "target": names[0]}]}
    quick(ring)
    assert ("cycle", "/nodes/1") in codes(ring)
    nested: dict[str, Any] = {"schema": 1, "nodes": [node("start")], "edges": []}
    nested["nodes"] += [node(f"n{i}", ("merge", {}, {"parent": f"n{i + 1}"})) for i in range(count)]
    quick(nested)
    quick(configured("template", {"template": "{{" * 2_500_000}))
    quick(configured("set_variable", {"values": {"x": list(range(700_000))}}))
