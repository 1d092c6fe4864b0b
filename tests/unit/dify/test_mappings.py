"""Each node type of Dify: what it becomes, how its outputs are called, where its edges go.

A type of ours that this installation has not yet becomes a placeholder; then the test says so and ends.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from backend.engine.language.expressions import compile_value, render
from backend.json_types import JsonObject, JsonValue
from backend.nodes import node_types
from backend.nodes.conditions import ConditionValue, hold
from backend.workflows.dify.conversion import converted
from backend.workflows.report import Choices, ToolAtServer
from tests.unit.dify.apps import MODEL, Conversion, app, conversion, edge, has, node

SAY = node("say", "answer", answer="{{#it.x#}}")


def placeholder(result: Conversion, id: str, *types: str) -> bool:
    """Whether a type is absent, so that the node is a placeholder, and says that."""
    if has(*types):
        return False
    assert result.nodes[id]["type"] == "placeholder" and result.nodes[id]["disabled"]
    assert result.errors == []
    return True


def test_start() -> None:
    variables = [
        {"variable": "city", "type": "text-input", "label": "City", "required": True, "max_length": 48},
        {"variable": "kind", "type": "select", "label": "Kind", "options": ["a", "b"], "default": "b"},
        {"variable": "n", "type": "number", "label": "N", "default": 3},
        {"variable": "on", "type": "checkbox", "label": "On", "default": True},
        {"variable": "doc", "type": "file", "label": "Doc"},
        {"variable": "docs", "type": "file-list", "label": "Docs"},
        {"variable": "odd name", "type": "future", "label": "Odd"},
    ]
    result = conversion(node("s", "start", variables=variables), node("say", "answer", answer="{{#s.doc.mime_type#}}"))
    schema = result.config("start")["inputs"]
    assert schema["required"] == ["city"]
    assert schema["properties"] == {
        "city": {"type": "string", "title": "City", "maxLength": 48},
        "kind": {"type": "string", "title": "Kind", "enum": ["a", "b"], "default": "b"},
        "n": {"type": "number", "title": "N", "default": 3},
        "on": {"type": "boolean", "title": "On", "default": True},
        "doc": {"type": "object", "format": "file", "title": "Doc"},
        "docs": {"type": "array", "items": {"type": "object", "format": "file"}, "title": "Docs"},
        "odd name": {"type": "string", "title": "Odd"},
    }
    assert result.config("say")["text"] == "{{ start.doc.mime | default(null) }}"
    assert result.errors == []


@pytest.mark.parametrize(
    ("kind", "written", "kept"),
    [
        ("number", "5", 5),
        ("number", " -2.5 ", -2.5),
        ("number", 0, 0),
        ("number", "", None),
        ("number", "five", None),
        ("number", "nan", None),
        ("number", "1e999", None),
        ("number", "1" * 400, int("1" * 400)),
        ("number", True, None),
        ("checkbox", "true", True),
        ("checkbox", "False", False),
        ("checkbox", False, False),
        ("checkbox", "maybe", None),
        ("checkbox", 1, None),
    ],
)
def test_what_stands_in_a_form_to_begin_with(kind: str, written: Any, kept: Any) -> None:
    field = {"variable": "x", "type": kind, "label": "X", "default": written}
    result = conversion(node("s", "start", variables=[field]), node("say", "answer", answer="{{#s.x#}}"))
    body = result.config("start")["inputs"]["properties"]["x"].get("default")
    assert (type(body), body) == (type(kept), kept) and result.errors == []


def test_an_input_that_need_not_be_given_is_nothing_where_it_is_read() -> None:
    variables = [
        {"variable": "city", "type": "text-input", "label": "City", "required": True},
        {"variable": "country", "type": "text-input", "label": "Country", "required": False},
        {"variable": "kind", "type": "text-input", "label": "Kind", "default": "b"},
        {"variable": "doc", "type": "file", "label": "Doc", "required": False},
    ]
    says = "[{{#s.city#}}|{{#s.country#}}|{{#s.kind#}}|{{#s.doc.name#}}]"
    empty = {"variable_selector": ["s", "country"], "comparison_operator": "empty", "value": ""}
    result = conversion(
        node("s", "start", variables=variables),
        node("say", "answer", answer=says),
        node("if", "if-else", cases=[{"case_id": "true", "conditions": [empty]}]),
    )
    scope: Any = {"start": {"city": "Oslo", "kind": "b"}}
    assert compile_value(result.config("say")["text"]).render(scope) == "[Oslo||b|]"
    [branch] = [entry for entry in result.graph["nodes"] if entry["type"] == "if"]
    assert compile_value(branch["config"]["conditions"][0]["left"]).render(scope) is None
    assert result.line("say").state == result.line("if").state == "mapped" and result.errors == []


def test_an_input_of_a_second_start_is_asked_of_nobody() -> None:
    request = [{"variable": "city", "type": "text-input", "label": "City", "required": True}]
    result = conversion(
        node("w", "trigger-webhook", params=[{"name": "id", "type": "number"}]),
        node("s", "start", variables=request),
        node("say", "answer", answer="[{{#s.city#}}{{#w.id#}}]"),
        edges=[edge("w", "say"), edge("s", "say")],
    )
    [start] = [entry["id"] for entry in result.graph["nodes"] if entry["type"] == "start"]
    assert compile_value(result.config("say")["text"]).render({start: {}}) == "[]" and result.errors == []


def test_a_chatflow_asks_for_what_was_said_and_keeps_its_own_input_of_that_name() -> None:
    start = node("s", "start", variables=[{"variable": "text", "type": "paragraph", "label": "T"}])
    say = node("say", "answer", answer="{{#sys.query#}} {{#s.text#}} {{#sys.user_id#}} {{#sys.conversation_id#}}")
    result = conversion(start, say, mode="advanced-chat")
    assert list(result.config("start")["inputs"]["properties"]) == ["text", "text_2"]
    expected = "{{ start.text }} {{ start.text_2 | default(null) }} {{ sys.user }} {{ sys.conversation_id }}"
    assert result.config("say")["text"] == expected
    assert result.line("s").state == "changed" and result.errors == []


def test_what_the_first_versions_read_below_the_start_is_that_of_the_system() -> None:
    say = node("say", "answer", answer="{{#start.sys.query#}} {{#start.topic#}}")
    whole = node("end", "end", outputs=[{"variable": "asked", "value_selector": ["start", "sys.query"]}])
    result = conversion(say, whole, mode="advanced-chat")
    assert result.config("say")["text"] == "{{ start.text }} {{ start.topic }}"
    assert result.config("end")["outputs"] == {"asked": "{{ start.text }}"}
    assert result.line("say").state == "mapped" and result.errors == []


def test_files_of_a_message_are_asked_for_where_they_are_used() -> None:
    read = node("say", "answer", answer="{{#sys.files#}}")
    request = conversion(read, mode="advanced-chat").config("start")["inputs"]["properties"]
    assert list(request)[:2] == ["text", "files"] and request["files"]["items"]["format"] == "file"
    assert "files" not in conversion(SAY, mode="advanced-chat").config("start")["inputs"]["properties"]


def test_end() -> None:
    end = node("e", "end", outputs=[{"variable": "Result", "value_selector": ["start", "topic"]}])
    assert conversion(end).config("end") == {"outputs": {"Result": "{{ start.topic }}"}}


def test_ends_that_name_one_output_are_joined() -> None:
    def end(id: str, key: str) -> dict[str, Any]:
        return node(id, "end", outputs=[{"variable": "result", "value_selector": ["sys", key]}])

    branch = node("if", "if-else", cases=[{"case_id": "true", "conditions": []}])
    edges = [edge("start", "if"), edge("if", "a", "true"), edge("if", "b", "false")]
    result = conversion(branch, end("a", "user_id"), end("b", "workflow_id"), edges=edges)
    ends = [entry for entry in result.graph["nodes"] if entry["type"] == "end"]
    assert len(ends) == 1 and ends[0]["config"] == {"outputs": {"result": "{{ vars.result }}"}}
    assert result.config("end")["values"] == {"result": "{{ sys.user }}"}
    assert {("end", "out", ends[0]["id"]), ("end_2", "out", ends[0]["id"])} <= result.edges
    assert result.errors == [] and result.line("a").becomes == "set_variable"


def test_answer() -> None:
    result = conversion(
        node("a", "answer", answer="Hi {{#start.topic#}}, {{ not ours }}"), node("b", "answer", answer="{{#a.answer#}}")
    )
    assert result.config("answer")["text"] == "Hi {{ start.topic }}, \\{{ not ours }}"
    assert result.config("answer_2")["text"] == "{{ answer.text }}"
    assert [line.state for line in result.report.lines] == ["mapped"] * 3 and result.errors == []


def test_llm() -> None:
    llm = node(
        "l",
        "llm",
        model=MODEL,
        prompt_template=[
            {"role": "system", "text": "Use {{#context#}}"},
            {"role": "user", "edition_type": "jinja2", "text": "", "jinja2_text": "About {{ t | upper }}"},
        ],
        prompt_config={"jinja2_variables": [{"variable": "t", "value_selector": ["start", "topic"]}]},
        context={"enabled": True, "variable_selector": ["start", "topic"]},
        structured_output_enabled=True,
        structured_output={"schema": {"type": "object", "properties": {"a": {"type": "string"}}}},
    )
    result = conversion(
        llm, node("say", "answer", answer="{{#l.text#}} {{#l.structured_output.a#}} {{#l.usage.total_tokens#}}")
    )
    config = result.config("llm")
    assert (config["provider"], config["model"], config["params"]) == ("house", "gpt-4o", {"temperature": 0.5})
    assert config["messages"] == [
        {"role": "system", "content": "Use {{ start.topic }}"},
        {"role": "user", "content": "About {{ start.topic | upper }}"},
    ]
    assert config["output_schema"]["properties"] == {"a": {"type": "string"}}
    assert result.config("say")["text"] == "{{ llm.text }} {{ llm.structured.a }} {{ llm.usage.total_tokens }}"
    assert result.line("l").state == "mapped" and result.errors == []


def test_an_llm_that_remembers_is_an_agent_without_tools() -> None:
    memory = {"window": {"enabled": True, "size": 4}, "query_prompt_template": "{{#sys.query#}}\n{{#sys.files#}}"}
    llm = node("l", "llm", model=MODEL, prompt_template=[{"role": "system", "text": "Be kind."}], memory=memory)
    config = conversion(llm, mode="advanced-chat").config("llm")
    assert (config["system_prompt"], config["query"]) == ("Be kind.", "{{ start.text }}")
    assert config["tools"] == {} and config["memory"] == {"window": 4}
    assert conversion(llm).nodes["llm"]["type"] == "llm"  # a workflow has no conversation


def test_a_model_that_the_team_has_not_is_the_only_error() -> None:
    other = {**MODEL, "name": "unknown-9b", "completion_params": {"enable_thinking": True}}
    result = conversion(node("l", "llm", model=other, prompt_template={"text": "{{#start.topic#}}"}))
    assert [problem.path for problem in result.errors] == ["/nodes/1/config/provider"]
    assert result.config("llm")["model"] == "unknown-9b"
    assert "its model is yours to choose" in result.line("l").reason().en
    assert "enable_thinking" in result.line("l").reason().en


def test_pictures_go_in_a_message_of_their_own() -> None:
    vision = {"enabled": True, "configs": {"detail": "high", "variable_selector": ["sys", "files"]}}
    llm = node("l", "llm", model=MODEL, prompt_template=[{"role": "user", "text": "What?"}], vision=vision)
    messages = conversion(llm, mode="advanced-chat").config("llm")["messages"]
    assert messages == [{"role": "user", "content": "{{ start.files }}"}, {"role": "user", "content": "What?"}]


@pytest.mark.parametrize("upload", [{"enabled": True}, {"image": {"enabled": True, "number_limits": 3}}])
def test_pictures_without_a_place_are_those_of_the_message(upload: dict[str, Any]) -> None:
    vision = {"enabled": True, "configs": {"detail": "high"}}
    llm = node("l", "llm", model=MODEL, prompt_template=[{"role": "user", "text": "What?"}], vision=vision)
    request = conversion(llm, mode="advanced-chat", features={"file_upload": upload})
    assert list(request.config("start")["inputs"]["properties"])[:2] == ["text", "files"]
    assert {"role": "user", "content": "{{ start.files }}"} in request.config("llm")[
        "messages"
    ] and request.errors == []
    without = conversion(
        llm, mode="advanced-chat", features={"file_upload": {"enabled": False, "image": {"enabled": False}}}
    )
    assert without.config("llm")["messages"] == [{"role": "user", "content": "What?"}]


@pytest.mark.parametrize(
    ("theirs", "op", "right"),
    [
        ("contains", "contains", "v"),
        ("not contains", "not_contains", "v"),
        ("start with", "starts_with", "v"),
        ("end with", "ends_with", "v"),
        ("is", "eq", "v"),
        ("is not", "ne", "v"),
        ("empty", "empty", None),
        ("not empty", "not_empty", None),
        ("=", "eq", "v"),
        ("≠", "ne", "v"),
        (">", "gt", "v"),
        ("<", "lt", "v"),
        ("≥", "ge", "v"),
        ("≤", "le", "v"),
        ("in", "in", "v"),
        ("not in", "not_in", "v"),
        ("null", "empty", None),
        ("exists", "not_empty", None),
    ],
)
def test_comparisons(theirs: str, op: str, right: Any) -> None:
    condition = {"variable_selector": ["start", "topic"], "comparison_operator": theirs, "value": "v"}
    branch = node("if", "if-else", cases=[{"case_id": "true", "logical_operator": "or", "conditions": [condition]}])
    result = conversion(branch)
    [id_] = [entry["id"] for entry in result.graph["nodes"] if entry["type"] == "if"]
    assert result.config(id_) == {
        "match": "any",
        "conditions": [{"left": "{{ start.topic }}", "op": op, "right": right}],
    }
    assert result.line("if").state == "mapped"


def test_if_else_of_one_case_is_an_if_of_several_a_switch() -> None:
    first = {"variable_selector": ["start", "topic"], "comparison_operator": "is", "value": "{{#sys.user_id#}}"}
    one = conversion(
        node("b", "if-else", logical_operator="and", conditions=[first]),
        node("yes", "answer", answer="y"),
        node("no", "answer", answer="n"),
        edges=[edge("start", "b"), edge("b", "yes", "true"), edge("b", "no", "false"), edge("b", "yes", "gone")],
    )
    assert one.nodes["if_else"]["type"] == "if"
    assert one.config("if_else")["conditions"][0]["right"] == "{{ sys.user }}"
    assert {("if_else", "true", "yes"), ("if_else", "false", "no")} <= one.edges and len(one.edges) == 3
    assert "a way that is not there" in one.line("b").reason().en
    uuid = "91eeee38-2f3d-41fe-aada-fbb552f38d09"
    many = conversion(
        node(
            "b", "if-else", cases=[{"case_id": "true", "conditions": [first]}, {"case_id": uuid, "conditions": [first]}]
        ),
        node("yes", "answer", answer="y"),
        edges=[edge("start", "b"), edge("b", "yes", "true"), edge("b", "yes", uuid), edge("b", "yes", "false")],
    )
    assert many.nodes["if_else"]["type"] == "switch"
    assert many.edges >= {("if_else", port, "yes") for port in ("case_1", "case_2", "default")}
    assert one.errors == many.errors == []


def test_question_classifier() -> None:
    classes = [{"id": "1711", "name": "Prices"}, {"id": "1712", "name": "Else"}]
    result = conversion(
        node(
            "c",
            "question-classifier",
            model=MODEL,
            classes=classes,
            query_variable_selector=["start", "topic"],
            instruction="Mind irony.",
        ),
        node("p", "answer", answer="{{#c.class_name#}}"),
        edges=[edge("start", "c"), edge("c", "p", "1711"), edge("c", "p", "1712")],
    )
    config = result.config("question_classifier")
    assert config["classes"] == [{"id": "class_1", "description": "Prices"}, {"id": "class_2", "description": "Else"}]
    assert config["text"] == "{{ start.topic }}" and config["instructions"] == "Mind irony.\n\n{classes}"
    assert {("question_classifier", "class_1", "answer"), ("question_classifier", "class_2", "answer")} <= result.edges
    assert result.config("answer")["text"] == "{{ question_classifier.class }}" and result.errors == []
    assert "class_1" in result.line("c").reason().en and "class_1" in result.line("c").reason().zh


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (["billing", "tech_support"], ["billing", "tech_support"]),
        (["billing", "Other"], ["class_1", "class_2"]),
        (["billing", "billing"], ["class_1", "class_2"]),
        (["billing", "error"], ["class_1", "class_2"]),
        (["billing", ""], ["class_1", "class_2"]),
        (["class_2", "账单"], ["class_1", "class_2"]),
    ],
)
@pytest.mark.parametrize("read", ["class_name", "class_id", "usage"])
def test_the_name_of_a_class_is_given_where_it_can_be_and_said_where_it_cannot(
    names: list[str], ids: list[str], read: str
) -> None:
    classes = [{"id": f"17{index}", "name": name} for index, name in enumerate(names)]
    sort = node("c", "question-classifier", model=MODEL, classes=classes, query_variable_selector=["start", "topic"])
    say = node("p", "answer", answer=f"{{{{#c.{read}#}}}}")
    result = conversion(sort, say, edges=[edge("start", "c"), edge("c", "p", "170"), edge("c", "p", "171")])
    assert [class_["id"] for class_ in result.config("question_classifier")["classes"]] == ids
    assert {("question_classifier", id_, "answer") for id_ in ids} <= result.edges and result.errors == []
    differs = read == "class_id" or (read == "class_name" and ids != names)
    assert (result.line("c").state == "changed") is differs


def test_parameter_extractor() -> None:
    parameters = [
        {"name": "names", "type": "array[string]", "description": "All", "required": True},
        {"name": "kind", "type": "select", "options": ["a", "b"]},
        {"name": "good", "type": "bool"},
    ]
    result = conversion(
        node(
            "x",
            "parameter-extractor",
            model=MODEL,
            query=["start", "topic"],
            parameters=parameters,
            instruction="Be exact.",
        ),
        node("say", "answer", answer="{{#x.names#}} {{#x.__is_success#}}"),
    )
    config = result.config("parameter_extractor")
    assert config["schema"] == {
        "type": "object",
        "properties": {
            "names": {"type": "array", "items": {"type": "string"}, "description": "All"},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "good": {"type": "boolean"},
        },
        "required": ["names"],
    }
    assert (config["text"], config["instructions"]) == ("{{ start.topic }}", "Be exact.")
    assert result.config("say")["text"] == (
        "{{ parameter_extractor.names }} {{ parameter_extractor.__is_success | default(1) }}"
    )
    assert result.errors == []


@pytest.mark.parametrize(
    ("jinja", "ours"),
    [
        ("{{ t }}", "{{ start.topic }}"),
        ("a {{t}} b {#- a remark #}", "a {{ start.topic }} b "),
        ("{{ t.a[0]['b'] }}", "{{ start.topic.a.0.b }}"),
        ("{{ t | default('x') | trim }}", "{{ start.topic | default('x') | trim }}"),
        ("{{- t -}}", "{{ start.topic }}"),
    ],
)
def test_template_transform_of_plain_paths(jinja: str, ours: str) -> None:
    variables = [{"variable": "t", "value_selector": ["start", "topic"]}]
    result = conversion(
        node("t", "template-transform", template=jinja, variables=variables),
        node("say", "answer", answer="{{#t.output#}}"),
    )
    assert result.config("template_transform")["template"] == ours
    assert result.config("say")["text"] == "{{ template_transform.text }}" and result.errors == []


@pytest.mark.parametrize(
    "jinja", ["{% for a in t %}{{ a }}{% endfor %}", "{{ t + 1 }}", "{{ other }}", "{{ t | sort }}", "{{ t()"]
)
def test_template_transform_that_does_more_is_left(jinja: str) -> None:
    variables = [{"variable": "t", "value_selector": ["start", "topic"]}]
    result = conversion(node("t", "template-transform", template=jinja, variables=variables), SAY)
    if jinja == "{{ t()":
        assert result.config("template_transform")["template"] == "\\{{ t()"
        return
    assert result.nodes["template_transform"]["type"] == "placeholder" and result.line("t").state == "left"
    assert ("start", "out", "template_transform") in result.edges and (
        "template_transform",
        "out",
        "say",
    ) in result.edges


def test_variable_aggregator() -> None:
    kind = "aggregate" if has("aggregate") else "merge"
    plain = conversion(
        node("v", "variable-aggregator", output_type="string", variables=[["start", "topic"], ["sys", "user_id"]]),
        node("say", "answer", answer="{{#v.output#}}"),
    )
    assert plain.nodes["variable_aggregator"]["type"] == kind
    assert plain.config("variable_aggregator")["values"] == ["{{ start.topic }}", "{{ sys.user }}"]
    assert plain.config("say")["text"] == "{{ variable_aggregator.value }}" and plain.errors == []
    groups = [
        {"group_name": name, "output_type": "string", "variables": [["start", "topic"]]}
        for name in ("Group1", "Group2")
    ]
    grouped = conversion(
        node("v", "variable-aggregator", advanced_settings={"group_enabled": True, "groups": groups}),
        node("say", "answer", answer="{{#v.Group1.output#}} {{#v.Group2.output#}}"),
    )
    assert grouped.config("say")["text"] == "{{ variable_aggregator.value }} {{ variable_aggregator_group_2.value }}"
    assert ("variable_aggregator", "out", "variable_aggregator_group_2") in grouped.edges and grouped.errors == []
    assert (
        conversion(node("v", "variable-assigner", variables=[["start", "topic"]])).nodes["variable_assigner"]["type"]
        == kind
    )


CONVERSATION = [
    {"name": "Seen", "value_type": "array[string]", "value": []},
    {"name": "stage", "value_type": "string", "value": "asking"},
    {"name": "count", "value_type": "number", "value": 0},
]


def test_assigner_of_both_versions() -> None:
    first = node(
        "a",
        "assigner",
        write_mode="over-write",
        assigned_variable_selector=["conversation", "stage"],
        input_variable_selector=["sys", "query"],
    )
    items = [
        {
            "operation": "over-write",
            "input_type": "variable",
            "value": ["sys", "query"],
            "variable_selector": ["conversation", "stage"],
        },
        {"operation": "clear", "input_type": "variable", "value": "", "variable_selector": ["conversation", "Seen"]},
        {"operation": "set", "input_type": "constant", "value": 3, "variable_selector": ["conversation", "count"]},
        {"operation": "set", "input_type": "constant", "value": 3, "variable_selector": ["conversation", "gone"]},
    ]
    result = conversion(
        first,
        node("b", "assigner", version="2", items=items),
        mode="advanced-chat",
        conversation_variables=CONVERSATION,
    )
    assert result.graph["variables"]["stage"] == {"default": "asking", "scope": "conversation"}
    assert result.graph["variables"]["seen"] == {"default": [], "scope": "conversation"}
    assert result.config("assigner")["values"] == {"stage": "{{ start.text }}"}
    assert result.config("assigner_2")["values"] == {"stage": "{{ start.text }}", "seen": [], "count": 3}
    assert "gone" in result.line("b").reason().en and result.errors == []


@pytest.mark.parametrize(
    ("operation", "value", "before", "after"),
    [
        ("append", "x", ["a"], ["a", "x"]),
        ("append", "x", None, ["x"]),
        ("extend", ["b"], ["a"], ["a", "b"]),
        ("remove-first", None, ["a", "b"], ["b"]),
        ("remove-last", None, ["a", "b"], ["a"]),
        ("+=", 2, 3, 5),
        ("-=", 2, 3, 1),
        ("*=", 2, 3, 6),
        ("/=", 2, 3, 1.5),
    ],
)
def test_what_is_reckoned_from_the_value_before(operation: str, value: Any, before: Any, after: Any) -> None:
    item = {
        "operation": operation,
        "input_type": "constant",
        "value": value,
        "variable_selector": ["conversation", "count"],
    }
    result = conversion(
        node("a", "assigner", version="2", items=[item]), mode="advanced-chat", conversation_variables=CONVERSATION
    )
    if placeholder(result, "assigner", "code"):
        return
    assert result.config("assigner")["values"] == {"count": "{{ assigner_reckon.value_1 }}"}
    config = result.config("assigner_reckon")
    assert config["inputs"]["before_1"] == "{{ vars.count }}"
    scope: dict[str, Any] = {}
    exec(config["source"], scope)  # noqa: S102 - our own few lines, which the sandbox runs else
    body = {"before_1": before, **({"value_1": value} if "value_1" in config["inputs"] else {})}
    assert scope["main"](**body) == {"value_1": after}
    assert ("assigner_reckon", "out", "assigner") in result.edges and result.errors == []


@pytest.mark.parametrize(
    ("inner", "output", "flatten", "said"),
    [
        ({"outputs": {"r": {"type": "array[number]"}}}, "r", True, True),
        ({"outputs": {"r": {"type": "array[number]"}}}, "r", None, True),
        ({"outputs": {"r": {"type": "array[number]"}}}, "r", False, False),
        ({"outputs": {"r": {"type": "string"}}}, "r", True, False),
        ({"outputs": {"r": {"type": "array[object]"}}}, "r.0", True, False),
    ],
)
def test_rounds_that_give_lists_are_said(inner: dict[str, Any], output: str, flatten: Any, said: bool) -> None:
    more = {} if flatten is None else {"flatten_output": flatten}
    code = "def main():\n    return {'r': [1, 2]}"
    frame = node(
        "it", "iteration", iterator_selector=["start", "topic"], output_selector=["k", *output.split(".")], **more
    )
    result = conversion(frame, node("k", "code", parent="it", code=code, code_language="python3", **inner))
    reason = result.line("it").reason()
    assert ("list of lists" in reason.en, "列表的列表" in reason.zh) == (said, said) and result.errors == []


@pytest.mark.parametrize(
    ("kind", "data", "output"),
    [
        ("iteration", {"iterator_selector": ["it", "item"], "output_selector": ["it", "item"]}, "output"),
        ("list-operator", {"variable": ["it", "item"]}, "result"),
        ("variable-aggregator", {"variables": [["it", "item"]], "output_type": "array[string]"}, "output"),
        ("document-extractor", {"variable_selector": ["start", "topic"], "is_array_file": True}, "text"),
        ("parameter-extractor", {"parameters": [{"name": "p", "type": "array[string]"}], "model": MODEL}, "p"),
    ],
)
def test_what_gives_a_list_is_known(kind: str, data: dict[str, Any], output: str) -> None:
    frame = node("it", "iteration", iterator_selector=["start", "topic"], output_selector=["k", output])
    result = conversion(frame, node("k", kind, parent="it", **data))
    assert "list of lists" in result.line("it").reason().en


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        ("array[string]", '["a"]', ["a"]),
        ("array[object]", '[{"k": "{{#start.topic#}}"}]', [{"k": "{{ start.topic }}"}]),
        ("array[string]", "", []),
        ("array[string]", '{"k": 1}', '{"k": 1}'),
        ("array[string]", ["a"], ["a"]),
        ("object", '{"k": 1}', {"k": 1}),
        ("object", "{k", "{k"),
        ("object", "[" * 10_000, "[" * 10_000),
        ("number", "5", 5),
        ("number", "1.5", 1.5),
        ("number", "NaN", "NaN"),
        ("boolean", "false", False),
        ("string", '["a"]', '["a"]'),
    ],
)
def test_a_constant_written_as_json_is_what_its_variable_holds(kind: str, written: Any, value: Any) -> None:
    first = {"label": "held", "var_type": kind, "value_type": "constant", "value": written}
    item = {
        "operation": "set",
        "input_type": "constant",
        "value": written,
        "variable_selector": ["conversation", "held"],
    }
    result = conversion(
        node("lo", "loop", loop_count=2, loop_variables=[first], break_conditions=[]),
        node("a", "assigner", version="2", items=[item]),
        mode="advanced-chat",
        conversation_variables=[{"name": "held", "value_type": kind, "value": None}],
    )
    assert result.config("lo")["vars"] == {"held": value}
    assert result.config("assigner")["values"] == {"held": value} and result.errors == []


def test_what_is_appended_to_a_list_stays_as_it_is_what_extends_it_is_read() -> None:
    items = [
        {
            "operation": operation,
            "input_type": "constant",
            "value": '["b"]',
            "variable_selector": ["conversation", "held"],
        }
        for operation in ("append", "extend")
    ]
    result = conversion(
        node("a", "assigner", version="2", items=items),
        mode="advanced-chat",
        conversation_variables=[{"name": "held", "value_type": "array[string]", "value": []}],
    )
    if not placeholder(result, "assigner", "code"):
        inputs = result.config("assigner_reckon")["inputs"]
        assert (inputs["value_1"], inputs["value_2"]) == ('["b"]', ["b"]) and result.errors == []


def test_iteration() -> None:
    inside = node(
        "i",
        "llm",
        parent="it",
        model=MODEL,
        prompt_template=[{"role": "user", "text": "{{#it.item.name#}} {{#it.index#}}"}],
    )
    frame = node(
        "it",
        "iteration",
        iterator_selector=["start", "topic"],
        output_selector=["i", "text"],
        is_parallel=True,
        parallel_nums=4,
        error_handle_mode="continue-on-error",
    )
    begin = node("itstart", "iteration-start", parent="it")
    result = conversion(
        frame,
        begin,
        inside,
        node("say", "answer", answer="{{#it.output#}}"),
        edges=[edge("start", "it"), edge("itstart", "i"), edge("it", "say")],
    )
    assert result.config("it") == {
        "items": "{{ start.topic }}",
        "output": "{{ llm.text }}",
        "concurrency": 4,
        "on_item_error": "keep_null",
    }
    assert result.nodes["llm"]["parent"] == "it" and result.nodes["it"]["size"]["width"] > 0
    assert result.config("llm")["messages"][0]["content"] == "{{ item.name | default(null) }} {{ index }}"
    assert result.config("say")["text"] == "{{ it.items }}"
    assert result.edges == {("start", "out", "it"), ("it", "out", "say")} and result.errors == []
    assert len(result.report.lines) == 4


def test_loop() -> None:
    loop = node(
        "lo",
        "loop",
        loop_count=8,
        logical_operator="or",
        loop_variables=[{"label": "Num", "var_type": "number", "value_type": "constant", "value": "1"}],
        break_conditions=[{"variable_selector": ["lo", "Num"], "comparison_operator": "≥", "value": "5"}],
    )
    check = node(
        "c",
        "if-else",
        parent="lo",
        cases=[
            {
                "case_id": "true",
                "conditions": [{"variable_selector": ["lo", "Num"], "comparison_operator": "=", "value": "3"}],
            }
        ],
    )
    put = node(
        "p",
        "assigner",
        parent="lo",
        version="2",
        items=[{"operation": "set", "input_type": "constant", "value": 5, "variable_selector": ["lo", "Num"]}],
    )
    leave = node("x", "loop-end", parent="lo")
    edges = [edge("start", "lo"), edge("los", "c"), edge("c", "p", "true"), edge("p", "x"), edge("lo", "say")]
    result = conversion(
        loop,
        node("los", "loop-start", parent="lo"),
        check,
        put,
        leave,
        node("say", "answer", answer="{{#lo.Num#}}"),
        edges=edges,
    )
    assert result.config("lo") == {"vars": {"num": 1, "leave": False}, "max": 8, "until": "{{ lo_either.result }}"}
    assert result.config("assigner")["values"] == {"num": 5}
    assert result.config("loop_end")["values"] == {"leave": True}
    assert result.config("lo_check")["conditions"] == [{"left": "{{ loop.vars.num }}", "op": "ge", "right": "5"}]
    assert {
        ("if_else", "false", "lo_check"),
        ("loop_end", "out", "lo_check"),
        ("lo_check", "true", "lo_either"),
    } <= result.edges
    assert result.config("say")["text"] == "{{ lo.num }}" and result.errors == []


HTTP: dict[str, Any] = {
    "method": "post",
    "url": "https://api.example.org/v1/find?lang=en&key=abcdefgh",
    "headers": "Accept:application/json\nX-Api-Key:abcdefgh",
    "params": "q:{{#start.topic#}}\ntoken:{{#env.WEATHER_KEY#}}",
    "body": {"type": "json", "data": '{"a": "{{#start.topic#}}", "n": {{#start.topic#}}}'},
    "authorization": {"type": "api-key", "config": {"type": "bearer", "api_key": "sk-abcdefgh", "header": ""}},
    "timeout": {"connect": 10, "read": 20, "write": 5},
    "retry_config": {"retry_enabled": True, "max_retries": 2, "retry_interval": 500},
    "error_strategy": "fail-branch",
}
ENVIRONMENT = [
    {"name": "WEATHER_KEY", "value_type": "secret", "value": "abcdefgh"},
    {"name": "region", "value_type": "string", "value": "eu"},
]


def test_http_request() -> None:
    result = conversion(
        node("h", "http-request", **HTTP),
        node("say", "answer", answer="{{#h.body#}} {{#h.status_code#}} {{#h.headers#}}"),
        node("bad", "answer", answer="{{#h.error_message#}} {{#env.region#}}"),
        edges=[edge("start", "h"), edge("h", "say", "success-branch"), edge("h", "bad", "fail-branch")],
        environment_variables=ENVIRONMENT,
    )
    assert {want.name: want.match for want in result.report.wants.secrets.values()} == {
        "weather_key": "weather_key",
        "api_example_org_key": "",
        "api_example_org_x_api_key": "",
    }
    assert "abcdefgh" not in str(result.graph) and result.graph["env"] == {"region": "eu"}
    assert [want.host for want in result.report.wants.hosts.values()] == ["api.example.org"]
    assert ("http_request", "error", "bad") in result.edges
    assert result.config("bad")["text"] == "{{ http_request.error.message | default(null) }} {{ env.region }}"
    if placeholder(result, "http_request", "http"):
        return
    config = result.config("http_request")
    assert (config["method"], config["url"]) == ("POST", "https://api.example.org/v1/find")
    assert config["query"] == {
        "lang": "en",
        "key": "${secret:api_example_org_key}",
        "q": "{{ start.topic }}",
        "token": "${secret:weather_key}",
    }
    assert config["headers"] == {"Accept": "application/json", "X-Api-Key": "${secret:api_example_org_x_api_key}"}
    assert config["auth"] == {"kind": "bearer", "secret": "api_example_org_key"}
    assert (config["body_type"], config["body"]) == (
        "json",
        '{"a": {{ start.topic | tojson }}, "n": {{ start.topic }}}',
    )
    assert config["timeout_s"] == 35 and "accept_status" not in config
    assert result.nodes["http_request"]["retry"] == {"max": 2, "delay_s": 0.5}
    assert result.nodes["http_request"]["on_error"] == "port"
    assert (
        result.config("say")["text"] == "{{ http_request.text }} {{ http_request.status }} {{ http_request.headers }}"
    )
    assert result.errors == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"type": "none", "data": ""}, {}),
        ({"type": "raw-text", "data": "x {{#start.topic#}}"}, {"body_type": "text", "body": "x {{ start.topic }}"}),
        ({"type": "json", "data": "no json"}, {"body_type": "json", "body": "no json"}),
        ({"type": "json", "data": " "}, {}),
        ({"type": "json", "data": "{{#start.topic#}}"}, {"body_type": "json", "body": "{{ start.topic }}"}),
        (
            {"type": "json", "data": '{"a": "{{#start.topic#}}"}'},
            {"body_type": "json", "body": {"a": "{{ start.topic }}"}},
        ),
        (
            {"type": "form-data", "data": "a:1\nb:{{#start.topic#}}"},
            {"body_type": "multipart", "body": {"a": "1", "b": "{{ start.topic }}"}},
        ),
        (
            {"type": "x-www-form-urlencoded", "data": [{"key": "a", "type": "text", "value": "1"}]},
            {"body_type": "form", "body": {"a": "1"}},
        ),
        (
            {"type": "form-data", "data": [{"key": "f", "type": "file", "file": ["start", "topic"]}]},
            {"body_type": "multipart", "body": {"f": "{{ start.topic }}"}},
        ),
        (
            {"type": "binary", "data": [{"type": "file", "file": ["start", "topic"]}]},
            {"body_type": "file", "body": "{{ start.topic }}"},
        ),
    ],
)
def test_bodies_of_requests(body: dict[str, Any], expected: dict[str, Any]) -> None:
    result = conversion(node("h", "http-request", method="POST", url="https://example.org", body=body))
    if not placeholder(result, "http_request", "http"):
        config = result.config("http_request")
        assert {
            key: value for key, value in config.items() if key.startswith("body")
        } == expected and result.errors == []


@pytest.mark.parametrize(
    ("data", "sent"),
    [
        ('{"code":{{#c.code#}},"language":"python3"}', {"code": 'print("1")', "language": "python3"}),
        ('{"n": 1{{#s.n#}}}', {"n": 15}),
        ('{"n": "{{#s.n#}}"}', {"n": "5"}),
        ('{"n": "{{#s.n#}}", "m": {{#s.n#}}, "c": "{{#c.size#}}"}', {"n": "5", "m": 5, "c": "7"}),
        ('{"t": "\\"{{#s.n#}}", "n": {{#s.n#}}}', {"t": '"5', "n": 5}),
        ('[{{#s.n#}}, "{{#s.q#}}", "so {{#s.n#}}"]', [5, 'two\n"lines"', "so 5"]),
    ],
)
def test_references_of_a_json_body_are_put_in_before_it_is_read(data: str, sent: Any) -> None:
    variables = [
        {"variable": "q", "type": "paragraph", "label": "Q", "required": True},
        {"variable": "n", "type": "number", "label": "N", "required": True},
    ]
    code = "def main():\n    return {}"
    outputs = {"code": {"type": "string"}, "size": {"type": "number"}}
    result = conversion(
        node("s", "start", variables=variables),
        node("c", "code", code=code, code_language="python3", outputs=outputs),
        node("h", "http-request", method="post", url="https://example.org", body={"type": "json", "data": data}),
    )
    config = result.config("http_request")
    scope: Any = {"start": {"q": 'two\n"lines"', "n": 5}, "code": {"code": '"print(\\"1\\")"', "size": 7}}
    body = compile_value(config["body"]).render(scope)
    assert config["body_type"] == "json" and result.line("h").state == "mapped"
    assert (json.loads(body) if isinstance(body, str) else body) == sent and result.errors == []


@pytest.mark.parametrize(("data", "said"), [('{"a": "{{#start.topic#}}",}', True), ("[{{#start.topic#}}]", False)])
def test_a_json_body_that_never_becomes_json_is_said(data: str, said: bool) -> None:
    body = {"type": "json", "data": data}
    result = conversion(node("h", "http-request", method="post", url="https://example.org", body=body))
    assert ("its body is no JSON" in result.line("h").reason().en) is said


@pytest.mark.parametrize(
    ("settings", "fails"),
    [
        ({}, False),
        ({"retry_config": {"retry_enabled": False, "max_retries": 3}}, False),
        ({"error_strategy": "none"}, False),
        ({"retry_config": {"retry_enabled": True, "max_retries": 3, "retry_interval": 100}}, True),
        ({"error_strategy": "fail-branch"}, True),
        ({"error_strategy": "default-value", "default_value": []}, True),
    ],
)
@pytest.mark.parametrize("read", ["{{#h.status_code#}}", "{{#h.body#}}"])
def test_a_status_is_a_failure_where_the_app_says_what_follows_one(
    settings: dict[str, Any], fails: bool, read: str
) -> None:
    request = node("h", "http-request", method="get", url="https://example.org", **settings)
    result = conversion(request, node("say", "answer", answer=read))
    if not placeholder(result, "http_request", "http"):
        accepted = set(result.config("http_request").get("accept_status", []))
        assert (not accepted) if fails else accepted >= {400, 402, 404, 415, 429, 500, 503}
        assert result.errors == []


def test_a_host_that_comes_out_of_an_expression_is_said() -> None:
    result = conversion(node("h", "http-request", method="get", url="https://{{#start.topic#}}.example.org/x"))
    [host] = result.report.wants.hosts.values()
    assert not host.fixed and "example.org" in host.host


def test_code_that_imports_what_the_sandbox_has_is_as_it_was() -> None:
    code = "import time\nfrom collections import Counter\ndef main():\n    return {'n': 1}\n"
    result = conversion(node("c", "code", code=code, code_language="python3", outputs={"n": {"type": "number"}}))
    [want] = result.report.wants.code
    assert (want.modules, want.missing) == (["collections", "time"], [])
    assert result.line("c").state == "mapped" and result.errors == []


def test_code() -> None:
    code = "import json\ndef main(a: str) -> dict:\n    return {'b': json.loads(a), '{{': 1}\n"
    result = conversion(
        node(
            "c",
            "code",
            code=code,
            code_language="python3",
            variables=[{"variable": "a", "value_selector": ["start", "topic"]}],
        ),
        node("say", "answer", answer="{{#c.b.0#}}"),
    )
    assert result.line("c").type == "code · python3"
    [want] = result.report.wants.code
    assert (want.modules, want.missing, want.source) == (["json"], [], code)
    if placeholder(result, "code", "code"):
        return
    assert result.config("code") == {"source": code, "inputs": {"a": "{{ start.topic }}"}}
    assert result.config("say")["text"] == "{{ code.b.0 }}" and result.errors == []


def test_code_that_imports_what_the_sandbox_has_not_says_so() -> None:
    result = conversion(
        node("c", "code", code="import requests, re\ndef main():\n    return {}\n", code_language="python3")
    )
    assert result.report.wants.code[0].missing == ["requests"]
    if has("code"):
        assert "requests" in result.line("c").reason().en and result.line("c").state == "changed"


def test_javascript_is_left() -> None:
    result = conversion(node("c", "code", code="function main() { return {} }", code_language="javascript"), SAY)
    assert result.line("c").state == "left" and "JavaScript" in result.line("c").reason().zh
    assert result.nodes["code"]["config"]["data"]["code_language"] == "javascript"


def test_list_operator() -> None:
    operator = node(
        "o",
        "list-operator",
        variable=["start", "topic"],
        filter_by={
            "enabled": True,
            "conditions": [{"key": "mime_type", "comparison_operator": "contains", "value": "image"}],
        },
        order_by={"enabled": True, "key": "size", "value": "desc"},
        limit={"enabled": True, "size": 5},
        extract_by={"enabled": True, "serial": "2"},
    )
    result = conversion(
        operator, node("say", "answer", answer="{{#o.result#}} {{#o.first_record.name#}} {{#o.last_record#}}")
    )
    if placeholder(result, "list_operator", "list"):
        return
    config = result.config("list_operator")
    assert config["items"] == "{{ start.topic }}"
    assert config["filter"] == [{"left": "{{ item.mime | default(null) }}", "op": "contains", "right": "image"}]
    assert config["sort"] == {"by": "{{ item.size | default(null) }}", "order": "desc"}
    assert (config["offset"], config["limit"]) == (1, 1)
    reply = result.config("say")["text"]
    files: list[JsonValue] = [{"name": "a"}, {"name": "b"}]
    assert render(reply, {"list_operator": {"items": files}}) == '[{"name": "a"}, {"name": "b"}] a {"name": "b"}'
    assert render(reply, {"list_operator": {"items": []}}) == "[]  " and result.errors == []


@pytest.mark.parametrize(
    ("theirs", "value", "pattern", "kept"),
    [
        ("in", ["image"], "^(image/)", ["image/png"]),
        ("in", ["document", "audio"], "^(audio/|text/|application/)", ["application/pdf", "text/csv", "audio/ogg"]),
        ("is", "document", "^(text/|application/)", ["application/pdf", "text/csv"]),
        ("not in", ["image", "video"], "^(audio/|text/|application/)", ["application/pdf", "text/csv", "audio/ogg"]),
    ],
)
def test_the_type_of_a_file_is_the_beginning_of_its_media_type(
    theirs: str, value: Any, pattern: str, kept: list[str]
) -> None:
    mimes = ["image/png", "application/pdf", "text/csv", "audio/ogg"]
    below = {"conditions": [{"key": "type", "comparison_operator": theirs, "value": value}]}
    result = conversion(
        node("o", "list-operator", variable=["sys", "files"], filter_by={"enabled": True, **below}),
        node("b", "if-else", conditions=[{"variable_selector": ["sys", "files"], "sub_variable_condition": below}]),
        node("say", "answer", answer="x"),
        edges=[edge("start", "o"), edge("o", "b"), edge("b", "say", "true")],
        mode="advanced-chat",
    )
    [kept_if] = result.config("list_operator")["filter"]
    assert kept_if == {"left": "{{ item.mime | default(null) }}", "op": "matches", "right": pattern}
    held: list[tuple[str, ConditionValue]] = [
        (mime, {"left": mime, "op": "matches", "right": pattern}) for mime in mimes
    ]
    assert [mime for mime, condition in held if hold("all", [condition])] == kept
    assert result.config("if_else")["conditions"][0] == {
        "left": "{{ start.files.0.mime | default(null) }}",
        "op": "matches",
        "right": pattern,
    }
    assert result.errors == []


@pytest.mark.parametrize(
    ("outer", "inner", "others", "below", "match", "said"),
    [
        ("and", "or", 0, 2, "any", False),
        ("or", "and", 0, 2, "all", False),
        ("and", "", 0, 2, "all", False),
        ("and", "or", 0, 1, "all", False),
        ("or", "and", 1, 1, "any", False),
        ("and", "and", 1, 2, "all", False),
        ("or", "or", 1, 2, "any", False),
        ("and", "or", 1, 2, "all", True),
        ("or", "and", 1, 2, "any", True),
    ],
)
def test_conditions_on_a_file_hold_together_as_they_say(
    outer: str, inner: str, others: int, below: int, match: str, said: bool
) -> None:
    kinds = [{"key": "type", "comparison_operator": "in", "value": [kind]} for kind in ("image", "audio")[:below]]
    body = {"logical_operator": inner, "conditions": kinds}
    files = {"variable_selector": ["sys", "files"], "comparison_operator": "contains", "sub_variable_condition": body}
    other = {"variable_selector": ["start", "topic"], "comparison_operator": "is", "value": "x"}
    case = {"case_id": "true", "logical_operator": outer, "conditions": [files, *[other] * others]}
    result = conversion(node("b", "if-else", cases=[case]), node("say", "answer", answer="x"), mode="advanced-chat")
    assert result.config("if_else")["match"] == match
    assert ("conditions on the file" in result.line("b").reason().en) is said
    assert ("文件的条件" in result.line("b").reason().zh) is said and result.errors == []


def test_what_an_empty_list_or_another_item_has_not_is_nothing() -> None:
    first = {"conditions": [{"key": "size", "comparison_operator": ">", "value": "5"}]}
    frame = node("it", "iteration", iterator_selector=["start", "topic"], output_selector=["inner", "answer"])
    result = conversion(
        node("b", "if-else", conditions=[{"variable_selector": ["sys", "files"], "sub_variable_condition": first}]),
        frame,
        node("inner", "answer", parent="it", answer="{{#it.item.name#}}"),
        edges=[edge("start", "b"), edge("b", "it", "true")],
        mode="advanced-chat",
    )
    [condition] = result.config("if_else")["conditions"]
    assert render(condition["left"], {"start": {"files": []}}) is None
    assert render(condition["left"], {"start": {"files": [{"size": 9}]}}) == 9
    assert render(result.config("inner")["text"], {"item": {"name": "a"}}) == "a"
    assert render(result.config("inner")["text"], {"item": {}}) is None and result.errors == []


def test_document_extractor() -> None:
    single = conversion(
        node("d", "document-extractor", variable_selector=["start", "topic"]),
        node("say", "answer", answer="{{#d.text#}}"),
    )
    several = conversion(
        node("d", "document-extractor", variable_selector=["start", "topic"], is_array_file=True),
        node("say", "answer", answer="{{#d.text#}}"),
    )
    if placeholder(single, "document_extractor", "document"):
        return
    assert single.config("document_extractor") == {"file": "{{ start.topic }}", "as": "text"}
    assert single.config("say")["text"] == "{{ document_extractor.text }}"
    assert several.nodes["document_extractor"]["type"] == "iteration"
    assert several.config("document_extractor")["output"] == "{{ document_extractor_each.text }}"
    assert several.nodes["document_extractor_each"]["parent"] == "document_extractor"
    assert several.config("say")["text"] == "{{ document_extractor.items }}"
    assert single.errors == several.errors == []


TOOL: dict[str, Any] = {
    "provider_id": "google",
    "provider_type": "builtin",
    "tool_name": "google_search",
    "tool_parameters": {"query": {"type": "mixed", "value": "{{#start.topic#}}"}},
    "tool_configurations": {"result_type": "link", "credential_key": "abcdefgh"},
}


def test_a_tool_without_counterpart_is_asked_for_once_for_all_alike() -> None:
    result = conversion(
        node("t", "tool", **TOOL), node("u", "tool", **TOOL), node("say", "answer", answer="{{#t.text#}}")
    )
    [want] = result.report.wants.tools.values()
    assert (want.key, want.nodes, want.arguments) == ("tool:google/google_search", ["t", "u"], ["query"])
    assert result.line("t").state == result.line("u").state == "choose"
    assert result.config("say")["text"] == "{{ tool.text }}"
    assert "abcdefgh" not in str(result.graph) and result.errors == []
    chosen = Choices(tools={want.key: ToolAtServer("bing", "search")})
    taken = conversion(
        node("t", "tool", **TOOL),
        node("u", "tool", **TOOL),
        node("say", "answer", answer="{{#t.text#}}"),
        choices=chosen,
    )
    assert taken.config("tool") == {"server": "bing", "tool": "search", "arguments": {"q": "{{ start.topic }}"}}
    assert taken.nodes["tool_2"]["type"] == "tool" and taken.config("say")["text"] == "{{ tool.result }}"
    assert taken.line("t").state == "changed" and "query → q" in taken.line("t").reason().en and taken.errors == []


def test_an_mcp_tool_finds_the_server_of_its_name() -> None:
    tool: dict[str, Any] = {
        "provider_id": "x",
        "provider_type": "mcp",
        "provider_name": "Bing Search",
        "tool_name": "search",
        "tool_parameters": {"q": {"type": "mixed", "value": "x"}},
    }
    result = conversion(node("t", "tool", **tool))
    assert result.config("tool") == {"server": "bing", "tool": "search", "arguments": {"q": "x"}}
    assert result.line("t").state == "mapped" and result.errors == []


def test_knowledge_retrieval() -> None:
    knowledge = node("k", "knowledge-retrieval", dataset_ids=["d1", "d2"], query_variable_selector=["start", "topic"])
    say = node("say", "answer", answer="{{#k.result#}}")
    request = conversion(knowledge, say)
    assert request.line("k").reason().en == "2 datasets; their files stay in Dify"
    [want] = request.report.wants.tools.values()
    assert want.kind == "knowledge"
    taken = conversion(knowledge, say, choices=Choices(tools={"k": ToolAtServer("bing", "search")}))
    assert taken.config("knowledge_retrieval")["arguments"] == {"q": "{{ start.topic }}"}
    assert taken.config("say")["text"] == "{{ knowledge_retrieval.result }}" and taken.errors == []


def test_the_second_version_of_knowledge_retrieval_is_answered_alike() -> None:
    knowledge = node(
        "k", "knowledge-retrieval-v2", control_space_ids=["s1"], query_variable_selector=["start", "topic"]
    )
    request = conversion(knowledge, node("say", "answer", answer="{{#k.result#}}"))
    [want] = request.report.wants.tools.values()
    assert (want.kind, want.key) == ("knowledge", "knowledge:s1") and request.line("k").state == "choose"


def test_what_only_a_plugin_s_strategy_knows_is_left_out_and_said() -> None:
    agent = node(
        "a",
        "agent",
        agent_strategy_name="dialogue",
        agent_parameters={
            "query": {"type": "constant", "value": "{{#start.topic#}}"},
            "slots": {"type": "constant", "value": '{"fields": []}'},
            "storage": {"type": "constant", "value": "{{#sys.user_id#}}"},
            "nothing": {"type": "constant", "value": ""},
        },
    )
    result = conversion(agent, node("say", "answer", answer="{{#a.text#}}"))
    assert "parameters left out: slots, storage" in result.line("a").reason().en
    assert "there is no strategy dialogue here" in result.line("a").reason().en
    assert result.config("agent")["query"] == "{{ start.topic }}"


NEWS = json.dumps(
    {
        "mcpServers": {
            "news": {
                "url": "https://n.example/v/0123456789abcdef/mcp",
                "headers": {"Authorization": "Bearer abcdefgh", "X-Lang": "en"},
            }
        }
    }
)


@pytest.mark.parametrize(
    ("parameters", "server"),
    [
        ({"mcp_server": {"type": "constant", "value": "https://mcp.maps.example/sse?key=abcdefgh"}}, "maps"),
        ({"mcp_servers_config": {"value": '{"Maps": {"url": "https://other.example/mcp"}}'}}, "maps"),
        (
            {"config_json": {"value": NEWS}},
            "news",
        ),
        ({"mcp_servers_config": {"value": '{"local": {"command": "npx", "args": ["x"]}}'}}, None),
        ({"mcp_servers_config": {"value": "{no json"}}, None),
    ],
)
def test_agent(parameters: dict[str, Any], server: str | None) -> None:
    agent = node(
        "a",
        "agent",
        agent_parameters={
            "model": {"type": "constant", "value": {"provider": "x", "model": "gpt-4o", "completion_params": {}}},
            "instruction": {"type": "constant", "value": "Be {{#start.topic#}}"},
            "query": {"type": "variable", "value": ["start", "topic"]},
            "maximum_iterations": {"type": "constant", "value": 7},
            "tools": {"type": "constant", "value": [{"enabled": True, "provider_name": "time", "tool_name": "now"}]},
            **parameters,
        },
    )
    result = conversion(agent, node("say", "answer", answer="{{#a.text#}} {{#a.json#}}"))
    config = result.config("agent")
    assert (config["system_prompt"], config["query"]) == ("Be {{ start.topic }}", "{{ start.topic }}")
    assert (config["model"], config["max_iterations"]) == ("gpt-4o", 7)
    assert config["tools"] == ({"servers": [{"server": server}]} if server else {})
    assert "tools left out: now" in result.line("a").reason().en and "abcdefgh" not in str(result.graph)
    if server == "news":
        assert result.graph["mcp_servers"]["news"] == {
            "transport": "http",
            "url": "https://n.example/v/${secret:news_path}/mcp",
            "headers": {"Authorization": "${secret:news_authorization}", "X-Lang": "en"},
        }
    assert result.config("say")["text"] == "{{ agent.text }} {{ agent.tool_calls }}" and result.errors == []


@pytest.mark.parametrize(
    ("address", "transport", "kept", "secrets"),
    [
        ("https://r.example/sse/abcdef", "sse", "https://r.example/sse/${secret:r_example_path}", ["r_example_path"]),
        ("https://r.example/sse/", "sse", "https://r.example/sse/", []),
        ("https://r.example/a/SSE?lang=en", "sse", "https://r.example/a/SSE?lang=en", []),
        ("https://r.example/assets/mcp", "http", "https://r.example/assets/mcp", []),
        (
            "https://r.example/0123456789abcdef/sse/abcdef",
            "sse",
            "https://r.example/${secret:r_example_path}/sse/${secret:r_example_path_2}",
            ["r_example_path", "r_example_path_2"],
        ),
    ],
)
def test_an_address_with_sse_in_its_path(address: str, transport: str, kept: str, secrets: list[str]) -> None:
    result = conversion(node("a", "agent", agent_parameters={"mcp_server": {"type": "constant", "value": address}}))
    assert result.graph["mcp_servers"]["r_example"] == {"transport": transport, "url": kept}
    assert list(result.report.wants.secrets) == secrets


@pytest.mark.parametrize("strategy", ["function_calling", "ReAct", "react", "", None])
def test_the_strategies_of_our_agent_are_no_matter_to_mention(strategy: Any) -> None:
    model = {"type": "constant", "value": {"model": "gpt-4o"}}
    agent = node("a", "agent", agent_strategy_name=strategy, agent_parameters={"model": model})
    assert conversion(agent, mode="advanced-chat").line("a").state == "mapped"


def test_a_line_says_why_a_model_became_an_agent_whatever_else_it_says() -> None:
    other = {**MODEL, "name": "unknown-9b", "completion_params": {"enable_thinking": True, "top_k": 3}}
    prompt = [{"role": "user", "text": "{{#gone.a#}} {{#gone.b#}}"}]
    llm = node("l", "llm", model=other, prompt_template=prompt, memory={"window": {"enabled": True, "size": 4}})
    reason = conversion(llm, mode="advanced-chat").line("l").reason()
    assert reason.en.startswith("remembers the conversation: an agent without tools; ")
    assert "parameters left out" in reason.en and reason.en.endswith("; 2 more")
    assert reason.zh.startswith("记住对话：没有工具的智能体；")


def test_what_a_chat_shows_before_its_first_message_is_said_to_be_left_out() -> None:
    features = {"opening_statement": "Choose a language", "suggested_questions": ["a", "b"]}
    request = conversion(SAY, mode="advanced-chat", features=features).report.notes
    assert ["greeting" in request[0].en, "欢迎语" in request[0].zh] == [True, True]
    assert request[1].en == "2 suggested questions are left out."
    empty = {"opening_statement": " ", "suggested_questions": [""]}
    assert conversion(SAY, mode="advanced-chat", features=empty).report.notes == []
    assert conversion(SAY, features=features).report.notes == []  # a workflow shows neither


def test_descriptions_of_steps_are_said_to_be_left_out() -> None:
    first, second = (node(id, "answer", answer="x", desc="why it is there") for id in ("a", "b"))
    [note] = conversion(first, second, node("c", "answer", answer="x", desc=" ")).report.notes
    assert note.en.startswith("The descriptions of 2 steps are left out") and note.zh.startswith("2 个步骤的说明")


@pytest.mark.parametrize(
    ("kinds", "extensions", "accept"),
    [
        (["image", "audio"], [], "image/*,audio/*"),
        (["custom"], [".PY", "csv", 5], ".py,.csv"),
        (["image", "future"], [], None),
        (["custom"], [], None),
        ([], [".py"], None),
    ],
)
def test_which_files_a_form_takes(kinds: list[str], extensions: list[Any], accept: str | None) -> None:
    about = {"label": "F", "allowed_file_types": kinds, "allowed_file_extensions": extensions, "max_length": 3}
    fields = [{"variable": "f", "type": "file", **about}, {"variable": "fs", "type": "file-list", **about}]
    result = conversion(node("s", "start", variables=fields), SAY)
    body = result.config("start")["inputs"]["properties"]
    assert (body["f"].get("x-accept"), body["fs"]["items"].get("x-accept")) == (accept, accept)
    assert body["fs"]["maxItems"] == 3 and "maxItems" not in body["f"] and result.errors == []


def test_documents_are_taken_by_the_ends_of_their_names() -> None:
    field = {"variable": "f", "type": "file", "label": "F", "allowed_file_types": ["document"]}
    body = conversion(node("s", "start", variables=[field]), SAY).config("start")["inputs"]["properties"]["f"]
    assert {".pdf", ".docx", ".txt", ".md"} <= set(body["x-accept"].split(","))


@pytest.mark.parametrize("part", ["extension", "url", "transfer_method"])
def test_parts_of_a_file_that_are_not_there_are_empty_and_said(part: str) -> None:
    fields = [
        {"variable": "f", "type": "file", "label": "F", "required": True},
        {"variable": "fs", "type": "file-list", "label": "Fs", "required": True},
    ]
    places = (f"s.f.{part}", f"s.fs.0.{part}", f"sys.files.0.{part}")
    says = [node(f"say{index}", "answer", answer=f"[{{{{#{place}#}}}}]") for index, place in enumerate(places)]
    result = conversion(node("s", "start", variables=fields), *says, mode="advanced-chat")
    for index, place in enumerate(places):
        assert result.config(f"say{index}")["text"] == "[]"
        assert result.line(f"say{index}").reason().en == f"{place} does not exist here: empty"
    assert result.errors == []


def test_the_type_of_a_file_is_said_to_be_a_media_type() -> None:
    fields = [{"variable": "f", "type": "file", "label": "F", "required": True}]
    result = conversion(
        node("s", "start", variables=fields),
        node("say", "answer", answer="{{#s.f.type#}} {{#sys.files.0.type#}}"),
        node("mime", "answer", answer="{{#s.f.mime_type#}} {{#s.f.name#}}"),
        mode="advanced-chat",
    )
    assert result.config("say")["text"] == "{{ start.f.mime }} {{ start.files.0.mime }}"
    assert result.line("say").reason().en.startswith("the type of a file is a media type here")
    assert result.line("say").reason().zh.startswith("这里文件的 type 为媒体类型")
    assert result.config("mime")["text"] == "{{ start.f.mime }} {{ start.f.name }}"
    assert result.line("mime").state == "mapped" and result.errors == []


@pytest.mark.parametrize(("window", "kept"), [({"enabled": True, "size": 7}, 7), ({"enabled": False}, 50)])
def test_an_agent_remembers_as_much_as_it_did(window: dict[str, Any], kept: int) -> None:
    agent = node("a", "agent", agent_strategy_name="function_calling", memory={"window": window})
    assert conversion(agent, mode="advanced-chat").config("agent")["memory"] == {"window": kept}
    assert "memory" not in conversion(agent).config("agent")  # a workflow has no conversation
    assert "memory" not in conversion(node("a", "agent"), mode="advanced-chat").config("agent")


def test_what_nobody_knows_is_a_placeholder_with_its_ways() -> None:
    human = node("h", "human-input", form_content="?", api_key="abcdefgh", user_actions=[{"id": "yes"}])
    result = conversion(
        human,
        node("y", "answer", answer="{{#h.name#}}"),
        edges=[edge("start", "h"), edge("h", "y", "yes"), edge("h", "y", "__timeout"), edge("h", "y", "是")],
    )
    entry = result.nodes["human_input"]
    assert entry["type"] == "placeholder" and entry["disabled"] and entry["title"] == "h"
    assert entry["config"]["origin"] == "dify" and entry["config"]["type"] == "human-input"
    assert entry["config"]["data"] == {"form_content": "?", "api_key": "", "user_actions": [{"id": "yes"}]}
    assert {port for source, port, _ in result.edges if source == "human_input"} == {"yes", "timeout", "way"}
    assert result.config("answer")["text"] == "{{ human_input.name }}" and result.errors == []
    assert result.line("h").state == "left"


def test_notes_become_notes() -> None:
    words = {"type": "paragraph", "children": [{"text": "One "}, {"text": "two"}]}
    text = json.dumps({"root": {"children": [words, {"type": "paragraph", "children": []}]}})
    note = {
        "id": "n",
        "type": "custom-note",
        "data": {"text": text, "type": ""},
        "position": {"x": 5, "y": 6},
        "width": 300,
    }
    result = conversion(SAY, note, edges=[edge("start", "say")])
    [annotation] = result.graph["annotations"]
    assert (annotation["kind"], annotation["text"], annotation["position"]) == ("note", "One two", {"x": 5.0, "y": 6.0})
    assert annotation["size"]["width"] == 300 and len(result.report.lines) == 2


def test_triggers_are_starts() -> None:
    hook = node(
        "w",
        "trigger-webhook",
        params=[{"name": "id", "type": "number", "required": True}],
        body=[{"name": "text", "type": "string"}],
    )
    result = conversion(
        hook,
        node("sch", "trigger-schedule"),
        node("say", "answer", answer="{{#w.id#}} {{#sch.x#}}"),
        node("s0", "start", variables=[]),
        edges=[edge("w", "say"), edge("sch", "say")],
    )
    assert [entry["type"] for entry in result.graph["nodes"]].count("start") == 1
    [start] = [entry for entry in result.graph["nodes"] if entry["type"] == "start"]
    assert set(start["config"]["inputs"]["properties"]) == {"id", "text"}
    assert "webhook" in result.line("w").reason().en and result.line("sch").state == "changed"
    assert (start["id"], "out", "say") in result.edges and result.errors == []


def test_a_header_of_a_webhook_is_read_as_dify_calls_it() -> None:
    hook = node(
        "hook",
        "trigger-webhook",
        headers=[{"name": "X-Api-Key", "required": True}, {"name": "Accept"}],
        body=[{"name": "my-rows", "type": "string"}],
    )
    say = node("say", "answer", answer="{{#hook.X_Api_Key#}} {{#hook.my-rows#}} {{#hook._webhook_raw#}}")
    value = app(node("s", "start"))
    value["workflow"]["graph"] = {"nodes": [hook, say], "edges": [edge("hook", "say")]}
    result = Conversion(converted(value, node_types()))
    schema = result.config("hook")["inputs"]
    assert set(schema["properties"]) == {"X_Api_Key", "Accept", "my-rows"} and schema["required"] == ["X_Api_Key"]
    body: JsonObject = {"X_Api_Key": "k", "my-rows": "r"}
    assert render(result.config("say")["text"], {"hook": body}) == "k r "
    assert "does not exist" not in result.line("hook").reason().en and result.errors == []
    assert "_webhook_raw" in result.line("say").reason().en and "X_Api_Key" not in result.line("say").reason().en


def test_an_app_without_a_start_gets_one() -> None:
    value = app(node("s", "start"))
    value["workflow"]["graph"] = {"nodes": [node("a", "answer", answer="x")], "edges": []}
    result = Conversion(converted(value, node_types()))
    assert result.edges == {("start", "out", "answer")} and result.errors == [] and result.report.notes


def test_default_values_on_failure() -> None:
    llm = node(
        "l",
        "llm",
        model=MODEL,
        prompt_template=[{"role": "user", "text": "x"}],
        error_strategy="default-value",
        default_value=[{"key": "text", "type": "string", "value": 'no "answer"'}],
    )
    result = conversion(llm, node("say", "answer", answer="{{#l.text#}}"))
    assert result.nodes["llm"]["on_error"] == "continue"
    assert result.config("say")["text"] == '{{ llm.text | default("no \\"answer\\"") }}' and result.errors == []


@pytest.mark.parametrize(
    "reference",
    [
        "gone.text",
        "later.text",
        "sys.dialogue_count",
        "sys.query",
        "env.NOPE",
        "conversation.nope",
        "start",
        "inner.text",
        "l.nothing",
    ],
)
def test_what_refers_to_nothing_is_empty_and_said(reference: str) -> None:
    llm = node("l", "llm", model=MODEL, prompt_template=[{"role": "user", "text": "x"}])
    say = node("say", "answer", answer=f"a {{{{#{reference}#}}}} b")
    whole = node("end", "end", outputs=[{"variable": "r", "value_selector": reference.split(".")}])
    frame = node("it", "iteration", iterator_selector=["start", "topic"], output_selector=["inner", "text"])
    inner = node("inner", "llm", parent="it", model=MODEL, prompt_template=[{"role": "user", "text": "x"}])
    later = node("later", "template-transform", template="x", variables=[])
    result = conversion(llm, say, frame, inner, whole, later)
    assert result.errors == []
    text = result.config("say")["text"]
    assert text == "a  b" or text.endswith("| default(null) }} b"), text
    assert result.line("say").state == "changed" and result.line("end").state == "changed"


def test_a_condition_on_the_count_of_messages_is_said_never_to_hold() -> None:
    first = {"variable_selector": ["sys", "dialogue_count"], "comparison_operator": "=", "value": "1"}
    result = conversion(
        node("b", "if-else", conditions=[first]), node("say", "answer", answer="x"), mode="advanced-chat"
    )
    [condition] = result.config("if_else")["conditions"]
    left = render(condition["left"], {"vars": {}})
    assert not hold("all", [{"left": left, "op": condition["op"], "right": condition["right"]}])
    reason = result.line("b").reason()
    assert "does not hold" in reason.en and "sys.dialogue_count" in reason.en and "sys.dialogue_count" in reason.zh
    assert "不成立" in reason.zh and result.line("b").state == "changed" and result.errors == []


def test_only_the_innermost_frame_of_a_kind_can_be_read() -> None:
    outer = node("outer", "iteration", iterator_selector=["start", "topic"], output_selector=["inner", "output"])
    inner = node("inner", "iteration", "outer", iterator_selector=["outer", "item"], output_selector=["say", "answer"])
    say = node("say", "answer", parent="inner", answer="{{#inner.item#}} {{#outer.item#}}")
    result = conversion(outer, inner, say, edges=[edge("start", "outer")])
    assert result.config("inner")["items"] == "{{ item }}" and result.config("say")["text"] == "{{ item }} "
    assert result.line("say").state == "changed" and result.errors == []


def test_the_report_speaks_both_languages() -> None:
    result = conversion(
        node("t", "tool", **TOOL), node("c", "code", code_language="javascript"), node("x", "future-node"), SAY
    )
    for line in result.report.lines:
        assert line.reason().en and line.reason().zh and line.reason().en != line.reason().zh
