"""Import of pasted configurations: what was read becomes servers, each in its own right or skipped with a reason.

Placeholders are asked for first; secrets are recognised and stored encrypted. Connects to nothing, starts nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.text import slugify

from backend.accounts.actor import Actor
from backend.errors import PatchbayError, ValidationFailed, text_for
from backend.registry.configuration.server_fields import masked_url
from backend.registry.importing.formats.candidates import Candidate, Question, Unreadable
from backend.registry.importing.formats.questions import answer_of, fill, open_questions, questions_in
from backend.registry.importing.formats.texts import reading_of
from backend.registry.importing.responses import FoundServerJson, ImportJson, SkippedJson
from backend.registry.models import Server
from backend.registry.responses import ServerJson, server_json
from backend.registry.selectors import visible_servers
from backend.registry.serializers import ServerInputSerializer
from backend.registry.services import draft_server, server_create

MOST = 200
"""Servers taken from one document."""
_STAND_IN = "zq{}qz"
"""Stands for an open question while a preview checks the rest."""
Answers = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Options:
    config: Any
    only: frozenset[str] | None = None
    preview: bool = False
    values: Mapping[str, Answers] | None = None

    def wants(self, candidate: Candidate) -> bool:
        if self.only is not None:
            return candidate.name in self.only
        return self.preview or not candidate.alternative


def import_servers(actor: Actor, body: Any, language: str) -> ImportJson:
    """Create the servers of a pasted document; with `preview` only look.

    `body` = `{config, only?, preview?, values?}` or the document itself. Raises ValidationFailed where nothing is read.
    """
    actor.require("admin")
    options = _options(body)
    try:
        reading = reading_of(options.config)
    except Unreadable as error:
        raise ValidationFailed(fields={"config": [str(error)]}) from None
    skipped = [_skipped(name, reason, params, language) for name, reason, params in reading.skipped]
    created: list[ServerJson] = []
    previews: list[FoundServerJson] = []
    is_there = _names_there(actor)
    for candidate in filter(options.wants, reading.candidates[:MOST]):
        answers = (options.values or {}).get(candidate.name) or {}
        left_open = open_questions(candidate, answers)
        if is_there(candidate.name):
            skipped.append(_skipped(candidate.name, "exists", {"name": candidate.name}, language))
            continue
        if left_open and not options.preview:
            names = ", ".join(question.label for question in left_open)
            skipped.append(_skipped(candidate.name, "unanswered", {"names": names}, language))
            continue
        try:
            server = _take(actor, candidate, answers, options.preview)
        except PatchbayError as error:
            skipped.append({"name": candidate.name, "reason": _why(error, language)})
            continue
        previews.append(_server_json(server, candidate, language))
        if not options.preview:
            created.append(server_json(server, language))
    skipped += [
        _skipped(candidate.name, "too_many", {"limit": MOST}, language) for candidate in reading.candidates[MOST:]
    ]
    return {"created": created, "skipped": skipped, "found": previews, "dialect": reading.dialect}


def _options(body: Any) -> _Options:
    if not (isinstance(body, dict) and "config" in body and set(body) <= {"config", "only", "preview", "values"}):
        return _Options(body)
    only, values = body.get("only"), body.get("values")
    if values is not None and not _are_answers(values):
        raise ValidationFailed(fields={"values": ["must be {server: {question: text}}"]})
    chosen = frozenset(map(str, only)) if isinstance(only, list) else None
    return _Options(body["config"], chosen, body.get("preview") is True, values)


def _are_answers(values: Any) -> bool:
    return isinstance(values, dict) and all(
        isinstance(value, dict) and all(isinstance(text, str) for text in value.values()) for value in values.values()
    )


def _names_there(actor: Actor) -> Any:
    """Whether a server of a name was there before: by its slug, or by the name itself where the slug loses letters."""
    rows = visible_servers(actor.team.id, actor.user.id).values_list("slug", "name")
    slugs, names = {slug for slug, _ in rows}, {name.casefold() for _, name in rows}

    def is_there(name: str) -> bool:
        slug = slugify(name)[:56]
        return name.casefold() in names or (name.isascii() and bool(slug) and slug in slugs)

    return is_there


def _take(actor: Actor, candidate: Candidate, answers: Answers, preview: bool) -> Server:
    """The new server (unsaved in a preview)."""
    written, unset, secrets = _filled(candidate, answers, preview)
    checked = ServerInputSerializer(data=written)
    if not checked.is_valid():
        raise ValidationFailed(
            fields={name: [str(item) for item in _flat(texts)] for name, texts in checked.errors.items()}
        )
    data: dict[str, Any] = dict(checked.validated_data)
    for kind in ("env", "headers"):
        plain = data.get(kind) or {}
        held = {name: value for name, value in plain.items() if any(secret in value for secret in secrets)}
        data[kind] = {name: value for name, value in plain.items() if name not in held}
        data[f"secret_{kind}"] = {**dict.fromkeys(unset[kind], ""), **held}
    data["secret_values"] = [secret for secret in secrets if len(secret) > 3]
    if any(secret in (data.get("url") or "") for secret in secrets):
        data["url_secret"] = True
    rules = {"deny": candidate.denied, "only": candidate.allowed or []}
    data["tool_rules"] = {kind: patterns for kind, patterns in rules.items() if patterns}
    if preview:
        return draft_server(actor, data)
    with transaction.atomic():
        return server_create(actor, data)


def _filled(
    candidate: Candidate, answers: Answers, preview: bool
) -> tuple[dict[str, Any], dict[str, list[str]], list[str]]:
    """(the fields with all answers, names of variables and headers still to be given, answers that are secrets)."""
    questions = candidate.questions

    def value(question: Question) -> str:
        answer = answer_of(question, answers)
        return answer or (_stand_in(questions.index(question)) if preview else "")

    def filled(text: str) -> str:
        return fill(questions, text, value)

    written = {name: filled(item) if isinstance(item, str) else item for name, item in candidate.data.items()}
    if re.fullmatch(r"zq\d+qz", written.get("url") or ""):
        written["url"] = f"https://{written['url']}.invalid"
    written["url"] = re.sub(
        r":zq(\d+)qz(?=[/?]|$)", lambda match: f":{61000 + int(match.group(1))}", written.get("url", "")
    )
    written["args"] = [word for group in candidate.args for word in _group(questions, group, answers, value)]
    unset: dict[str, list[str]] = {"env": [], "headers": []}
    for kind, names in unset.items():
        texts: dict[str, str] = candidate.data.get(kind) or {}
        for name, text in texts.items():
            missing = [item for item in questions_in(questions, text) if not answer_of(item, answers)]
            if any(item.required or item.secret for item in missing):
                names.append(name)
        written[kind] = {
            name: filled(text)
            for name, text in texts.items()
            if all(answer_of(item, answers) for item in questions_in(questions, text))
        }
    secrets = [answer for question in questions if question.secret and (answer := answer_of(question, answers))]
    if candidate.data["transport"] == "stdio":
        written.pop("url")
        written.pop("headers")
    else:
        written = {name: item for name, item in written.items() if name not in {"args", "env"}}
    return written, unset, secrets


def _stand_in(index: int) -> str:
    return _STAND_IN.format(index)


def _group(questions: list[Question], group: list[str], answers: Answers, value: Any) -> list[str]:
    """The arguments of a group; none where an optional one is open, several of those that may be repeated."""
    needed = [item for text in group for item in questions_in(questions, text)]
    if any(not item.required and not answer_of(item, answers) for item in needed):
        return []
    repeated = next((item for item in needed if item.multiple), None)
    if repeated is None:
        return [fill(questions, text, value) for text in group]
    lines = [line.strip() for line in answer_of(repeated, answers).splitlines() if line.strip()] or [value(repeated)]
    return [
        fill(questions, text, lambda question, line=line: line if question is repeated else value(question))  # type: ignore[misc]
        for line in lines
        for text in group
    ]


def _flat(texts: Any) -> list[str]:
    if isinstance(texts, dict):
        return [f"{name}: {item}" for name, inner in texts.items() for item in _flat(inner)]
    return [item for inner in texts for item in _flat(inner)] if isinstance(texts, list) else [str(texts)]


def _server_json(server: Server, candidate: Candidate, language: str) -> FoundServerJson:
    questions: list[Any] = [question.as_json() for question in candidate.questions]
    held = {name: value for kind in ("env", "headers") for name, value in server.secrets.get(kind, {}).items()}
    secrets = sorted(name for name, value in held.items() if value)
    secrets += ["url"] if server.url_secret else []
    secrets += ["args"] if server.secrets.get("args") else []
    return {
        "name": candidate.name,
        "transport": server.transport,
        "target": _target(server, candidate),
        "secrets": secrets,
        "missing": sorted(name for name, value in held.items() if not value),
        "questions": questions,
        "denied": candidate.denied,
        "allowed": candidate.allowed,
        "notes": [text_for("IMPORT_NOTE", {**params, "reason": key}, language)[0] for key, params in candidate.notes],
        "alternative": candidate.alternative,
    }


def _target(server: Server, candidate: Candidate) -> str:
    """Where it goes, with `<label>` for what is open."""
    remote = server.transport != Server.Transport.STDIO
    text = masked_url(server) if remote else " ".join([server.command, *server.args])
    text = re.sub(r"https://(zq\d+qz)\.invalid", r"\1", text)
    for index, question in reversed(list(enumerate(candidate.questions))):
        text = text.replace(_stand_in(index), f"<{question.label}>")
        text = text.replace(f":{61000 + index}", f":<{question.label}>") if remote else text
    return text


def _skipped(name: str, reason: str, params: dict[str, Any], language: str) -> SkippedJson:
    message, _ = text_for("IMPORT_SKIPPED", {**params, "reason": reason}, language)
    return {"name": name, "reason": message}


def _why(error: PatchbayError, language: str) -> str:
    """An error as one sentence, with the fields it names."""
    message, _ = error.text(language)
    fields = "; ".join(f"{name}: {', '.join(texts)}" for name, texts in error.fields.items())
    return f"{message} {fields}".strip()
