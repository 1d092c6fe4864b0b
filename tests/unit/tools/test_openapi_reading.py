"""Documents as tools: names, arguments, schemas, addresses, and what is left out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from backend.errors import ValidationFailed
from backend.tools.openapi.model import Api, Operation
from backend.tools.openapi.reading import MOST_OPERATIONS, api_of
from backend.tools.schemas import problem


def document(paths: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "info": {"title": "Shop", "version": "2"}, "paths": paths, **more}


def swagger(paths: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"swagger": "2.0", "info": {"title": "Old", "version": "1"}, "paths": paths, **more}


def only(api: Api) -> Operation:
    (operation,) = api.operations
    return operation


def body(schema: Any, mime: str = "application/json", required: bool = True) -> dict[str, Any]:
    return {"required": required, "content": {mime: {"schema": schema}}}


def reasons(api: Api) -> dict[str, str]:
    return {item.operation: item.reason for item in api.left_out}


def test_the_method_says_what_a_tool_may_do() -> None:
    methods = ("get", "head", "put", "delete", "post", "patch")
    api = api_of(document({"/x": {method: {"operationId": method} for method in methods}}))
    hints = {
        item.name: {key: item.annotations.get(key) for key in ("readOnlyHint", "idempotentHint", "destructiveHint")}
        for item in api.operations
    }
    assert hints["get"] == hints["head"] == {"readOnlyHint": True, "idempotentHint": None, "destructiveHint": None}
    assert hints["put"] == {"readOnlyHint": False, "idempotentHint": True, "destructiveHint": None}
    assert hints["delete"] == {"readOnlyHint": False, "idempotentHint": True, "destructiveHint": True}
    assert hints["post"] == hints["patch"] == {"readOnlyHint": False, "idempotentHint": None, "destructiveHint": None}


def test_what_a_tool_sends_is_part_of_its_definition() -> None:
    before = only(api_of(document({"/pets/{id}": {"get": {"operationId": "pet", "summary": "One pet"}}})))
    after = only(api_of(document({"/people/{id}": {"get": {"operationId": "pet", "summary": "One pet"}}})))
    assert before.input_schema == after.input_schema
    assert before.annotations["request"] == {"method": "GET", "path": "/pets/{id}", "arguments": {"id": "path:id"}}
    assert before.annotations != after.annotations
    assert before.description == "One pet\n\nGET /pets/{id}" and before.title == "One pet"


def test_arguments_of_all_places_are_one_object_and_clashes_are_named_by_their_place() -> None:
    operation = {
        "operationId": "change",
        "parameters": [
            {"name": "id", "in": "query", "schema": {"type": "integer"}},
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
            {"name": "filter[name]", "in": "query", "schema": {"type": "string"}},
            {"name": "Authorization", "in": "header", "required": True, "schema": {"type": "string"}},
        ],
        "requestBody": body(
            {
                "type": "object",
                "required": ["id"],
                "properties": {"id": {"type": "number"}, "id_query": {"type": "string"}},
            }
        ),
    }
    one = only(api_of(document({"/x/{id}": {"put": operation}})))
    assert {argument.arg: f"{argument.place}:{argument.name}" for argument in one.arguments} == {
        "id": "path:id",
        "id_query_2": "query:id",
        "X-Trace": "header:X-Trace",
        "filter_name_": "query:filter[name]",
        "id_body": "body:id",
        "id_query": "body:id_query",
    }
    assert one.input_schema["required"] == ["id", "id_body"]
    assert one.input_schema["additionalProperties"] is False


def test_names_do_not_depend_on_the_order_of_a_document() -> None:
    paths: dict[str, Any] = {
        "/b": {"get": {"operationId": "same"}},
        "/a": {"post": {"operationId": "same"}, "get": {"operationId": "same_2"}},
        "/c": {"get": {}},
    }
    named = {(item.method, item.path): item.name for item in api_of(document(paths)).operations}
    turned = {
        (item.method, item.path): item.name for item in api_of(document(dict(reversed(paths.items())))).operations
    }
    assert named == turned
    assert named == {("POST", "/a"): "same", ("GET", "/a"): "same_2", ("GET", "/b"): "same_3", ("GET", "/c"): "get_c"}


def test_a_body_of_parts_is_flattened_and_one_of_alternatives_is_whole() -> None:
    base = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"type": "string"}, "id": {"readOnly": True}},
    }
    parts = {
        "allOf": [
            {"$ref": "#/components/schemas/Base"},
            {"type": "object", "properties": {"size": {"type": "integer"}}},
        ]
    }
    either = {"oneOf": [{"type": "object", "properties": {"a": {}}}, {"type": "string"}]}
    api = api_of(
        document(
            {"/flat": {"post": {"requestBody": body(parts)}}, "/whole": {"post": {"requestBody": body(either)}}},
            components={"schemas": {"Base": base}},
        )
    )
    flat, whole = api.operations
    assert list(flat.input_schema["properties"]) == ["kind", "size"]  # type: ignore[arg-type]
    assert flat.input_schema["required"] == ["kind"]
    assert whole.input_schema["required"] == ["body"] and whole.body is not None and whole.body.whole


def test_schemas_of_openapi_3_0_become_json_schema() -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer", "nullable": True, "minimum": 1, "exclusiveMinimum": True}},
    }
    one = only(api_of({**document({"/x": {"post": {"requestBody": body(schema)}}}), "openapi": "3.0.3"}))
    assert one.input_schema["properties"] == {"n": {"type": ["integer", "null"], "exclusiveMinimum": 1}}


def test_swagger_2_is_read_too() -> None:
    api = api_of(
        swagger(
            {
                "/pets/{id}": {
                    "post": {
                        "operationId": "change",
                        "consumes": ["application/x-www-form-urlencoded"],
                        "parameters": [
                            {"name": "id", "in": "path", "required": True, "type": "integer"},
                            {
                                "name": "tags",
                                "in": "query",
                                "type": "array",
                                "items": {"type": "string"},
                                "collectionFormat": "pipes",
                            },
                            {"name": "name", "in": "formData", "type": "string", "required": True},
                        ],
                        "responses": {"200": {"schema": {"$ref": "#/definitions/Pet"}}},
                    }
                }
            },
            host="api.example.org",
            basePath="/v1",
            schemes=["http", "https"],
            definitions={"Pet": {"type": "object", "properties": {"id": {"type": "integer"}}}},
            securityDefinitions={"key": {"type": "apiKey", "in": "query", "name": "key"}, "login": {"type": "basic"}},
        )
    )
    one = only(api)
    assert api.dialect == "Swagger 2.0"
    assert [base.url for base in api.bases] == ["https://api.example.org/v1", "http://api.example.org/v1"]
    assert [(scheme.kind, scheme.place) for scheme in api.schemes] == [("api_key", "query"), ("basic", "")]
    assert one.input_schema["required"] == ["id", "name"] and one.body is not None and one.body.kind == "form"
    assert [argument.style for argument in one.arguments if argument.arg == "tags"] == ["pipeDelimited"]
    assert one.output_schema == {"type": "object", "properties": {"id": {"type": "integer"}}}


def test_credentials_are_no_arguments() -> None:
    parameters = [
        {"name": "key", "in": "query", "required": True, "schema": {"type": "string"}},
        {"name": "q", "in": "query", "schema": {}},
    ]
    schemes = {
        "k": {"type": "apiKey", "in": "query", "name": "key"},
        "b": {"type": "http", "scheme": "Bearer"},
        "m": {"type": "mutualTLS"},
    }
    api = api_of(document({"/x": {"get": {"parameters": parameters}}}, components={"securitySchemes": schemes}))
    assert [argument.arg for argument in only(api).arguments] == ["q"]
    assert [scheme.kind for scheme in api.schemes] == ["api_key", "bearer", "other"]


def test_a_remote_reference_is_left_out_and_told() -> None:
    api = api_of(
        document(
            {
                "/inner": {"post": {"requestBody": body({"$ref": "#/components/schemas/Bad"})}},
                "/parameter": {"get": {"parameters": [{"$ref": "other.yaml#/p"}]}},
                "/path": {"$ref": "https://example.org/paths.json"},
                "/answer": {"get": {"responses": {"200": {"$ref": "https://example.org/r.json"}}}},
                "/missing": {"get": {"parameters": [{"$ref": "#/components/parameters/none"}]}},
            },
            components={"schemas": {"Bad": {"type": "object", "properties": {"x": {"$ref": "file:///etc/passwd"}}}}},
        )
    )
    assert only(api).path == "/answer" and only(api).output_schema is None
    assert reasons(api) == {
        "POST /inner": "openapi_remote_ref",
        "GET /parameter": "openapi_remote_ref",
        "/path": "openapi_remote_ref",
        "GET /missing": "openapi_missing_ref",
    }


def test_recursion_stays_a_reference() -> None:
    tree = {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}},
    }
    loop = {"$ref": "#/components/schemas/Loop"}
    api = api_of(
        document(
            {
                "/tree": {"post": {"requestBody": body({"$ref": "#/components/schemas/Tree"})}},
                "/loop": {"post": {"requestBody": body(loop)}},
            },
            components={"schemas": {"Tree": tree, "Loop": loop}},
        )
    )
    one = only(api)
    assert one.input_schema["$defs"]["Tree"]["properties"]["children"]["items"] == {"$ref": "#/$defs/Tree"}  # type: ignore[index, call-overload]
    assert problem(one.input_schema) is None
    assert reasons(api) == {"POST /loop": "openapi_missing_ref"}


@pytest.mark.wide
def test_two_thousand_operations_with_large_schemas_are_bounded() -> None:
    schemas = {
        f"S{i}": {
            "type": "object",
            "properties": {f"p{j}": {"$ref": f"#/components/schemas/S{(i * 7 + j) % 300}"} for j in range(20)},
        }
        for i in range(300)
    }
    paths = {
        f"/x{i}": {"post": {"requestBody": body({"$ref": f"#/components/schemas/S{i % 300}"})}}
        for i in range(MOST_OPERATIONS + 50)
    }
    api = api_of(document(paths, components={"schemas": schemas}))
    assert len(api.operations) == MOST_OPERATIONS
    assert set(reasons(api).values()) == {"openapi_too_many"} and len(api.left_out) == 50
    assert max(len(json.dumps(item.input_schema)) for item in api.operations) < 150_000
    assert problem(api.operations[0].input_schema) is None


@pytest.mark.parametrize("path", ["/../admin", "/a/%2e%2e/b", "/a?x={y}", "a", "/a#b", "/a\\b", "/a b"])
def test_a_path_that_leads_elsewhere_is_left_out(path: str) -> None:
    assert list(reasons(api_of(document({path: {"get": {}}}))).values()) == ["openapi_path"]


def test_an_operation_with_a_server_of_its_own_is_left_out() -> None:
    api = api_of(document({"/x": {"get": {"servers": [{"url": "https://evil.example"}]}}}))
    assert reasons(api) == {"GET /x": "openapi_servers"}


def test_addresses_are_resolved_and_another_host_is_told() -> None:
    servers = [
        {"url": "/v2"},
        {"url": "https://{region}.example.net/api", "variables": {"region": {"default": "eu"}}},
        {"url": "ftp://example.org"},
    ]
    api = api_of(document({"/x": {"get": {}}}, servers=servers), "https://docs.example.org/openapi.json")
    assert [(base.url, base.foreign) for base in api.bases] == [
        ("https://docs.example.org/v2", False),
        ("https://eu.example.net/api", True),
    ]
    assert [base.url for base in api_of(document({"/x": {"get": {}}}), "http://a.example/spec").bases] == [
        "http://a.example"
    ]
    assert api_of(document({"/x": {"get": {}}})).bases == ()


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], "must be an object"),
        ({}, "neither"),
        ({"openapi": "4.0"}, "is of version 4.0"),
        ({"swagger": "1.2"}, "is of version 1.2"),
        ({"openapi": "3.1.0", "paths": []}, "describes no operations"),
    ],
)
def test_what_is_no_document_is_refused(value: Any, why: str) -> None:
    with pytest.raises(ValidationFailed) as error:
        api_of(value)
    assert why in error.value.fields["document"][0]


def test_rubbish_within_a_document_is_passed_over() -> None:
    paths: dict[str, Any] = {
        "/x": {"get": {"parameters": [1, {"name": 2}, {"name": "a", "in": "nowhere"}], "responses": [], "summary": 3}},
        "/y": {
            "post": {
                "requestBody": {
                    "content": {"application/json": {"schema": {"type": "wrong", "required": True, "items": []}}}
                }
            }
        },
        "/z": 7,
    }
    api = api_of(document(paths, servers=[1, {"url": 2}], components={"securitySchemes": {"a": 1}}))
    assert [item.path for item in api.operations] == ["/x", "/y"]
    assert all(problem(item.input_schema) is None for item in api.operations)
