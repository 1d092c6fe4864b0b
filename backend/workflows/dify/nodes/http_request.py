"""HTTP request: our http node; keys become secrets, their values are not kept."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote, unquote_plus, urlsplit

from backend.engine.document.types import Text
from backend.secrets.names import REFERENCE, is_secret_name
from backend.workflows.dify.context import Context
from backend.workflows.dify.mapping import Mapped, Mapping, Path, Raw, Ref, one_step
from backend.workflows.dify.names import name_of
from backend.workflows.dify.reading import DifyNode, dict_in, dicts_in, number_in, selector_of, text_in

_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_ANSWERED = [status.value for status in HTTPStatus if status >= 400]
"""Statuses that are no error where the app does not say what follows one."""
_OUTPUTS = {"status_code": "status", "body": "text", "headers": "headers"}
_QUOTED = re.compile(r'(?<!\\)"\{\{#([^#{}"]+)#\}\}"')
_WORDS = ("0", "", '"": 0')
"""What may stand for a bare reference when a body is looked at."""
_BARE = re.compile(r'"(?:[^"\\]|\\.)*"|(\{\{#[^#{}]+#\}\})', re.DOTALL)


def _pairs(value: Any) -> list[tuple[str, str]]:
    """`name:value` lines, or a list of `{key, value}`."""
    if isinstance(value, str):
        rows = [line.partition(":") for line in value.splitlines() if line.strip()]
        return [(name.strip(), rest.strip()) for name, _, rest in rows if name.strip()]
    if isinstance(value, list):
        return [(text_in(item, "key"), text_in(item, "value")) for item in value if text_in(item, "key")]
    if isinstance(value, dict):
        return [(str(name), str(text)) for name, text in value.items()]
    return []


class _Request:
    """One request, with what it keeps secret."""

    def __init__(self, node: DifyNode, ctx: Context) -> None:
        self._ctx, self._line = ctx, ctx.lines[node.id]
        self._data = node.data
        self._url = text_in(node.data, "url").strip()
        self._secrets = 0
        try:
            host = urlsplit(self._url).hostname or node.title
        except ValueError:
            host = node.title
        self._name = name_of(host, "api")

    def _secret(self, name: str) -> str:
        self._secrets += 1
        return self._ctx.secret(f"{self._name}_{name}")

    def _hidden(self, name: str, value: str) -> str:
        """A value under a name that says it is a key: by the name of a secret, unless a reference gives it."""
        named = self._ctx.with_secrets(value)
        if named != value or not value or "{{#" in value or not is_secret_name(name):
            self._secrets += named != value
            return named
        scheme, blank, rest = value.partition(" ")
        if blank and rest and scheme.lower() in ("bearer", "basic", "token"):
            return f"{scheme} {self._secret(name)}"
        return self._secret(name)

    def address(self) -> tuple[str, dict[str, str]]:
        """The address without its query, and what stands behind the question mark."""
        self._ctx.host(self._url)
        url, mark, behind = self._url.partition("?")
        pairs = [part.partition("=") for part in behind.partition("#")[0].split("&") if part] if mark else []
        if any("{{#" in name or ("{{#" in unquote(value)) != ("{{#" in value) for name, _, value in pairs):
            return self._url, self._query([])
        return url, self._query([(unquote_plus(name), unquote_plus(value)) for name, _, value in pairs])

    def _query(self, before: list[tuple[str, str]]) -> dict[str, str]:
        return {name: self._hidden(name, value) for name, value in [*before, *_pairs(self._data.get("params"))]}

    def headers(self) -> dict[str, str]:
        """The headers; a Basic key stands among them, for it is name and password in one."""
        headers = {name: self._hidden(name, value) for name, value in _pairs(self._data.get("headers"))}
        kind, header, key = self._authorization()
        if kind == "basic":
            headers[header or "Authorization"] = f"Basic {self._hidden('key', key)}"
            self._line.note("the secret is name:password in base64", "该密钥为 base64 编码的“用户名:密码”")
        elif kind and "{{#" in self._ctx.with_secrets(key):
            headers[header or "Authorization"] = key if kind == "custom" else f"Bearer {key}"
        return headers

    def _authorization(self) -> tuple[str, str, str]:
        """(kind, header, key); no kind where there is none."""
        authorization = dict_in(self._data, "authorization")
        config = dict_in(authorization, "config")
        if text_in(authorization, "type") != "api-key":
            return "", "", ""
        return text_in(config, "type") or "bearer", text_in(config, "header").strip(), text_in(config, "api_key")

    def auth(self) -> dict[str, str] | None:
        """How it signs in, by the name of a secret."""
        kind, header, key = self._authorization()
        named = self._ctx.with_secrets(key)
        if kind not in ("bearer", "custom") or "{{#" in named:
            return None
        secret_ref = named if named != key else self._ctx.secret(f"{self._name}_key")
        match = REFERENCE.search(secret_ref)
        self._secrets += 1
        secret = match[0][len("${secret:") : -1] if match else ""
        if kind == "custom":
            return {"kind": "header", "header": header[:100] or "Authorization", "secret": secret}
        return {"kind": "bearer", "secret": secret}

    def body(self) -> dict[str, Any]:
        """`body` and its kind."""
        body = dict_in(self._data, "body")
        kind, data = text_in(body, "type"), body.get("data")
        if kind in ("", "none"):
            return {}
        if kind == "json":
            text = _joined(data)
            return {"body_type": "json", "body": self._json(text)} if text.strip() else {}
        if kind in ("form-data", "x-www-form-urlencoded"):
            return {
                "body_type": "multipart" if kind == "form-data" else "form",
                "body": {name: value for name, value in self._fields(data) if name},
            }
        if kind == "binary":
            file = next((selector_of(item.get("file")) for item in dicts_in(body, "data")), ())
            return {"body_type": "file", "body": Ref(file)}
        return {"body_type": "text", "body": _joined(data)}

    def _json(self, text: str) -> Any:
        """What is sent as JSON: a value, or a text in which the bare references make the JSON, as in Dify."""
        text = _QUOTED.sub(self._as_text, text)
        if json_value(text) is None and not any(_is_json(_BARE.sub(_instead(word), text)) for word in _WORDS):
            self._line.note("its body is no JSON: correct it", "请求体不是 JSON，请修正")
        bare = [match[1] for match in _BARE.finditer(text) if match[1]]
        value = json_value(text)
        if value is not None and (not bare or value == bare[0]):
            return value
        return _QUOTED.sub(lambda match: f"{{{{#{match[1]}|tojson#}}}}", text)

    def _as_text(self, match: re.Match[str]) -> str:
        """A reference between quotes; a number there is a text."""
        number = self._ctx.is_number(tuple(part.strip() for part in match[1].split(".")))
        return f'"{{{{#{match[1]}|trim#}}}}"' if number else match[0]

    def _fields(self, data: Any) -> list[tuple[str, Any]]:
        if not isinstance(data, list):
            return list(_pairs(data))
        return [
            (text_in(item, "key"), Ref(selector_of(item.get("file"))) if text_in(item, "type") == "file" else value)
            for item in data
            if isinstance(item, dict)
            for value in [text_in(item, "value")]
        ]

    @property
    def keeps_secret(self) -> bool:
        """Whether something of it became a secret."""
        return self._secrets > 0


def _joined(data: Any) -> str:
    """The text of a body: as it is, or the values of its rows."""
    if isinstance(data, list):
        return "\n".join(text_in(item, "value") for item in data if isinstance(item, dict))
    if isinstance(data, dict):
        return json.dumps(data, ensure_ascii=False)
    return data if isinstance(data, str) else ""


def _instead(word: str) -> Callable[[re.Match[str]], str]:
    return lambda match: word if match[1] else match[0]


def _is_json(text: str) -> bool:
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def json_value(text: str) -> Any:
    """A JSON text in which references stand as values of a config; None where it is none."""
    bare: list[str] = []

    def kept(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        bare.append(match[1])
        return json.dumps(match[1])

    try:
        return json.loads(_BARE.sub(kept, text), strict=False)
    except (ValueError, RecursionError):
        return None


def _may_fail(node: DifyNode) -> bool:
    """Whether a status from 400 on is a failure: in Dify only where the node tries again or has a way out of one."""
    retry = dict_in(node.data, "retry_config")
    again = retry.get("retry_enabled") is True or retry.get("enabled") is True
    return again or text_in(node.data, "error_strategy") in ("fail-branch", "default-value")


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The request."""
    line = ctx.lines[node.id]
    method = text_in(node.data, "method").upper() or "GET"
    if method not in _METHODS:
        line.note(f"{method[:20]} became GET", f"{method[:20]} 改为 GET")
        method = "GET"
    request = _Request(node, ctx)
    url, query = request.address()
    config: dict[str, Any] = {"method": method, "url": url, **request.body()}
    if headers := request.headers():
        config["headers"] = headers
    if query:
        config["query"] = query
    if auth := request.auth():
        config["auth"] = Raw(auth)
    if not _may_fail(node):
        config["accept_status"] = _ANSWERED
    seconds = sum(number_in(dict_in(node.data, "timeout"), part) for part in ("connect", "read", "write"))
    if seconds > 0:
        config["timeout_s"] = min(seconds, 600.0)
    if node.data.get("ssl_verify") is False:
        line.note("certificates are always checked", "始终校验证书")
    en, zh = ("key kept as a secret", "密钥另存为机密") if request.keeps_secret else ("no key", "无密钥")
    return one_step("http", config, Text(f"{method}, {en}", f"{method}，{zh}"))


def outputs(node: DifyNode, keys: tuple[str, ...], ctx: Context) -> Path | None:
    """Its outputs by our names; what is no text comes as one file."""
    if keys[0] == "files":
        return Path(("body", *keys[2:]))
    name = _OUTPUTS.get(keys[0])
    return Path((name, *keys[1:])) if name else None


HTTP_REQUEST = Mapping(convert, outputs)
