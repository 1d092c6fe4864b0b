"""A webhook's request becomes a run: proof, limits, body, inputs; then run and delivery in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from backend.accounts.actor import Actor
from backend.accounts.auth.rate_limits import RATES
from backend.database.clock import CLOCK
from backend.errors import (
    NotFound,
    PatchbayError,
    RateLimited,
    SecretMissing,
    StorageFull,
    StorageReadOnly,
    UnsupportedBody,
    ValidationFailed,
)
from backend.files.services import file_create, files_known
from backend.json_types import JsonObject, JsonValue
from backend.runs.log.encoding import decode
from backend.runs.models import Run
from backend.runs.queue.inbox import durable_transaction
from backend.secrets.models import Secret
from backend.secrets.names import is_secret_name
from backend.triggers.expressions import CREDENTIALS
from backend.triggers.kinds.webhook import secret_of
from backend.triggers.models import Delivery, Trigger
from backend.triggers.selectors import Called, queued_runs
from backend.triggers.starting import Named, Occasion, earlier, inputs_of, note, start
from backend.triggers.switching import still, switch_off_if_failing
from backend.triggers.webhook import verifying
from backend.triggers.webhook.keys import key_by_body, key_by_header
from backend.triggers.webhook.request_body import Body, Part, read_body
from backend.workflows.selectors import runnable_graph

TRIES = 10
"""Times the limit of deliveries at which calls are refused before their proof is looked at."""
QUEUE_RETRY_S = 30
_NO_FAULT = (RateLimited, StorageFull, StorageReadOnly)
"""What is over by itself: nothing is stored, and the caller tries again."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request as it came. `headers` by lower-case names, without none."""

    method: str
    query: dict[str, JsonValue]
    headers: dict[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        """As the caller says."""
        return self.headers.get("content-type", "")


def deliver(called: Called, call: Call, status: int, run_id: str | None = None) -> tuple[Run, bool]:
    """(run, whether it is new). `status` = what the caller is answered where it is not waited for.

    Raises SignatureInvalid, SecretMissing, RateLimited: nothing is stored then. NotFound: the trigger went off. Else
    what is wrong with the body or the inputs, or with the workflow, and that is kept.
    """
    trigger, limit = called.trigger, settings.PATCHBAY.hook_per_min
    RATES.take("hook", f"{trigger.pk}:tries", limit * TRIES)
    config: JsonObject = decode(trigger.config)
    _prove(trigger, config, call)
    RATES.take("hook", trigger.pk, limit)
    _require_room(trigger)
    actor = still(trigger, called.member)
    if actor is None or switch_off_if_failing(trigger):
        raise NotFound
    request: JsonObject = {
        "method": call.method,
        "query": call.query,
        "headers": kept_headers(call.headers, config),
        "body": None,
        "files": {},
    }
    try:
        with durable_transaction():
            return _start(trigger, actor, config, call, request, status, run_id)
    except _NO_FAULT:
        raise
    except PatchbayError as error:
        by_caller = isinstance(error, ValidationFailed | UnsupportedBody)
        outcome = Delivery.Outcome.REFUSED if by_caller else Delivery.Outcome.FAILED
        note(trigger, Occasion({**request, "files": {}}), outcome, status=error.status, error=error)
        raise


def _prove(trigger: Trigger, config: JsonObject, call: Call) -> None:
    verify: Any = config["verify"]
    name = secret_of(config)
    secret = ""
    if name is not None:
        row = Secret.objects.filter(team=trigger.team_id, name=name).first()
        if row is None:
            raise SecretMissing(params={"name": name, "host": "webhook"})
        secret = str(row.value)
    verifying.verify(verify, secret, call.headers, call.body, CLOCK.now())


def _require_room(trigger: Trigger) -> None:
    most = settings.PATCHBAY.hook_queue
    if 0 < most <= queued_runs(trigger, most):
        raise RateLimited(params={"reason": "hook_queue", "limit": most, "retry_after": QUEUE_RETRY_S})


def _start(
    trigger: Trigger,
    actor: Actor,
    config: JsonObject,
    call: Call,
    request: JsonObject,
    status: int,
    run_id: str | None,
) -> tuple[Run, bool]:
    key = key_by_header(config, call.headers)
    if key and (run := earlier(trigger, Occasion(request, key=key), status)) is not None:
        return run, False  # whatever its body
    body = read_body(call.body, call.content_type)
    request["body"] = body.value
    key = key or key_by_body(config, request)
    if key and (run := earlier(trigger, Occasion(request, key=key), status)) is not None:
        return run, False
    request["files"] = _files(actor, body.files)
    document = runnable_graph(actor, trigger.workflow, None)
    inputs = inputs_of(trigger, document, "request", request, named_of(request, body))
    occasion = Occasion(request, key=key)
    return start(trigger, actor, inputs, occasion, status=status, run_id=run_id, document=document)


def _files(actor: Actor, parts: list[Part]) -> JsonObject:
    """The parts as files of the team: {field: file, or list of files}."""
    by_field: dict[str, list[JsonValue]] = {}
    for part in parts:
        row = file_create(actor, part.name, part.mime, part.data)
        value: JsonObject = files_known(actor.team.pk, {row.pk})[row.pk]
        by_field.setdefault(part.field, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in by_field.items()}


def named_of(request: JsonObject, body: Body | None = None) -> list[Named]:
    """Where inputs are looked for by name: files, the body, the query."""
    value, files, query = request.get("body"), request.get("files"), request.get("query")
    texts = body.form if body is not None else _is_form(request)
    return [
        Named(files if isinstance(files, dict) else {}),
        Named(value if isinstance(value, dict) else {}, texts=texts),
        Named(query if isinstance(query, dict) else {}, texts=True),
    ]


def _is_form(request: JsonObject) -> bool:
    headers = request.get("headers")
    kind = str(headers.get("content-type", "")) if isinstance(headers, dict) else ""
    return "form" in kind.lower()


def kept_headers(headers: Mapping[str, str], config: JsonObject) -> JsonObject:
    """The headers that expressions see and that are kept: none that carries a credential or proves the caller."""
    verify = config["verify"]
    proofs = {str(verify.get("header", "")).lower()} if isinstance(verify, dict) else set()
    proofs |= CREDENTIALS | {"stripe-signature", "x-hub-signature", "x-hub-signature-256"}
    return {
        name: value
        for name, value in headers.items()
        if name not in proofs and (not is_secret_name(name) or name == "idempotency-key")
    }
