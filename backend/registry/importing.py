"""Import of pasted configurations: what a dialect gave becomes servers, each in its own right or skipped with a reason.

Secrets are recognised by the names of variables, headers and query keys, and stored encrypted. Connects to nothing.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction

from backend.accounts.actor import Actor
from backend.accounts.services import unique_slug
from backend.errors import PatchbayError, ValidationFailed, text_for
from backend.registry.configuration import masked_url
from backend.registry.dialects import Candidate, Unreadable, parse, read
from backend.registry.models import Server
from backend.registry.selectors import visible_servers
from backend.registry.serializers import ServerInputSerializer
from backend.registry.services import draft_server, server_create
from backend.registry.shapes import server_json

MOST = 200
"""Servers taken from one document."""


def import_servers(actor: Actor, body: Any, language: str) -> dict[str, Any]:
    """Create the servers of a pasted document: `{created, skipped, found, dialect}`; with `preview` only look.

    `body` = `{config, only?, preview?}` or the document itself. Raises ValidationFailed when it cannot be read.
    """
    actor.require("admin")
    config, only, preview = _options(body)
    try:
        reading = read(parse(config) if isinstance(config, str) else config)
    except Unreadable as error:
        raise ValidationFailed(fields={"config": [str(error)]}) from None
    skipped = [_skipped(name, reason, params, language) for name, reason, params in reading.skipped]
    created, found = [], []
    for candidate in reading.candidates[:MOST]:
        if only is not None and candidate.name not in only:
            continue
        try:
            server = _take(actor, candidate, preview)
        except PatchbayError as error:
            skipped.append({"name": candidate.name, "reason": _why(error, language)})
            continue
        if server is None:
            skipped.append(_skipped(candidate.name, "exists", {"name": candidate.name}, language))
        else:
            found.append(_found(server, candidate))
            if not preview:
                created.append(server_json(server, language))
    skipped += [_skipped(one.name, "too_many", {"limit": MOST}, language) for one in reading.candidates[MOST:]]
    return {"created": created, "skipped": skipped, "found": found, "dialect": reading.dialect}


def _options(body: Any) -> tuple[Any, set[str] | None, bool]:
    if isinstance(body, dict) and "config" in body and set(body) <= {"config", "only", "preview"}:
        only = body.get("only")
        return body["config"], set(map(str, only)) if isinstance(only, list) else None, body.get("preview") is True
    return body, None, False


def _take(actor: Actor, candidate: Candidate, preview: bool) -> Server | None:
    """The new server (unsaved in a preview); None where one of its name is there already."""
    slug = unique_slug(candidate.name, lambda _: False, "server")
    if visible_servers(actor.team.id, actor.user.id).filter(slug=slug).exists():
        return None
    checked = ServerInputSerializer(data=candidate.data)
    if not checked.is_valid():
        raise ValidationFailed(
            fields={name: [str(one) for one in _flat(texts)] for name, texts in checked.errors.items()}
        )
    data: dict[str, Any] = dict(checked.validated_data)
    unset: dict[str, dict[str, str]] = {"env": {}, "headers": {}}
    for kind, name in candidate.unset:
        unset[kind][name] = ""
    data |= {"secret_env": unset["env"], "secret_headers": unset["headers"]}
    if preview:
        return draft_server(actor, data)
    with transaction.atomic():
        return server_create(actor, data)


def _flat(texts: Any) -> list[str]:
    if isinstance(texts, dict):
        return [f"{name}: {one}" for name, inner in texts.items() for one in _flat(inner)]
    return [one for inner in texts for one in _flat(inner)] if isinstance(texts, list) else [str(texts)]


def _found(server: Server, candidate: Candidate) -> dict[str, Any]:
    held = {name: value for kind in ("env", "headers") for name, value in server.secrets.get(kind, {}).items()}
    secrets = sorted(name for name, value in held.items() if value)
    secrets += ["url"] if server.url_secret else []
    secrets += ["args"] if server.secrets.get("args") else []
    remote = server.transport != Server.Transport.STDIO
    target = masked_url(server) if remote else " ".join([server.command, *server.args])
    return {
        "name": candidate.name,
        "transport": server.transport,
        "target": target,
        "secrets": secrets,
        "missing": sorted(name for name, value in held.items() if not value),
    }


def _skipped(name: str, reason: str, params: dict[str, Any], language: str) -> dict[str, str]:
    message, _ = text_for("IMPORT_SKIPPED", {**params, "reason": reason}, language)
    return {"name": name, "reason": message}


def _why(error: PatchbayError, language: str) -> str:
    """An error as one sentence, with the fields it names."""
    message, _ = error.text(language)
    fields = "; ".join(f"{name}: {', '.join(texts)}" for name, texts in error.fields.items())
    return f"{message} {fields}".strip()
