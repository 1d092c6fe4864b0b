"""HTTP node: sends a request and gives its answer: status, headers, and a body that was parsed or kept as a file.

How it is journaled goes by the method: GET, HEAD and OPTIONS read, PUT and DELETE may be repeated, POST and PATCH are
writes whose unknown outcome a person decides. A host that comes out of an expression is asked for like a gated tool.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, TypedDict

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from backend.engine.document.types import (
    AnyValue,
    NodeConfig,
    ObjectValue,
    Retry,
    Text,
    TextValue,
    node_type,
    words,
)
from backend.engine.document.validate import is_secret
from backend.engine.execution.context import NodeContext
from backend.errors import HttpError
from backend.nodes.expiring import Expiring, ExpiringValues
from backend.nodes.values import an_object, misfit
from backend.tools.http.terms import RequestTerms
from backend.tools.types import JsonObject, JsonValue, ToolResult

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]
BodyType = Literal["json", "form", "multipart", "text", "file"]
AuthKind = Literal["none", "bearer", "basic", "header"]

MOST_SECONDS = 600
SHOWN = 64 * 1024
"""Characters of a failed answer that its error shows."""
_SITE: Final = re.compile(r"https?://[^/?#\\{}\s@]+(?=[/?#]|$)", re.IGNORECASE)
"""Scheme and host of an address that names them without an expression."""


class AuthValues(TypedDict):
    """How it signs in."""

    kind: AuthKind
    secret: str
    user: JsonValue
    header: str


class HttpValues(ExpiringValues):
    """Its values when it runs."""

    method: Method
    url: JsonValue
    query: JsonValue
    headers: JsonValue
    auth: AuthValues
    body_type: BodyType
    body: JsonValue
    accept_status: list[int]
    timeout_s: float


class HttpOutputs(TypedDict):
    """What it gives."""

    status: int
    headers: JsonObject
    body: JsonValue
    text: str


class HttpAuth(NodeConfig):
    """How it signs in: with a secret of the team, by its name."""

    kind: AuthKind = Field(
        default="none",
        **words(
            "Kind",
            "方式",
            choices=[("None", "无"), ("Bearer token", "Bearer 令牌"), ("Basic", "Basic"), ("Header", "请求头")],
        ),
    )
    secret: Annotated[str, Field(pattern=r"^([a-z][a-z0-9_]{0,62})?$")] = Field(default="", **words("Secret", "密钥"))
    user: TextValue = Field(default="", **words("User", "用户名"))
    header: Annotated[str, Field(max_length=100)] = Field(default="X-API-Key", **words("Header", "请求头"))


def _complete(auth: HttpAuth) -> HttpAuth:
    if auth.kind != "none" and not auth.secret:
        raise PydanticCustomError("expected", "must be {expected}", {"expected": "the name of a secret"})
    return auth


def _plain_secrets(value: JsonValue) -> JsonValue:
    """Secrets stand in texts of their own: in a list none is looked for."""
    if isinstance(value, dict) and any(
        is_secret(item) for inner in value.values() if isinstance(inner, list) for item in inner
    ):
        raise PydanticCustomError("expected", "must be {expected}", {"expected": "text where it names a secret"})
    return value


Pairs = Annotated[ObjectValue, AfterValidator(_plain_secrets)]


class HttpConfig(Expiring):
    """What is sent where."""

    method: Method = Field(default="GET", **words("Method", "方法"))
    url: TextValue = Field(
        **words(
            "URL",
            "URL",
            help=Text(
                "A host that comes out of an expression is asked for, unless the team lists it.",
                "由表达式得出的主机须经人批准，除非团队已将其列入清单。",
            ),
        )
    )
    query: Pairs = Field(default_factory=dict, **words("Query", "查询参数"))
    headers: Pairs = Field(default_factory=dict, **words("Headers", "请求头"))
    auth: Annotated[HttpAuth, AfterValidator(_complete)] = Field(
        default_factory=HttpAuth, **words("Authentication", "身份验证")
    )
    body_type: BodyType = Field(
        default="json",
        **words(
            "Body type",
            "请求体类型",
            choices=[("JSON", "JSON"), ("Form", "表单"), ("Parts", "多部分"), ("Text", "文本"), ("File", "文件")],
        ),
    )
    body: AnyValue = Field(default=None, **words("Body", "请求体"))
    accept_status: list[Annotated[int, Field(ge=400, le=599)]] = Field(
        default_factory=list,
        **words(
            "Also accept",
            "同时接受",
            help=Text("Statuses from 400 on that are not an error.", "不视为错误的 400 及以上状态码。"),
        ),
    )
    timeout_s: Annotated[float, Field(gt=0, le=MOST_SECONDS)] = Field(
        default=30, **words("Timeout (s)", "超时（秒）", help=Text("For one request.", "单次请求的时限。"))
    )


@node_type(
    "http",
    group="data",
    title=Text("HTTP", "HTTP 请求"),
    description=Text("Sends an HTTP request and reads the answer.", "发送 HTTP 请求并读取应答。"),
    config=HttpConfig,
    effect="write",
    raw=frozenset({"auth.secret", "auth.header"}),
    secrets=frozenset({"headers", "query"}),
    written=frozenset({"url", "headers", "query"}),
    retry=Retry(max=3, codes=frozenset({"HTTP_UNREACHABLE", "HTTP_TIMEOUT"}), writes=False),
    output_schema={
        "type": "object",
        "properties": {
            "status": {"type": "integer", "title": "Status", "x-zh": {"title": "状态码"}},
            "headers": {"type": "object", "title": "Headers", "x-zh": {"title": "响应头"}},
            "body": {"title": "Body", "x-zh": {"title": "响应体"}},
            "text": {"type": "string", "title": "Text", "x-zh": {"title": "文本"}},
        },
        "additionalProperties": False,
    },
)
async def http(ctx: NodeContext[HttpValues]) -> HttpOutputs:
    """The answer. Raises HttpError where its status counts as one."""
    config = ctx.config
    if not isinstance(config["url"], str) or not config["url"].strip():
        raise misfit("url", "string", config["url"])
    arguments = _arguments(config)
    terms = _terms(ctx.as_written, config, arguments.get("auth"))
    result = await ctx.request("call", config["method"], arguments, terms)
    outputs = _outputs(result)
    if result.is_error:
        raise _failed(result, outputs)
    return outputs


def _arguments(config: HttpValues) -> JsonObject:
    """What is sent, without what is empty."""
    arguments: JsonObject = {"url": config["url"]}
    for name in ("query", "headers"):
        if values := an_object(name, config[name]):
            arguments[name] = values
    if (auth := _auth(config["auth"])) is not None:
        arguments["auth"] = auth
    if config["body"] is not None:
        arguments |= {"body_type": config["body_type"], "body": config["body"]}
    return arguments | {"timeout_s": config["timeout_s"]}


def _auth(auth: AuthValues) -> JsonObject | None:
    match auth["kind"]:
        case "none":
            return None
        case "basic":
            return {"kind": "basic", "user": auth["user"], "secret": auth["secret"]}
        case "header":
            return {"kind": "header", "header": auth["header"], "secret": auth["secret"]}
    return {"kind": auth["kind"], "secret": auth["secret"]}


def _terms(written: JsonObject, config: HttpValues, auth: Any) -> RequestTerms:
    """What the document itself says: its host, the texts in which it names secrets."""
    url = written.get("url")
    site = _SITE.match(url.strip()) if isinstance(url, str) else None
    secrets = {
        name: {key: text for key, text in values.items() if isinstance(text, str) and is_secret(text)}
        for name in ("headers", "query")
        if isinstance(values := written.get(name), dict)
    }
    title = f"{config['method']} {config['url']}"[:200]
    return RequestTerms(title, site.group() if site else "", secrets, auth, frozenset(config["accept_status"]))


def _outputs(result: ToolResult) -> HttpOutputs:
    """The outputs of an answer, or of what a person gave in its place."""
    answer = result.structured
    if isinstance(answer, dict) and isinstance(status := answer.get("status"), int):
        headers = answer.get("headers")
        body = answer.get("body", result.text)
        return {
            "status": status,
            "headers": headers if isinstance(headers, dict) else {},
            "body": body,
            "text": result.text,
        }
    return {"status": 200, "headers": {}, "body": result.text if answer is None else answer, "text": result.text}


def _failed(result: ToolResult, outputs: HttpOutputs) -> HttpError:
    params: dict[str, Any] = {"status": outputs["status"]}
    if isinstance(result.structured, dict) and (wait := result.structured.get("retry_after")) is not None:
        params["retry_after"] = wait
    detail = {"status": outputs["status"], "headers": outputs["headers"], "body": result.text[:SHOWN]}
    return HttpError(params=params, detail=detail)
