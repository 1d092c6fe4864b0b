"""Webhook: another program calls an address. What its configuration may hold.

`verify` = how the caller proves itself: not at all, by a header, or by an HMAC-SHA256 as GitHub, Stripe or a free form
make it; the shared secret is one of the team's, by name. `inputs` null = by the start node's schema from body and
query; else values with expressions over `request`. `key` null = the usual headers; else an expression. `answer` =
at once, the outputs, or what expressions over `outputs` and `run` give.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from rest_framework import serializers

from backend.accounts.described import Help
from backend.json_types import JsonObject, JsonValue
from backend.triggers.kinds.fields import Expressed, Values, read_config
from backend.web.fields import HEADER_NAME

ROOTS = ("request",)
ANSWER_ROOTS = ("outputs", "run")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
LONGEST_WAIT_S = 60
TOLERANCE_S = 300
SECRET_NAME = r"^[a-z][a-z0-9_]{0,62}$"  # noqa: S105 - a pattern of names
ANSWER_HEADERS = frozenset(
    {"content-type", "content-language", "cache-control", "retry-after", "location", "etag", "last-modified", "link"}
)
"""Headers that an answer may set, beside those that begin with `x-`: none says anything of our origin."""
OURS = frozenset({"x-frame-options", "x-content-type-options", "x-accel-redirect", "x-sendfile", "x-request-id"})


class VerifyJson(TypedDict, total=False):
    """How a caller proves itself. `secret` names one of the team's secrets."""

    kind: Literal["none", "header", "github", "stripe", "hmac"]
    secret: str
    header: str
    prefix: Annotated[str, Help("Before the signature in its header, such as `sha256=`.")]
    encoding: Literal["hex", "base64"]
    payload: Annotated[str, Help("What is signed: a text with `{body}` and perhaps `{timestamp}`.")]
    timestamp_header: str
    tolerance_s: Annotated[int, Help("How old a timestamp may be.")]


class AnswerConfigJson(TypedDict, total=False):
    """What the caller is answered."""

    mode: Literal["accepted", "outputs", "custom"]
    wait_s: Annotated[int, Help("Seconds to wait for the run, at most 60.")]
    status: Annotated[int | str, Help("A status, or an expression.")]
    headers: dict[str, str]
    body: Annotated[Any, Help("Any JSON with expressions; a text is sent as it is.")]


class WebhookConfigJson(TypedDict):
    """Configuration of a webhook."""

    methods: list[str]
    verify: VerifyJson
    inputs: Annotated[dict[str, Any] | None, Help("null = by the start node's schema, from body and query.")]
    key: Annotated[str | None, Help("Expression of the idempotency key; null = by the usual headers.")]
    answer: AnswerConfigJson


class _Verify(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(choices=["none", "header", "github", "stripe", "hmac"])
    secret = serializers.RegexField(SECRET_NAME, required=False)
    header = serializers.RegexField(HEADER_NAME, required=False, max_length=100)
    prefix = serializers.CharField(required=False, allow_blank=True, max_length=50, trim_whitespace=False)
    encoding = serializers.ChoiceField(choices=["hex", "base64"], required=False)
    payload = serializers.CharField(required=False, max_length=200, trim_whitespace=False)
    timestamp_header = serializers.RegexField(HEADER_NAME, required=False, max_length=100)
    tolerance_s = serializers.IntegerField(required=False, min_value=1, max_value=86_400)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """What each kind needs."""
        kind = attrs["kind"]
        if kind == "none":
            return {"kind": "none"}
        need = {"header": ("secret", "header"), "hmac": ("secret", "header")}.get(kind, ("secret",))
        missing = {name: ["is required"] for name in need if not attrs.get(name)}
        if missing:
            raise serializers.ValidationError(missing)
        if kind != "hmac":
            return {name: attrs[name] for name in ("kind", *need)}
        filled = {"prefix": "", "encoding": "hex", "payload": "{body}", "tolerance_s": TOLERANCE_S, **attrs}
        if "{body}" not in filled["payload"]:
            raise serializers.ValidationError({"payload": ["must contain {body}"]})
        if "{timestamp}" in filled["payload"] and not attrs.get("timestamp_header"):
            raise serializers.ValidationError({"timestamp_header": ["is required"]})
        return filled


class _Answer(serializers.Serializer[Any]):
    mode = serializers.ChoiceField(choices=["accepted", "outputs", "custom"], default="accepted")
    wait_s = serializers.IntegerField(default=30, min_value=1, max_value=LONGEST_WAIT_S)
    status = Expressed(ANSWER_ROOTS, default=200)
    headers = Values(ANSWER_ROOTS, default=dict)
    body = Expressed(ANSWER_ROOTS, default=None, allow_null=True)

    def validate_status(self, value: Any) -> Any:
        """A status that an answer may have, or an expression."""
        if isinstance(value, str) and "{{" in value:
            return value
        if isinstance(value, bool) or not isinstance(value, int) or not 200 <= value <= 599:
            raise serializers.ValidationError("must be a status from 200 to 599, or an expression")
        return value

    def validate_headers(self, value: dict[str, Any]) -> dict[str, str]:
        """Names that an answer may set, and texts."""
        wrong = {name: ["may not be set"] for name in value if not settable(name)}
        wrong |= {name: ["must be a text"] for name, text in value.items() if not isinstance(text, str)}
        if wrong:
            raise serializers.ValidationError(wrong)
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Only what its mode needs."""
        if attrs["mode"] == "accepted":
            return {"mode": "accepted"}
        names = ("mode", "wait_s") if attrs["mode"] == "outputs" else tuple(attrs)
        return {name: attrs[name] for name in names}


class WebhookConfig(serializers.Serializer[Any]):
    """The configuration of a webhook."""

    methods = serializers.ListField(child=serializers.ChoiceField(choices=METHODS), default=["POST"], min_length=1)
    verify = _Verify(default={"kind": "none"})
    inputs = Values(ROOTS, default=None, allow_null=True)
    key = serializers.CharField(default=None, allow_null=True, max_length=2000)
    answer = _Answer(default={"mode": "accepted"})

    def validate_methods(self, value: list[str]) -> list[str]:
        """Each once, in our order."""
        return [method for method in METHODS if method in value]

    def validate_key(self, value: str | None) -> str | None:
        """An expression."""
        if value is not None:
            Expressed(ROOTS).run_validation(value)
        return value


def settable(name: str) -> bool:
    """Whether an answer may have a header of this name."""
    lower = name.lower()
    if not HEADER_NAME.fullmatch(name) or lower in OURS:
        return False
    return lower in ANSWER_HEADERS or lower.startswith("x-")


def read(config: JsonObject) -> JsonObject:
    """The configuration with its defaults. Raises ValidationFailed (`config.…`)."""
    return read_config(WebhookConfig, config)


def secret_of(config: JsonObject) -> str | None:
    """The team's secret that it names."""
    verify = config["verify"]
    name = verify.get("secret") if isinstance(verify, dict) else None
    return name if isinstance(name, str) else None


def sample() -> JsonValue:
    """What a test is given where nothing was delivered: an empty request."""
    return {"method": "POST", "query": {}, "headers": {}, "body": None, "files": {}}
