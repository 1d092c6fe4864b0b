"""What a person does with a live server: test it, list it anew, look at resources and prompts, try a tool.

They are errands (`accounts.errands`): what waits for a server runs on the process's event loop and holds no thread.
What is found is kept (status, tools).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, TypeVar

from django.utils import timezone

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit
from backend.accounts.auth import rate_limits
from backend.accounts.teams.outbound import network_rules
from backend.errors import ApprovalRequired, McpPolicyDenied, PatchbayError, ValidationFailed, text_for
from backend.net.urls import check_url
from backend.registry.configuration.documents import ReadDocument
from backend.registry.configuration.user_credentials import SERVERS, credential_target, extract_user_values
from backend.registry.connecting import health
from backend.registry.connecting.api_documents import fetched_document
from backend.registry.connecting.connections import ResolvedServer, config_of, find, gated, prepare, source_of
from backend.registry.models import Server
from backend.registry.program_hash import program_of
from backend.registry.programs.approvals import ask_for_server, startable_draft
from backend.registry.programs.packages import started_from
from backend.registry.programs.rules import stdio_rules
from backend.registry.programs.starts import note_start
from backend.registry.responses import CallJson, TestJson
from backend.registry.selectors import server_for
from backend.registry.servers import checks
from backend.registry.servers.agent_report import agent_report
from backend.registry.servers.api_report import api_report
from backend.registry.servers.tested_status import status_of
from backend.registry.services import draft_server
from backend.registry.tools.listing import record_listing, record_status
from backend.registry.tools.responses import ToolJson, risk_json, tool_json, unsaved_tool_json
from backend.secrets import user_credentials
from backend.secrets.user_credentials import Values
from backend.tools.calls.direct import DirectEffects
from backend.tools.diagnosis.report import (
    AGENT_STAGES,
    API_STAGES,
    HTTP_STAGES,
    STDIO_STAGES,
    CheckStep,
    OnStage,
    TestReport,
    ignore_stage,
)
from backend.tools.openapi.model import Api
from backend.tools.types import CallContext, Risk
from backend.web.remote_requests import RemoteWork

if TYPE_CHECKING:
    from backend.tools.a2a.source import AgentToolSource
    from backend.tools.mcp.source import McpToolSource
    from backend.tools.openapi.source import ApiToolSource

MAX_TOOLS = 10_000
FEW = 500
"""Tools up to which rows are read by name: a statement may not name any number of them."""
T = TypeVar("T")


class TestedFacts(TypedDict):
    """What the audit trail keeps of a test; of a program also what was started."""

    name: str
    transport: str
    ok: bool
    code: str | None
    command: NotRequired[str]
    hash: NotRequired[str]


def server_test(
    actor: Actor, reference: str, language: str, on_stage: OnStage = ignore_stage, most: int = MAX_TOOLS
) -> RemoteWork[TestJson]:
    """Test a saved server; its status and tools are kept. Never raises for what the server does.

    `on_stage` hears of every stage as it is passed, in the event loop's thread. `most` tools at most are in the
    answer.
    """
    actor.require("editor")
    server = server_for(actor, reference)
    rate_limits.count_connection(actor)
    report = yield from _report(server, actor, on_stage, saved=True)
    _audit_test(actor, server, server.id, report)
    if report.ok:
        record_listing(server.id, server.revision, report.tools)
        checks.begin(server, report)
    _keep_status(server, actor, status_of(report))
    names = [spec.name for spec in report.tools[:most]] if report.ok else []
    rows = server.tools.all() if len(names) > FEW else server.tools.filter(name__in=names)
    listed = {tool.name: tool for tool in rows} if names else {}
    tools = [tool_json(server, listed[name], language) for name in names if name in listed]
    return _report_json(report, tools, language)


def _keep_status(server: Server, actor: Actor, status: dict[str, Any]) -> None:
    """The server's status; where each member uses their own credentials, what it is for the actor."""
    mine = user_credentials.credential_of(actor.user.id, server.id) if SERVERS.is_per_user(server) else None
    if mine is not None or not SERVERS.is_per_user(server):
        record_status(server.id, server.revision, status, mine)


