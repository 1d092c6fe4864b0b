"""What a webhook's caller is answered: the run at once, its outputs, or what expressions over them give.

An answer comes from our own address, so it sets only harmless headers, and a browser runs nothing of it.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings

from backend.engine.language.expressions import compile_value
from backend.errors import PatchbayError, TemplateError
from backend.json_types import JsonObject, JsonValue
from backend.runs.live.run_waiters import Answer
from backend.runs.log.encoding import decode, encode
from backend.runs.log.rows import read_blobs, worded
from backend.runs.models import TERMINAL, Run, RunState
from backend.runs.waits import waits_for_person
from backend.triggers.expressions import text_of
from backend.triggers.kinds.webhook import settable
from backend.web.fields import HEADER_VALUE

HARMLESS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "Cache-Control": "no-store",
}


def url_of(run: str) -> str:
    """The page of a run, for members."""
    return f"{settings.PUBLIC_URL}/runs/{run}"


def accepted(run: Run) -> JsonObject:
    """The run as its caller is told of it."""
    return {"run": run.pk, "state": str(run.state), "url": url_of(run.pk)}


def waits(config: JsonObject) -> float:
    """Seconds that the caller wants to wait; 0 = it is answered at once."""
    answer: Any = config["answer"]
    return 0.0 if answer["mode"] == "accepted" else float(answer["wait_s"])


def answer_of(run: Run, config: JsonObject, language: str, over: bool) -> Answer | None:
    """The answer once the run ended, asks a person, or the time is `over`; None while it goes on."""
    if run.state not in TERMINAL:
        asks = run.state == RunState.WAITING and waits_for_person(run)
        return (202, _json(accepted(run)), HARMLESS) if over or asks else None
    if run.state != RunState.SUCCESS:
        return 500, _json({**accepted(run), **_error(run, language)}), HARMLESS
    answer: Any = config["answer"]
    outputs = outputs_of(run)
    if answer["mode"] != "custom":
        return 200, _json(outputs), HARMLESS
    try:
        return _custom(answer, {"outputs": outputs, "run": accepted(run)})
    except PatchbayError as error:
        message, hint = error.text(language)
        return 500, _json({**accepted(run), "code": error.code, "message": message, "hint": hint}), HARMLESS


def outputs_of(run: Run) -> JsonValue:
    """The run's outputs, in full."""
    stored: Any = decode(run.outputs)
    cut = "outputs" in (decode(run.refs) or [])
    outputs: JsonValue = read_blobs([stored["$ref"]])[stored["$ref"]] if cut else stored
    return outputs


def _error(run: Run, language: str) -> JsonObject:
    error: Any = decode(run.error) or {"code": "CANCELLED"}
    full = worded(error, language)
    return {"code": full.get("code", "INTERNAL"), "message": full["message"], "hint": full["hint"]}


def _custom(answer: Any, scope: JsonObject) -> Answer:
    """What the expressions give. Raises TemplateError."""
    status = compile_value(answer["status"]).render(scope)
    if isinstance(status, str) and status.isascii() and status.isdecimal():
        status = int(status)
    if isinstance(status, bool) or not isinstance(status, int) or not 200 <= status <= 599:
        raise TemplateError(params={"expression": str(answer["status"])})
    headers = dict(HARMLESS)
    for name, value in answer["headers"].items():
        text = text_of(compile_value(value).render(scope))
        if not HEADER_VALUE.fullmatch(text) or not settable(name):
            raise TemplateError(params={"expression": str(value)})
        headers[_title(name)] = text
    body = compile_value(answer["body"]).render(scope)
    if isinstance(body, str):
        headers.setdefault("Content-Type", "text/plain; charset=utf-8")
        return status, body.encode("utf-8", "replace"), headers
    return status, b"" if body is None else _json(body), headers


def _title(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-"))


def _json(value: JsonValue) -> bytes:
    return encode(value).encode()
