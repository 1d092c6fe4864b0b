"""Arguments as requests: where each goes, and that none leads elsewhere."""

from __future__ import annotations

import json
from typing import Any

import pytest

from backend.errors import McpInvalidParams, ResultTooLarge
from backend.tools.http.reading import Answer
from backend.tools.openapi.answers import result_of
from backend.tools.openapi.model import Operation
from backend.tools.openapi.reading import api_of
from backend.tools.openapi.requests import Credentials, Request, plain_request, request_of

BASE = "https://api.example.org/v1"
NONE = Credentials()


def operation(path: str, method: str, parameters: list[dict[str, Any]] | None = None, **more: Any) -> Operation:
    paths: dict[str, Any] = {path: {method: {"parameters": parameters or [], **more}}}
    document: dict[str, Any] = {"openapi": "3.1.0", "info": {}, "paths": paths}
    return api_of(document).operations[0]


def parameter(name: str, place: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "in": place, "schema": {}, **more}


def body(mime: str, schema: Any) -> dict[str, Any]:
    return {"required": True, "content": {mime: {"schema": schema}}}


def sent(one: Operation, arguments: dict[str, Any], credentials: Credentials = NONE, base: str = BASE) -> Request:
    return request_of(one, arguments, base, credentials, "key-1")


def test_each_argument_goes_to_its_place() -> None:
    one = operation(
        "/pets/{id}",
        "put",
        [parameter("id", "path"), parameter("q", "query"), parameter("X-Trace", "header"), parameter("lang", "cookie")],
        requestBody=body("application/json", {"type": "object", "properties": {"name": {"type": "string"}}}),
    )
    request = sent(one, {"id": "a/b c", "q": "x&y=1", "X-Trace": "t", "lang": "de;at", "name": "Ä"})
    assert request.url == f"{BASE}/pets/a%2Fb%20c?q=x%26y%3D1"
    assert request.headers["X-Trace"] == "t" and request.headers["Cookie"] == "lang=de%3Bat"
    assert request.headers["Idempotency-Key"] == "key-1" and request.headers["Content-Type"] == "application/json"
    assert request.content is not None and json.loads(request.content) == {"name": "Ä"}


def test_a_read_has_neither_body_nor_key() -> None:
    request = sent(operation("/x", "get"), {})
    assert request.content is None and "Idempotency-Key" not in request.headers


@pytest.mark.parametrize(
    "value", ["..", ".", "../admin", "a/../../b", "..\\x", "%2e%2e", "%252e%252e/x", "..%2Fx", "", "a/./b"]
)
def test_a_path_that_climbs_is_refused(value: str) -> None:
    one = operation("/pets/{id}/toys", "get", [parameter("id", "path")])
    with pytest.raises(McpInvalidParams) as error:
        sent(one, {"id": value})
    assert list(error.value.fields) == ["arguments.id"]


def test_a_path_never_becomes_another_host_or_query() -> None:
    one = operation("/{id}", "get", [parameter("id", "path")])
    for value in ("//evil.example", "@evil.example", "x?admin=1", "x#y", "https://evil.example/"):
        assert sent(one, {"id": value}).url.startswith(f"{BASE}/") and "?" not in sent(one, {"id": value}).url


@pytest.mark.parametrize("value", ["a\r\nX-Admin: 1", "a\nb", "a\x00", "ä", "a\x7f"])
def test_a_header_has_no_line_breaks(value: str) -> None:
    one = operation("/x", "get", [parameter("X-Trace", "header")])
    with pytest.raises(McpInvalidParams) as error:
        sent(one, {"X-Trace": value})
    assert list(error.value.fields) == ["arguments.X-Trace"]


def test_credentials_are_laid_over_everything() -> None:
    one = operation(
        "/x", "get", [parameter("x-api-key", "header"), parameter("key", "query"), parameter("sid", "cookie")]
    )
    credentials = Credentials({"X-API-Key": "ours", "Cookie": "sid=ours"}, {"key": "o&urs"})
    request = sent(one, {"x-api-key": "theirs", "key": "theirs", "sid": "theirs"}, credentials)
    assert [value for name, value in request.headers.items() if name.lower() == "x-api-key"] == ["ours"]
    assert request.url == f"{BASE}/x?key=o%26urs" and request.headers["Cookie"] == "sid=ours"
    assert plain_request(BASE, credentials).url == f"{BASE}?key=o%26urs"