def trial_test(
    actor: Actor, data: dict[str, Any], language: str, on_stage: OnStage = ignore_stage, most: int = MAX_TOOLS
) -> RemoteWork[TestJson]:
    """Test a configuration that is not saved (laid over a saved one where `data` names it). The rest: as above."""
    actor.require("admin")
    reference = data.pop("server", None)
    base = server_for(actor, reference) if reference else None
    rate_limits.count_connection(actor)
    data.pop("slug", None)
    before = credential_target(base) if base and SERVERS.is_per_user(base) else None
    try:
        server = draft_server(actor, {"name": "test", **data}, base)
        credentials = extract_user_values(server)
    except (ValidationFailed, McpPolicyDenied) as error:
        return _refused(error, data.get("transport") or (base.transport if base else ""), language)
    entered = before == credential_target(server)
    values = SERVERS.values_for(server, actor.user.id, entered, credentials) if SERVERS.is_per_user(server) else None
    ask_for_server(actor, server, test=True)
    report = yield from _report(server, actor, on_stage, values)
    _audit_test(actor, server, base.id if base else "", report)
    slug = server.slug or "test"
    tools = [unsaved_tool_json(slug, spec, server.trust_annotations, language) for spec in report.tools[:most]]
    return _report_json(report, tools, language)


def _report(
    server: Server, actor: Actor, on_stage: OnStage, values: Values | None = None, *, saved: bool = False
) -> RemoteWork[TestReport]:
    """The test itself; a configuration that cannot be completed fails at the first stage. `values`: see `config_of`.

    Of a `saved` server the version of its package is pinned.
    """
    from backend.tools.diagnosis.connection_test import connection_test  # with the SDK, see `connections`

    report: TestReport
    try:
        config = startable_draft(
            server, config_of(server, user_id=actor.user.id, values=values, trial=not saved), actor
        )
        if config.transport == "stdio":
            stdio_rules().check_start(config)
            note_start(config)
    except PatchbayError as error:
        return _failed_at_once(error, server.transport)
    if config.transport == "openapi":
        report = yield api_report(server, config, saved=saved, on_stage=on_stage)
        return report
    if config.transport == "a2a":
        report = yield agent_report(server, config, saved=saved, on_stage=on_stage)
        return report
    install = partial(started_from, keep=saved)
    report = yield connection_test(config, network_rules(), stdio_rules(), on_stage=on_stage, install=install)
    return report


def api_read(actor: Actor, data: dict[str, Any]) -> RemoteWork[Api]:
    """What an OpenAPI document describes, given or fetched; nothing is kept. Raises ValidationFailed, McpError."""
    actor.require("admin")
    sent: ReadDocument | None = data.get("document")
    if sent is not None:
        return sent.api
    url = check_url(data["url"].strip(), "url")
    rate_limits.count_connection(actor)
    prepare()
    document: ReadDocument = yield fetched_document(url)
    return document.api


def _audit_test(actor: Actor, server: Server, key: str, report: TestReport) -> None:
    """Say in the audit trail what was tested: what it starts, or where it connects."""
    facts: TestedFacts = {"name": server.name, "transport": server.transport, "ok": report.ok, "code": report.code}
    if server.transport == Server.Transport.STDIO:
        facts |= {"command": server.command, "hash": program_of(server).hash}
    audit(actor, "server.tested", "server", key, **facts)


def _failed_at_once(error: PatchbayError, transport: str) -> TestReport:
    """The report of a configuration that does not pass the first stage (url, policy)."""
    names = [name for name in STDIO_STAGES if name != "install"]
    others = {Server.Transport.STDIO: names, Server.Transport.OPENAPI: API_STAGES, Server.Transport.A2A: AGENT_STAGES}
    stages = [CheckStep(name) for name in others.get(Server.Transport(transport or "http"), HTTP_STAGES)]
    stages[0].ok = False
    return TestReport(ok=False, stages=stages, code=error.code, params=error.params)


def _refused(error: PatchbayError, transport: str, language: str) -> TestJson:
    """The report where the address or the policy is at fault; raises `error` where fields are missing or wrong."""
    if isinstance(error, ValidationFailed) and not str(error.params.get("reason", "")).startswith("url_"):
        raise error
    return _report_json(_failed_at_once(error, transport), [], language)