def test_lists_and_objects_are_written_as_the_document_says() -> None:
    one = operation(
        "/x",
        "get",
        [
            parameter("many", "query"),
            parameter("joined", "query", explode=False),
            parameter("piped", "query", style="pipeDelimited", explode=False),
            parameter("deep", "query", style="deepObject"),
            parameter("json", "query", content={"application/json": {"schema": {}}}),
        ],
    )
    payload = {"many": [1, True], "joined": ["a", "b"], "piped": ["a", "b"], "deep": {"k": "v"}, "json": {"a": [1]}}
    assert sent(one, payload).url == (
        f"{BASE}/x?many=1&many=true&joined=a%2Cb&piped=a%7Cb&deep%5Bk%5D=v&json=%7B%22a%22%3A%20%5B1%5D%7D"
    )


def test_bodies_of_other_kinds() -> None:
    fields = {"type": "object", "properties": {"a": {"type": "string"}, "f": {"type": "string", "format": "binary"}}}
    form = sent(
        operation("/x", "post", requestBody=body("application/x-www-form-urlencoded", fields)), {"a": ["1", "2"]}
    )
    assert form.content == b"a=1&a=2"
    parts = sent(operation("/x", "post", requestBody=body("multipart/form-data", fields)), {"a": "1", "f": "aGk="})
    assert parts.parts == [("a", (None, b"1", None)), ("f", ("f", b"hi", "application/octet-stream"))]
    text = sent(operation("/x", "post", requestBody=body("text/plain", {})), {"body": "hi"})
    assert text.content == b"hi" and text.headers["Content-Type"] == "text/plain"
    raw = operation("/x", "post", requestBody=body("image/png", {}))
    assert sent(raw, {"body": "aGk="}).content == b"hi"
    with pytest.raises(McpInvalidParams):
        sent(raw, {"body": "no base64!"})
    empty = operation("/x", "post", requestBody=body("application/json", {"type": "object", "properties": {"a": {}}}))
    assert sent(empty, {}).content == b"{}"


def answer(
    status: int = 200, text: str | None = "", data: bytes = b"", mime: str = "text/plain", **more: Any
) -> Answer:
    return Answer(status, more.pop("headers", {}), data, text, "body" in more, more.get("body"), mime, "name.bin")


def test_json_is_structured_text_is_text_and_bytes_are_a_file() -> None:
    structured = result_of(answer(text='{"a":1}', body={"a": 1}, mime="application/json"), None, 1000, 1)
    assert structured.structured == {"a": 1} and structured.text == '{"a":1}'
    assert result_of(answer(text="hi"), None, 1000, 1).text == "hi"
    assert result_of(answer(204), None, 1000, 1).text == "HTTP 204 No Content"
    (picture,) = result_of(answer(text=None, data=b"x", mime="image/png"), None, 1000, 1).content
    (file,) = result_of(answer(text=None, data=b"x", mime="application/pdf"), None, 1000, 1).content
    assert picture == {"type": "image", "data": "eA==", "mimeType": "image/png"}
    assert file["resource"] == {"uri": "file:///name.bin", "mimeType": "application/pdf", "blob": "eA=="}
    with pytest.raises(ResultTooLarge):
        result_of(answer(text="x" * 2000), None, 1000, 1)


def test_a_status_from_300_on_is_an_error_that_keeps_what_it_says() -> None:
    error = result_of(answer(429, text='{"why":"slow"}', body={"why": "slow"}), 30.0, 1000, 1)
    assert error.is_error and error.structured == {"status": 429, "body": {"why": "slow"}, "retry_after": 30.0}
    assert error.text == 'HTTP 429 Too Many Requests\nRetry after 30 s.\n{"why":"slow"}'
    assert result_of(answer(302, headers={"location": "https://x"}), None, 1000, 1).structured == {
        "status": 302,
        "body": "",
        "location": "https://x",
    }