def _report_json(report: TestReport, tools: list[ToolJson], language: str) -> TestJson:
    message, hint = text_for(report.code, report.params, language) if report.code else ("", "")
    identity, messages = report.server or {}, list[Any](report.wire)
    return {
        "ok": report.ok,
        "stages": [
            {"name": stage.name, "ok": stage.ok, "ms": round(stage.ms, 1), "detail": stage.detail}
            for stage in report.stages
        ],
        "code": report.code,
        "message": message,
        "hint": hint,
        "messages": messages,
        "stderr": report.stderr,
        "ms": round(report.ms, 1),
        "protocol": report.protocol,
        "server": {"name": identity.get("name"), "version": identity.get("version")},
        "capabilities": report.capabilities,
        "tools": tools,
        "tool_count": len(report.tools),
    }


def with_source(
    actor: Actor,
    reference: str,
    use: Callable[[McpToolSource | ApiToolSource | AgentToolSource], Coroutine[Any, Any, T]],
) -> RemoteWork[T]:
    """Use a saved server's connection; a failure becomes its status before it is raised."""
    actor.require("editor")
    server = server_for(actor, reference)
    rate_limits.count_connection(actor)
    resolved = find(actor.team.id, server.id, user_id=actor.user.id)

    async def work() -> T:
        return await use(source_of(resolved))

    try:
        used: T = yield work()
    except PatchbayError as error:
        status = {**_status_before(server, actor), "state": "error", "code": error.code, "params": error.params}
        _keep_status(server, actor, {**status, "checked_at": timezone.now().isoformat()})
        raise
    return used


def _status_before(server: Server, actor: Actor) -> dict[str, Any]:
    if not SERVERS.is_per_user(server):
        return dict(server.status)
    mine = user_credentials.credential_of(actor.user.id, server.id)
    return dict(mine.status) if mine else {}


def tools_refresh(actor: Actor, reference: str) -> RemoteWork[Server]:
    """List the tools anew and keep them. Raises McpError, NetworkBlocked, SecretMissing."""
    server = server_for(actor, reference)
    specs = yield from with_source(actor, reference, lambda source: source.list_tools(refresh=True))
    record_listing(server.id, server.revision, specs)
    health.write_of((server.id, server.revision, actor.user.id if SERVERS.is_per_user(server) else None))
    return server


def tool_call(
    actor: Actor, reference: str, tool: str, arguments: dict[str, Any], confirm: bool, language: str
) -> RemoteWork[CallJson]:
    """Call a tool through the gate, as the playground does. Raises ApprovalRequired with the risk unless `confirm`.

    `confirm` is an approval: Forbidden for a token.
    """
    actor.require("editor")
    if confirm:
        actor.require_person()
    server = server_for(actor, reference)
    rate_limits.count_connection(actor)
    resolved = find(actor.team.id, server.id, user_id=actor.user.id)
    try:
        result: CallJson = yield _call(resolved, actor.user.id, tool, arguments, confirm)
    except ApprovalRequired as error:
        raise _in_words(error, language) from None
    except PatchbayError as error:
        audit(actor, "tool.called", "server", server.id, tool=tool, confirmed=confirm, code=error.code)
        raise
    audit(actor, "tool.called", "server", server.id, tool=tool, confirmed=confirm, is_error=result["is_error"])
    return result


async def _call(
    resolved: ResolvedServer, user_id: str, tool: str, arguments: dict[str, Any], confirm: bool
) -> CallJson:
    """The call with its raw messages; a failure carries them in its detail."""
    from backend.tools.mcp.wire import capturing

    source = gated(resolved, user_id=user_id, run_id=None, workflow_id="")
    call = CallContext(effects=DirectEffects(confirm=confirm, by=user_id), key="call")
    with capturing(resolved.config.masker()) as capture:
        try:
            result = await source.call_tool(tool, arguments, call)
        except PatchbayError as error:
            if error.detail is None or isinstance(error.detail, dict):
                error.detail = {**(error.detail or {}), "messages": capture.entries}
            raise
    answered: CallJson = {**result.as_json(), "messages": capture.entries}  # type: ignore[typeddict-item]  # as tools/types says
    return answered


def _in_words(error: ApprovalRequired, language: str) -> ApprovalRequired:
    """The question with the reasons as sentences."""
    detail = dict(error.detail or {})
    risk = detail.get("risk")
    if risk:
        detail["risk"] = risk_json(Risk(risk["level"], risk["reasons"]), language)
    return ApprovalRequired(params=error.params, detail=detail)
