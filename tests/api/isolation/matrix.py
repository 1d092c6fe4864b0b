"""The table: a row for every door, saying who may come in. A new address, topic or task without a row fails the tests.

How to write one: `Row(method, address as the URL table has it, least role, ok=status for those who may)`; parameters of
the address are fields of `tenant.Tenant` of the same name, or are named in `ids`. Whoever is in another team gets 404,
whoever has too small a role or scope 403, whoever is not signed in 401: that needs no writing. A method that may write
names the `audit` action that it leaves, or says in `silent` why it leaves none. Ids in bodies, queries and headers go
into `smuggled`, with what comes of the other team's.
"""

from __future__ import annotations

import base64
import secrets
from functools import partial
from typing import Any

from tests.api.isolation.table import ANYONE, OPERATOR, PERSON, Row, Smuggled
from tests.api.isolation.tenant import NOWHERE, Tenant

PASSWORD = "correct horse battery"
READS = "reads and computes; nothing is kept"
ALLAUTH = "one's own account, not a team's: signals of allauth write the row (test_audit)"


def _place(key: str) -> str:
    """A cursor that names something of the other team."""
    return base64.urlsafe_b64encode(f"2100-01-01T00:00:00+00:00|{key}".encode()).decode()


def _server(tenant: Tenant) -> dict[str, Any]:
    return {"name": f"New {tenant.mark}", "transport": "http", "url": NOWHERE}


def _provider(tenant: Tenant) -> dict[str, Any]:
    return {"name": f"New {tenant.mark}", "base_url": NOWHERE, "models": [{"id": "m"}]}


def _proof(tenant: Tenant) -> dict[str, Any]:
    return {"password": PASSWORD}


def _new_password(tenant: Tenant) -> dict[str, Any]:
    return {"current_password": PASSWORD, "new_password": "staple battery horse"}


def _draft(tenant: Tenant) -> dict[str, Any]:
    return {"revision": 2, "graph": tenant.graph(env={"NEW": "1"})}


def _naming(key: str, mine: Tenant, theirs: Tenant) -> dict[str, Any]:
    """A document of one's own that names the other team's server, provider or workflow."""
    return {"graph": _using(mine, key, getattr(theirs, key))}


def _using(mine: Tenant, key: str, value: Any) -> dict[str, Any]:
    """A document of one's own with a node that names something of the other team's."""
    graph = mine.graph()
    configs: dict[str, tuple[str, dict[str, Any]]] = {
        "server": ("tool", {"server": value, "tool": "look", "arguments": {}}),
        "provider": ("llm", {"provider": value, "model": "m", "messages": [{"role": "user", "content": "?"}]}),
        "workflow": ("workflow", {"workflow": value, "inputs": {}}),
    }
    kind, config = configs[key]
    graph["nodes"].insert(1, {"id": "other", "type": kind, "v": 1, "position": {"x": 0, "y": 0}, "config": config})
    graph["edges"] = [
        {"id": f"e{i}", "source": a, "source_port": "out", "target": b, "target_port": "in"}
        for i, (a, b) in enumerate([("start", "other"), ("other", "say"), ("say", "end")])
    ]
    return graph


RUNS = [
    Row(
        "POST",
        "/api/workflows/{workflow}/runs",
        "editor",
        202,
        body=lambda w: {"inputs": {"q": "x"}},
        scope="run",
        audit="run.started",
        smuggled=(
            Smuggled(
                "the other team's key of a run that was started before",
                202,
                body=lambda mine, theirs: {"inputs": {"q": "x"}},
                headers=lambda theirs: {"Idempotency-Key": f"key-{theirs.mark}"},
            ),
        ),
        bound="its",
    ),
    Row(
        "GET",
        "/api/runs",
        "viewer",
        smuggled=(
            Smuggled("runs of their workflow", 200, query=lambda theirs: f"?workflow={theirs.workflow}"),
            Smuggled("a place in their list", 200, query=lambda theirs: f"?cursor={_place(theirs.run)}"),
            Smuggled("runs below their run", 200, query=lambda theirs: f"?parent={theirs.run}"),
            Smuggled("runs of their program", 200, query=lambda theirs: f"?caller={theirs.mark}"),
        ),
        bound="all",
    ),
    Row(
        "GET",
        "/api/run-callers",
        "viewer",
        smuggled=(
            Smuggled("the name of their program", 200, query=lambda theirs: f"?q={theirs.mark}"),
            Smuggled("a place in their list", 200, query=lambda theirs: f"?cursor={theirs.mark[:-1]}"),
        ),
    ),
    Row("GET", "/api/queue", "viewer"),
    Row("GET", "/api/spending", "viewer"),
    Row("GET", "/api/mcp/servers/{server}/calls", "viewer"),
    Row("GET", "/api/usage", "viewer"),
    Row("GET", "/api/usage/storage", "viewer"),
    Row("GET", "/api/runs/{key}", "viewer", ids={"key": "run"}, bound="its"),
    Row("DELETE", "/api/runs/{key}", "editor", 204, ids={"key": "run"}, audit="run.deleted"),
    Row("GET", "/api/runs/{key}/events", "viewer", ids={"key": "run"}, bound="its"),
    Row("GET", "/api/runs/{key}/rounds", "viewer", ids={"key": "run"}, query="?node=each", bound="its"),
    Row(
        "POST",
        "/api/runs/{key}/keep",
        "editor",
        409,
        ids={"key": "agent_run"},
        body=lambda w: {"node": "ask"},
        silent="refused here; what it makes is a workflow, which leaves workflow.created",
    ),
    Row(
        "POST",
        "/api/runs/{key}/cancel",
        "editor",
        202,
        ids={"key": "running_run"},
        scope="run",
        audit="run.cancel",
        bound="its",
    ),
    Row(
        "POST",
        "/api/runs/{key}/pause",
        "editor",
        202,
        ids={"key": "running_run"},
        scope="run",
        audit="run.pause",
        bound="its",
    ),
    Row(
        "POST",
        "/api/runs/{key}/resume",
        "editor",
        202,
        ids={"key": "paused_run"},
        scope="run",
        audit="run.resume",
        bound="its",
    ),
    Row("GET", "/api/runs/{key}/restored", "viewer", ids={"key": "restored_run"}, bound="its"),
    Row("GET", "/api/restored-runs", "viewer"),
    Row(
        "POST",
        "/api/restored-runs/resume",
        "editor",
        202,
        scope="run",
        audit="run.resume",
        body=lambda w: {"runs": [w.restored_run]},
        smuggled=(Smuggled("their restored run", 202, body=lambda mine, theirs: {"runs": [theirs.restored_run]}),),
    ),
    Row(
        "POST",
        "/api/runs/{key}/retry",
        "editor",
        201,
        ids={"key": "failed_run"},
        scope="run",
        audit="run.retry",
        bound="its",
    ),
    Row(
        "POST",
        "/api/runs/{key}/fork",
        "editor",
        201,
        ids={"key": "failed_run"},
        body=lambda w: {"step": "start"},
        scope="run",
        audit="run.fork",
        bound="its",
    ),
    Row(
        "GET",
        "/api/interactions",
        "viewer",
        smuggled=(Smuggled("questions of their run", 200, query=lambda theirs: f"?run={theirs.waiting_run}"),),
        bound="all",
    ),
    Row("GET", "/api/interactions/groups", "viewer"),
    Row(
        "POST",
        "/api/interactions/answers",
        "editor",
        body=lambda w: {"ids": [w.interaction], "action": "retry"},
        scope="answer",
        silent="this approval refuses to be retried; what is answered leaves interaction.answered (test_outages)",
        smuggled=(
            Smuggled(
                "answers their questions",
                200,
                body=lambda mine, theirs: {"ids": [theirs.interaction], "action": "fail"},
            ),
        ),
        bound="all",
    ),
    Row(
        "POST",
        "/api/interactions/{key}/answer",
        "editor",
        ids={"key": "interaction"},
        body=lambda w: {"action": "accept", "values": {}},
        scope="answer",
        audit="interaction.answered",
        smuggled=(
            Smuggled(
                "their file in a form",
                400,
                body=lambda mine, theirs: {"action": "accept", "values": {"paper": {"$file": theirs.file}}},
            ),
        ),
        bound="its",
    ),
]

WORKFLOWS = [
    Row("GET", "/api/workflows", "viewer", bound="all"),
    Row(
        "POST",
        "/api/workflows",
        "editor",
        201,
        body=lambda w: {"name": f"New {w.mark}"},
        audit="workflow.created",
    ),
    Row(
        "POST",
        "/api/workflows/import",
        "editor",
        201,
        body=lambda w: {"graph": w.graph()},
        audit="workflow.created",
    ),
    Row("GET", "/api/workflow-templates", "viewer", bound="all"),
    Row("GET", "/api/workflows/{workflow}", "viewer", bound="its"),
    Row(
        "PATCH",
        "/api/workflows/{workflow}",
        "editor",
        body=lambda w: {"description": f"said {w.mark}"},
        audit="workflow.changed",
    ),
    Row(
        "DELETE", "/api/workflows/{workflow}", "editor", 204, {"workflow": "unused_workflow"}, audit="workflow.deleted"
    ),
    Row(
        "POST",
        "/api/workflows/{workflow}/duplicate",
        "editor",
        201,
        body=lambda w: {"name": f"Copy {w.mark}"},
        audit="workflow.created",
    ),
    Row(
        "PUT",
        "/api/workflows/{workflow}/draft",
        "editor",
        ids={"workflow": "rested_workflow"},
        body=_draft,
        audit="workflow.edited",
    ),
    Row("GET", "/api/workflows/{workflow}/drafts", "viewer", bound="its"),
    Row("GET", "/api/workflows/{workflow}/drafts/{revision}", "viewer", ids={"revision": "one"}, bound="its"),
    Row(
        "POST",
        "/api/workflows/{workflow}/drafts/{revision}/restore",
        "editor",
        ids={"revision": "one"},
        audit="workflow.restored",
    ),
    Row(
        "POST",
        "/api/workflows/{workflow}/validate",
        "viewer",
        scope="read",
        silent=READS,
        smuggled=tuple(
            Smuggled(
                f"a document that names their {key}",
                200,
                body=partial(_naming, key),
            )
            for key in ("server", "provider", "workflow")
        ),
    ),
    Row("POST", "/api/workflows/{workflow}/publish", "editor", 201, audit="workflow.published"),
    Row("GET", "/api/workflows/{workflow}/versions", "viewer", bound="its"),
    Row("GET", "/api/workflows/{workflow}/versions/{number}", "viewer", ids={"number": "one"}, bound="its"),
    Row("GET", "/api/workflows/{workflow}/compare", "viewer", query="?from=1", bound="its"),
    Row("GET", "/api/workflows/{workflow}/export", "viewer", audit="workflow.exported", bound="its"),
    Row("GET", "/api/workflows/{workflow}/tests", "viewer", bound="its"),
    Row(
        "POST",
        "/api/workflows/{workflow}/tests",
        "editor",
        201,
        body=lambda w: {"run": w.run, "name": f"fresh {w.mark}"},
        audit="workflow_test.created",
        smuggled=(Smuggled("of their run", 404, body=lambda mine, theirs: {"run": theirs.run, "name": "theirs"}),),
    ),
    Row("DELETE", "/api/workflows/{workflow}/tests/{test}", "editor", 204, audit="workflow_test.deleted"),
    Row("POST", "/api/workflows/{workflow}/tests/{test}/run", "editor", scope="run", silent=READS, bound="its"),
    Row("GET", "/api/mcp/servers/{server}/workflows", "viewer"),
    Row("GET", "/api/node-types", "viewer", bound="all"),
    Row("GET", "/api/graph-schema", "viewer", bound="all"),
]

REGISTRY = [
    Row("GET", "/api/mcp/servers", "viewer"),
    Row("POST", "/api/mcp/servers", "admin", 201, body=_server, audit="server.created"),
    Row(
        "POST",
        "/api/mcp/servers/test",
        "admin",
        body=_server,
        audit="server.tested",
        smuggled=(
            Smuggled("laid over their server", 404, body=lambda mine, theirs: {"server": theirs.server}),
            Smuggled("laid over their server by slug", 404, body=lambda mine, theirs: {"server": theirs.server_slug}),
        ),
    ),
    Row(
        "POST",
        "/api/mcp/servers/import",
        "admin",
        body=lambda w: {"config": {"mcpServers": {"new": {"url": NOWHERE}}}},
        audit="server.created",
    ),
    Row("GET", "/api/mcp/servers/{server}", "viewer"),
    Row(
        "PATCH",
        "/api/mcp/servers/{server}",
        "admin",
        body=lambda w: {"description": f"said {w.mark}"},
        audit="server.changed",
    ),
    Row("DELETE", "/api/mcp/servers/{server}", "admin", 204, audit="server.deleted"),
    Row("GET", "/api/mcp/servers/{server}/credentials", "editor", ids={"server": "own_server"}),
    Row(
        "PATCH",
        "/api/mcp/servers/{server}/credentials",
        "editor",
        ids={"server": "own_server"},
        body=lambda w: {"api_key": f"key-{w.mark}-1"},
        audit="credentials.entered",
    ),
    Row(
        "DELETE",
        "/api/mcp/servers/{server}/credentials",
        "editor",
        204,
        ids={"server": "own_server"},
        audit="credentials.deleted",
    ),
    Row("GET", "/api/mcp/servers/{server}/sign-in", "viewer", ids={"server": "oauth_server"}),
    Row(
        "POST",
        "/api/mcp/sign-in/begin",
        PERSON,
        403,  # NETWORK_BLOCKED for who may, as for all that would connect
        body=lambda w: {"server": w.oauth_server},
        silent="finds out where to sign in; who comes back leaves server.signed_in (test_server_sign_in)",
    ),
    Row(
        "POST",
        "/api/mcp/servers/{server}/sign-in",
        "admin",
        409,  # people sign in there
        ids={"server": "oauth_server"},
        silent="refused here; what is fetched leaves server.signed_in (test_machine_sign_in)",
    ),
    Row(
        "DELETE",
        "/api/mcp/servers/{server}/sign-in",
        "editor",
        204,
        ids={"server": "oauth_server"},
        audit="server.signed_out",
    ),
    Row(
        "POST",
        "/api/mcp/sign-in/return",
        PERSON,
        409,
        body=lambda w: {"state": f"never-given-{w.mark}"},
        silent="refused here; who comes back leaves server.signed_in (test_server_sign_in)",
    ),
    Row(
        "POST",
        "/api/mcp/servers/{server}/package/look",
        "admin",
        409,
        silent="nothing is installed for this server, and looking changes nothing",
    ),
    Row(
        "POST",
        "/api/mcp/servers/{server}/package/update",
        "admin",
        409,
        body=lambda w: {"version": "2.0.0"},
        silent="nothing is installed for this server; what is accepted leaves package.updated",
    ),
    Row(
        "POST",
        "/api/mcp/openapi",
        "admin",
        body=lambda w: {"document": '{"openapi": "3.1.0", "paths": {"/x": {"get": {}}}}'},
        silent="nothing is kept of a document that is looked at",
    ),
    Row(
        "POST",
        "/api/mcp/find",
        "admin",
        403,
        body=lambda w: {"at": NOWHERE, "q": "x"},
        silent="nothing is kept of what a registry of servers lists",
    ),
    Row(
        "POST",
        "/api/mcp/modelscope/find",
        "admin",
        400,
        body=lambda w: {"q": "x", "cursor": "99"},
        silent="nothing is kept of what ModelScope lists",
    ),
    Row(
        "POST",
        "/api/mcp/modelscope/read",
        "admin",
        400,
        body=lambda w: {"id": "no id"},
        silent="nothing is kept of what ModelScope lists",
    ),
    Row(
        "POST",
        "/api/mcp/modelscope/deployed",
        "admin",
        400,
        body=lambda w: {"token": "no token"},
        silent="no token, so nobody is asked; who adds servers leaves server.created (test_modelscope)",
    ),
    Row(
        "POST",
        "/api/mcp/servers/{server}/modelscope",
        "admin",
        409,  # it is none that ModelScope hosts
        body=lambda w: {"token": "ms-0123456789"},
        silent="no address is looked up; who does leaves server.changed (test_modelscope)",
    ),
    Row("POST", "/api/mcp/servers/{server}/test", "editor", audit="server.tested"),
    Row("GET", "/api/mcp/servers/{server}/tools", "viewer"),
    Row(
        "PATCH",
        "/api/mcp/servers/{server}/tools",
        "admin",
        body=lambda w: {"which": "write", "policy": "deny"},
        audit="tools.changed",
    ),
    Row("GET", "/api/mcp/servers/{server}/tool-names", "viewer"),
    Row("GET", "/api/mcp/tool-names", "viewer"),
    Row("GET", "/api/mcp/servers/{server}/tools/{tool}", "viewer"),
    Row(
        "PATCH",
        "/api/mcp/servers/{server}/tools/{tool}",
        "admin",
        body=lambda w: {"policy": "deny"},
        audit="tool.changed",
    ),
    Row("POST", "/api/mcp/servers/{server}/tools/{tool}/accept", "admin", audit="tool.accepted"),
    Row(  # of a tool whose own name ends so
        "PATCH",
        "/api/mcp/servers/{server}/tools/{tool}/accept",
        "admin",
        404,
        body=lambda w: {"policy": "deny"},
        silent="no tool here has such a name; one that has leaves tool.changed",
    ),
    Row("GET", "/api/mcp/servers/{server}/resources", "editor", 403),
    Row("GET", "/api/mcp/servers/{server}/prompts", "editor", 403),
    Row(
        "POST",
        "/api/mcp/servers/{server}/resources/read",
        "editor",
        403,
        body=lambda w: {"uri": "notes://a"},
        scope="run",
        silent="a server is asked and nothing changes",
    ),
    Row(
        "POST",
        "/api/mcp/servers/{server}/prompts/get",
        "editor",
        403,
        body=lambda w: {"prompt": "plan"},
        scope="run",
        silent="a server is asked and nothing changes",
    ),
    Row(
        "POST",
        "/api/mcp/servers/{server}/contents/accept",
        "editor",
        body=lambda w: {"kind": "prompt", "name": "plan"},
        audit="contents.accepted",
    ),
    Row(
        "POST",
        "/api/mcp/servers/{server}/complete",
        "editor",
        403,
        body=lambda w: {"prompt": "plan", "argument": "city", "value": "o"},
        silent="a server is asked and nothing changes",
    ),
    Row(
        "POST",
        "/api/mcp/tools/call",
        "editor",
        403,  # NETWORK_BLOCKED, as for all that would connect
        body=lambda w: {"server": w.server, "tool": "look", "arguments": {}},
        scope="run",
        audit="tool.called",
        smuggled=(
            Smuggled("their server", 404, body=lambda mine, theirs: {"server": theirs.server, "tool": "look"}),
            Smuggled("their slug", 404, body=lambda mine, theirs: {"server": theirs.server_slug, "tool": "look"}),
        ),
    ),
    Row("GET", "/api/mcp/presets", "viewer"),
    Row("GET", "/api/mcp/servers/{server}/grants", "viewer"),
    Row("GET", "/api/mcp/servers/{server}/grants/export", "viewer"),
    Row("DELETE", "/api/mcp/servers/{server}/grants/{grant}", "admin", 204, audit="grant.deleted"),
    Row("GET", "/api/mcp/declarations", "viewer"),
    Row(
        "POST",
        "/api/mcp/declarations/{digest}/approve",
        "admin",
        ids={"digest": "declaration"},
        audit="declaration.approved",
    ),
    Row(
        "POST",
        "/api/mcp/declarations/{digest}/reject",
        "admin",
        ids={"digest": "declaration"},
        audit="declaration.rejected",
    ),
    Row("GET", "/api/mcp/declarations/{digest}/card", "viewer", ids={"digest": "declared_agent"}),
    Row(
        "POST",
        "/api/mcp/declarations/{digest}/card",
        "admin",
        400,
        ids={"digest": "declared_agent"},
        silent="it is not approved, so its card is not read; reading changes nothing that was accepted",
    ),
    Row(
        "POST",
        "/api/mcp/declarations/{digest}/card/accept",
        "admin",
        409,
        ids={"digest": "declared_agent"},
        body=lambda w: {"version": "0" * 40},
        silent="none of its skills changed; what is accepted leaves declaration.accepted",
    ),
    Row(
        "POST",
        "/api/mcp/declarations/{digest}/package/look",
        "admin",
        409,
        ids={"digest": "declaration"},
        silent="nothing is installed for this server, and looking changes nothing",
    ),
    Row(
        "POST",
        "/api/mcp/declarations/{digest}/package/update",
        "admin",
        409,
        ids={"digest": "declaration"},
        body=lambda w: {"version": "2.0.0"},
        silent="nothing is installed for this server; what is accepted leaves package.updated",
    ),
]

OPERATORS = [
    Row("GET", "/api/operator/programs", OPERATOR),
    Row(
        "POST",
        "/api/operator/programs/{key}/approve",
        OPERATOR,
        ids={"key": "program"},
        audit="program.approved",
    ),
    Row(
        "POST",
        "/api/operator/programs/{key}/reject",
        OPERATOR,
        ids={"key": "program"},
        audit="program.rejected",
    ),
    Row("GET", "/api/operator/installation", OPERATOR),
    Row("GET", "/api/operator/storage", OPERATOR),
    Row("GET", "/api/operator/workers", OPERATOR),
    Row(
        "POST",
        "/api/operator/allowed",
        OPERATOR,
        201,
        body=lambda w: {"kind": "host", "value": f"new-{w.mark}.example.org"},
        audit="allowance.added",
    ),
    Row("DELETE", "/api/operator/allowed/{key}", OPERATOR, 204, ids={"key": "allowance"}, audit="allowance.removed"),
]

PROVIDERS = [
    Row("GET", "/api/providers", "viewer"),
    Row("POST", "/api/providers", "admin", 201, body=_provider, audit="provider.created"),
    Row(
        "POST",
        "/api/providers/test",
        "admin",
        body=_provider,
        silent="tries a provider that is not kept",
        smuggled=(Smuggled("laid over their provider", 404, body=lambda mine, theirs: {"provider": theirs.provider}),),
    ),
    Row("GET", "/api/providers/{provider}", "viewer"),
    Row(
        "PATCH", "/api/providers/{provider}", "admin", body=lambda w: {"name": f"P {w.mark}"}, audit="provider.changed"
    ),
    Row("DELETE", "/api/providers/{provider}", "admin", 204, audit="provider.deleted"),
    Row("GET", "/api/providers/{provider}/credentials", "editor", ids={"provider": "own_provider"}),
    Row(
        "PATCH",
        "/api/providers/{provider}/credentials",
        "editor",
        ids={"provider": "own_provider"},
        body=lambda w: {"api_key": f"key-{w.mark}-1"},
        audit="credentials.entered",
    ),
    Row(
        "DELETE",
        "/api/providers/{provider}/credentials",
        "editor",
        204,
        ids={"provider": "own_provider"},
        audit="credentials.deleted",
    ),
    Row("POST", "/api/providers/{provider}/test", "editor", silent="keeps what the endpoint said, changes nothing"),
    Row("GET", "/api/providers/{provider}/models", "editor", 403),
    Row("GET", "/api/provider-presets", "viewer"),
]

FILES = [
    Row("POST", "/api/files", "editor", 201, upload=True, scope="run", audit="file.created", bound="all"),
    Row("GET", "/api/files/{key}", "viewer", ids={"key": "file"}),
    Row("GET", "/api/files/{key}", "viewer", ids={"key": "blob"}),
]

SECRETS = [
    Row("GET", "/api/secrets", "viewer"),
    Row(
        "POST",
        "/api/secrets",
        "admin",
        201,
        body=lambda w: {"name": "fresh", "value": "v", "hosts": ["example.org"]},
        audit="secret.created",
    ),
    Row(
        "PATCH",
        "/api/secrets/{name}",
        "admin",
        ids={"name": "secret"},
        body=lambda w: {"hosts": ["example.com"]},
        audit="secret.changed",
    ),
    Row("DELETE", "/api/secrets/{name}", "admin", 204, ids={"name": "secret"}, audit="secret.deleted"),
]

ACCOUNTS = [
    Row("GET", "/api/me", "viewer", bound="all"),
    Row("PATCH", "/api/me", "viewer", body=lambda w: {"theme": "dark"}, silent="one's own taste"),
    Row("GET", "/api/me/servers-off", "viewer"),
    Row("PUT", "/api/me/servers-off", "viewer", body=lambda w: {"servers": []}, silent="one's own taste"),
    Row("GET", "/api/setup", ANYONE, 404, query="?token=none"),
    Row(
        "POST",
        "/api/setup",
        ANYONE,
        404,
        body=lambda w: {"token": "none"},
        silent="refused here; who signs in by a link leaves session.begun (test_audit)",
    ),
    Row("GET", "/api/me/security", PERSON),
    Row("POST", "/api/me/password", PERSON, 204, body=_new_password, audit="password.changed"),
    Row(
        "POST",
        "/api/me/two-factor/begin",
        PERSON,
        body=_proof,
        silent="nothing is on until a code confirms it",
    ),
    Row(
        "POST",
        "/api/me/two-factor/confirm",
        PERSON,
        409,
        body=lambda w: {"code": "000000"},
        silent="refused here; with the right code two_factor.on (test_person)",
    ),
    Row("POST", "/api/me/two-factor/codes", PERSON, also=409, body=_proof, audit="two_factor.codes"),
    Row("POST", "/api/me/two-factor/off", PERSON, 409, body=_proof, silent="refused here; two_factor.off"),
    Row("GET", "/api/me/passkeys", PERSON),
    Row("POST", "/api/me/passkeys/begin", PERSON, body=_proof, silent="nothing is kept until it is made"),
    Row(
        "POST",
        "/api/me/passkeys",
        PERSON,
        403,
        body=lambda w: {"name": "x", "credential": {"id": "none"}},
        silent="refused here; with the browser's answer passkey.added (test_passkeys)",
    ),
    Row(
        "POST",
        "/api/me/passkeys/{key}/remove",
        PERSON,
        204,
        ids={"key": "passkey"},
        body=_proof,
        audit="passkey.removed",
    ),
    Row("GET", "/api/me/sessions", PERSON),
    Row("POST", "/api/me/sessions/end", PERSON, audit="session.ended_others"),
    Row("DELETE", "/api/me/sessions/{key}", PERSON, 204, ids={"key": "session"}, audit="session.ended"),
    Row("GET", "/api/me/end", PERSON),
    Row(
        "POST",
        "/api/me/end",
        PERSON,
        204,
        body=lambda w: {"email": w.people["viewer"].user.email, **_proof(w)},
        also=400,  # the stranger sends another's e-mail
        audit="member.left",
    ),
    Row("GET", "/api/teams", "viewer"),
    Row("POST", "/api/teams", "admin", 201, body=lambda w: {"name": f"More {w.mark}"}, audit="team.created"),
    Row("GET", "/api/teams/current", "viewer"),
    Row(
        "PATCH",
        "/api/teams/current",
        "admin",
        body=lambda w: {"budget": {"tokens_per_day": 5}},
        audit="team.updated",
    ),
    Row("DELETE", "/api/teams/current", "owner", 204, query="?name=Team {mark}", audit="team.deleted"),
    Row(
        "POST",
        "/api/teams/current/transfer",
        "owner",
        body=lambda w: {"member": w.member},
        audit="team.transferred",
        smuggled=(Smuggled("to a member of their team", 404, body=lambda mine, theirs: {"member": theirs.member}),),
    ),
    Row(
        "POST",
        "/api/teams/current/leave",
        "viewer",
        204,
        scope="admin",
        also=409,  # the last owner stays
        by="editor",
        audit="member.left",
    ),
    Row("GET", "/api/teams/current/belongings", "viewer"),
    Row("GET", "/api/teams/members", "viewer"),
    Row(
        "PATCH",
        "/api/teams/members/{key}",
        "admin",
        ids={"key": "member"},
        body=lambda w: {"role": "editor"},
        audit="member.changed",
    ),
    Row("DELETE", "/api/teams/members/{key}", "admin", 204, ids={"key": "member"}, audit="member.removed"),
    Row("GET", "/api/teams/members/{key}/belongings", "admin", ids={"key": "member"}),
    Row("GET", "/api/teams/invitations", "admin"),
    Row(
        "POST",
        "/api/teams/invitations",
        "admin",
        201,
        body=lambda w: {"role": "viewer", "email": f"guest.{w.mark}@example.org"},
        audit="invitation.created",
    ),
    Row("DELETE", "/api/teams/invitations/{key}", "admin", 204, {"key": "invitation"}, audit="invitation.deleted"),
    Row("POST", "/api/invitations/look", ANYONE, 404, body=lambda w: {"token": "none"}, silent=READS),
    Row(
        "POST",
        "/api/invitations/accept",
        ANYONE,
        404,
        body=lambda w: {"token": "none"},
        silent="refused here; with a link invitation.accepted (test_invitations)",
    ),
    Row(
        "GET",
        "/api/audit",
        "admin",
        smuggled=(Smuggled("deeds on their run", 200, query=lambda theirs: f"?target={theirs.run}"),),
    ),
    Row("GET", "/api/audit/chain", "admin"),
    Row("GET", "/api/audit/export", "admin", audit="audit.exported"),
    Row("GET", "/api/tokens", "viewer"),
    Row(
        "POST",
        "/api/tokens",
        "viewer",
        201,
        body=lambda w: {"name": f"t {w.mark}", "scopes": ["edit"], "expires_in_days": 1},
        audit="token.created",
    ),
    Row(
        "DELETE",
        "/api/tokens/{key}",
        "admin",  # members may end their own; this one is the owner's
        204,
        ids={"key": "token"},
        scope="edit",
        lacking=404,
        audit="token.deleted",
    ),
]

_SCHEDULE = {"every_s": 3600, "inputs": {"q": "x"}}
TRIGGERS = [
    Row("GET", "/api/triggers", "viewer"),
    Row("GET", "/api/workflows/{workflow}/triggers", "viewer"),
    Row("GET", "/api/workflows/{workflow}/agui", "viewer"),
    Row("GET", "/api/workflows/{workflow}/offer", "viewer"),
    Row("GET", "/api/workflows/{workflow}/agent", "viewer"),
    Row(
        "POST",
        "/api/workflows/{workflow}/triggers",
        "editor",
        201,
        body=lambda w: {"kind": "schedule", "name": "Every hour", "enabled": True, "config": _SCHEDULE},
        audit="trigger.created",
        smuggled=(
            Smuggled(
                "events of their workflow",
                400,
                body=lambda mine, theirs: {
                    "kind": "event",
                    "name": "It failed",
                    "config": {"on": "run_failed", "workflows": [theirs.workflow]},
                },
            ),
        ),
    ),
    Row("GET", "/api/triggers/{key}", "viewer", ids={"key": "trigger"}),
    Row(
        "PATCH",
        "/api/triggers/{key}",
        "editor",
        ids={"key": "trigger"},
        body=lambda w: {"name": f"Renamed {w.mark}"},
        audit="trigger.changed",
        smuggled=(
            Smuggled(
                "another owner",
                200,
                body=lambda mine, theirs: {"acts_as": theirs.owner_id, "team": theirs.team, "enabled": True},
            ),
        ),
    ),
    Row("DELETE", "/api/triggers/{key}", "editor", 204, ids={"key": "trigger"}, audit="trigger.deleted"),
    Row("POST", "/api/triggers/{key}/rotate", "admin", ids={"key": "webhook"}, audit="trigger.rotated"),
    Row(
        "POST",
        "/api/triggers/{key}/test",
        "editor",
        202,
        ids={"key": "trigger"},
        scope="run",
        audit="run.started",
        smuggled=(Smuggled("a delivery of theirs", 404, body=lambda mine, theirs: {"delivery": theirs.delivery}),),
    ),
    Row("GET", "/api/triggers/{key}/deliveries", "viewer", ids={"key": "trigger"}),
    Row("GET", "/api/triggers/{key}/deliveries/export", "viewer", ids={"key": "trigger"}),
    Row(
        "POST",
        "/api/triggers/{key}/deliveries/{delivery}/replay",
        "editor",
        202,
        ids={"key": "trigger"},
        scope="run",
        audit="trigger.replayed",
    ),
    Row(
        "POST",
        "/api/triggers/{key}/chat",
        "editor",
        202,
        ids={"key": "chat"},
        scope="run",
        body=lambda w: {"text": f"Hello {w.mark}"},
        audit="run.started",
        smuggled=(
            Smuggled(
                "a conversation of theirs",
                404,
                body=lambda mine, theirs: {"text": "Hello", "conversation": theirs.conversation},
            ),
            Smuggled(
                "a turn of theirs",
                404,
                body=lambda mine, theirs: {"conversation": mine.conversation, "replaces": theirs.turn},
            ),
            Smuggled("a file of theirs", 400, body=lambda mine, theirs: {"text": "Hello", "files": [theirs.file]}),
        ),
    ),
    Row("GET", "/api/conversations", "viewer"),
    Row("GET", "/api/conversations/{key}", "viewer", ids={"key": "conversation"}, also=404),  # the owner's alone
    Row("GET", "/api/conversations/{key}/export", "viewer", ids={"key": "conversation"}, also=404),
    Row(
        "PATCH",
        "/api/conversations/{key}",
        "editor",
        ids={"key": "conversation"},
        also=404,
        body=lambda w: {"title": f"Renamed {w.mark}"},
        silent="how a person calls what is theirs alone, and which version they look at",
        smuggled=(Smuggled("a turn of theirs", 404, body=lambda mine, theirs: {"shown": theirs.turn}),),
    ),
    Row(
        "DELETE",
        "/api/conversations/{key}",
        "editor",
        204,
        ids={"key": "conversation"},
        also=404,
        audit="conversation.deleted",
    ),
    Row("GET", "/api/triggers/{key}/page", "viewer", ids={"key": "members_page"}),
    Row(
        "POST",
        "/api/triggers/{key}/page/runs",
        "editor",
        202,
        ids={"key": "members_page"},
        scope="run",
        body=lambda w: {"key": secrets.token_urlsafe(32), "inputs": {"q": "x"}},
        audit="run.started",
        smuggled=(
            Smuggled(
                "a file of theirs",
                400,
                body=lambda mine, theirs: {"key": "k" * 43, "inputs": {"q": {"$file": theirs.file}}},
            ),
            Smuggled(
                "the key of a run of theirs", 202, body=lambda mine, theirs: {"key": theirs.visit, "inputs": {"q": "x"}}
            ),
        ),
    ),
    Row("GET", "/api/triggers/{key}/conversations", "admin", ids={"key": "members_page"}),
    Row("GET", "/api/triggers/{key}/page/runs/{visit}", "viewer", ids={"key": "members_page"}, also=404),
    Row("GET", "/api/triggers/{key}/page/conversations/{talk}", "viewer", ids={"key": "members_page"}, also=404),
    Row("GET", "/api/triggers/{key}/page/conversations/{talk}/export", "viewer", ids={"key": "members_page"}, also=404),
    Row(
        "DELETE",
        "/api/triggers/{key}/page/conversations/{talk}",
        "editor",
        204,
        ids={"key": "members_page"},
        also=404,
        audit="conversation.deleted",
    ),
    Row("*", "/p/{address}", ANYONE, ids={"address": "link"}, also=503),
    Row("GET", "/p/{link}/about", ANYONE),
    Row(
        "POST",
        "/p/{link}/runs",
        ANYONE,
        202,
        body=lambda w: {"key": secrets.token_urlsafe(32), "inputs": {"q": "x"}},
        audit="run.started",
        smuggled=(
            Smuggled(
                "a file of theirs",
                400,
                body=lambda mine, theirs: {"key": "k" * 43, "inputs": {"q": {"$file": theirs.file}}},
            ),
            Smuggled(
                "the key of a run of theirs", 202, body=lambda mine, theirs: {"key": theirs.visit, "inputs": {"q": "x"}}
            ),
        ),
    ),
    Row("GET", "/p/{link}/runs/{key}", ANYONE, ids={"key": "visit"}),
    Row("GET", "/p/{link}/conversations/{key}", ANYONE, ids={"key": "talk"}),
    Row("GET", "/p/{link}/conversations/{key}/export", ANYONE, ids={"key": "talk"}),
    Row("DELETE", "/p/{link}/conversations/{key}", ANYONE, 204, ids={"key": "talk"}, audit="conversation.deleted"),
    Row("POST", "/hooks/{token}", ANYONE, 202, ids={"token": "hook_token"}, audit="run.started"),
    Row("GET", "/hooks/{token}", ANYONE, 405, ids={"token": "hook_token"}),
    *(
        Row(method, "/hooks/{token}", ANYONE, 405, ids={"token": "hook_token"}, silent="this webhook takes POST alone")
        for method in ("PUT", "PATCH", "DELETE")
    ),
]

COLLECTIONS = [
    Row("GET", "/api/collections", "viewer"),
    Row(
        "POST",
        "/api/collections",
        "editor",
        201,
        body=lambda w: {"name": f"New {w.mark}"},
        audit="collection.created",
    ),
    Row("GET", "/api/collections/{key}", "viewer", ids={"key": "collection"}),
    Row(
        "PATCH",
        "/api/collections/{key}",
        "editor",
        ids={"key": "collection"},
        body=lambda w: {"description": f"said {w.mark}"},
        audit="collection.changed",
    ),
    Row("DELETE", "/api/collections/{key}", "editor", 204, {"key": "collection"}, audit="collection.deleted"),
    Row(
        "POST",
        "/api/collections/{key}/tools",
        "editor",
        201,
        ids={"key": "collection"},
        body=lambda w: {"server": w.server, "tool": "look", "description": f"looks for {w.mark}"},
        audit="collection.tool_added",
        smuggled=(
            Smuggled("their server", 400, body=lambda mine, theirs: {"server": theirs.server, "tool": "look"}),
            Smuggled("their workflow", 400, body=lambda mine, theirs: {"workflow": theirs.workflow}),
        ),
    ),
    Row(
        "PATCH",
        "/api/collections/{key}/tools/{entry}",
        "editor",
        ids={"key": "collection"},
        body=lambda w: {"name": "renamed"},
        audit="collection.tool_changed",
    ),
    Row(
        "DELETE",
        "/api/collections/{key}/tools/{entry}",
        "editor",
        204,
        ids={"key": "collection"},
        audit="collection.tool_removed",
    ),
    Row(
        "POST",
        "/api/collections/{key}/contents",
        "editor",
        403,  # NETWORK_BLOCKED, as for all that would connect
        ids={"key": "collection"},
        body=lambda w: {"server": w.server, "resource": "notes://a"},
        silent="the server is asked first, and none is reached here",
        smuggled=(
            Smuggled("their server", 400, body=lambda mine, theirs: {"server": theirs.server, "prompt": "plan"}),
        ),
    ),
    Row(
        "PATCH",
        "/api/collections/{key}/contents/{content}",
        "editor",
        ids={"key": "collection"},
        body=lambda w: {"name": "renamed"},
        audit="collection.content_changed",
    ),
    Row(
        "DELETE",
        "/api/collections/{key}/contents/{content}",
        "editor",
        204,
        ids={"key": "collection"},
        audit="collection.content_removed",
    ),
    Row("GET", "/api/collections/{key}/tokens", "viewer", ids={"key": "collection"}),
    Row(
        "POST",
        "/api/collections/{key}/tokens",
        "editor",
        201,
        ids={"key": "collection"},
        body=lambda w: {"name": f"t {w.mark}", "scopes": ["run"], "expires_in_days": 1},
        scope="run",
        audit="token.created",
    ),
]

_AUTH = "/_allauth/browser/v1"
SIGN_IN = [
    Row(
        "POST",
        "/api/sign-in/passkey/begin",
        ANYONE,
        silent="a challenge in the browser's own session; who signs in with it leaves session.begun",
    ),
    Row(
        "POST",
        "/api/sign-in/passkey",
        ANYONE,
        403,
        body=lambda w: {"credential": {"id": "none"}},
        silent="refused here; with a passkey session.begun (test_passkeys)",
    ),
    Row("GET", "/api/sso/start", ANYONE, 404),  # no provider is named in tests; with one: tests/live/accounts
    Row("GET", "/api/sso/callback", ANYONE, 404),
    Row("GET", f"{_AUTH}/auth/session", PERSON),
    Row("DELETE", f"{_AUTH}/auth/session", PERSON, 401, silent=ALLAUTH),
    Row("POST", f"{_AUTH}/auth/login", ANYONE, 400, silent=ALLAUTH),
    Row("POST", f"{_AUTH}/auth/2fa/authenticate", ANYONE, 401, silent=ALLAUTH),
    Row("*", "/^_allauth(?:/(?P<rest>.*))?$", ANYONE, 404, at="/_allauth/browser/v1/auth/signup"),
]

_PAGES = r"/^(?!(?:\.well-known|api|docs|hooks|mcp|metrics|p|static|_allauth|ws)(?:/|$)).*$"
_ADDRESSES = r"/^(?:\.well-known|a2a|api|hooks|mcp|metrics|p|static|ws)(?:/(?P<rest>.*))?$"
_KNOWN = r"/^\.well-known/oauth-"
OAUTH = [
    Row("GET", "/api/oauth/ask", PERSON, 400),  # with a client that registered: tests/api/oauth
    Row(
        "POST",
        "/api/oauth/decide",
        PERSON,
        400,
        silent="refused here; what is allowed leaves token.created when the client takes its tokens (tests/api/oauth)",
    ),
    Row("GET", _KNOWN + r"protected-resource(?P<path>/.*)?$", ANYONE, at="/.well-known/oauth-protected-resource/mcp"),
    Row("GET", _KNOWN + r"authorization-server(?P<path>/.*)?$", ANYONE, at="/.well-known/oauth-authorization-server"),
    Row("GET", "/oauth/client.json", ANYONE, 404),  # there is one where Patchbay has an https address
    Row("POST", "/oauth/register", ANYONE, 400, silent="a client names itself; nothing of any team is touched"),
    Row("POST", "/oauth/token", ANYONE, 400, silent="refused here; a code leaves token.created (tests/api/oauth)"),
    Row("POST", "/oauth/revoke", ANYONE, 400, silent="refused here; a token leaves token.deleted (tests/api/oauth)"),
]

PROJECT = [
    Row("GET", "/api/health", ANYONE, 503),  # no worker in tests
    Row("GET", "/api/ready", ANYONE, 503),
    Row("GET", "/api/schema", ANYONE),
    Row("*", "/metrics", ANYONE, 404),  # with its own token only (test_metrics)
    Row("*", _ADDRESSES, ANYONE, 404, at="/api/nothing/here"),
    Row("*", "/docs", ANYONE, 302),
    Row("*", "/docs/{language}/{name}", ANYONE, ids={"language": "english", "name": "page"}),
    Row("*", "/docs/{language}", ANYONE, ids={"language": "english"}),
    Row("*", _PAGES, ANYONE, at="/workflows"),
]

ROWS: list[Row] = [
    *RUNS,
    *WORKFLOWS,
    *REGISTRY,
    *PROVIDERS,
    *FILES,
    *SECRETS,
    *ACCOUNTS,
    *TRIGGERS,
    *COLLECTIONS,
    *SIGN_IN,
    *OAUTH,
    *OPERATORS,
    *PROJECT,
]


TOPICS = {"run": "run", "workflow": "workflow", "team": "team"}
"""Kind of topic of the websocket → the field of `Tenant` with the id of one. Every member may watch, a token with the
scope "read"; to everybody else it does not exist."""
OWN_TOPICS = {"conversation": "conversation"}
"""The same of what belongs to one person, the owner in `World.ids`: it does not exist to others of the team either."""

ACTIONS = {
    "subscribe": "asks whether the person may watch the topic, now and for as long as it is watched",
    "unsubscribe": "touches the socket's own subscriptions only",
    "ack": "touches the socket's own subscriptions only",
}
"""Action of the websocket → why it cannot reach what is not one's own."""

TASKS = {
    "runs.wake": "a hint: names a run for a worker to look at. It carries no person, no content and no right; who may "
    "speak to the broker can make a worker look, and nothing else.",
}
"""Celery task → what it may do for whoever can send it."""

MCP_TOOLS = {"list_workflows": "read", "get_run": "read", "run_workflow": "run", "cancel_run": "run"}
"""Tool of ours for MCP clients → the scope that its token needs; those of "run" also the role of an editor."""

MCP_TASKS = ("tasks/get", "tasks/update", "tasks/cancel")
"""Methods by which MCP clients come to a run as a task; all need the scope "run"."""

AGENT_METHODS = ("SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask", "SubscribeToTask")
"""What clients of agents ask at `/a2a/{team}/{slug}`; all need the scope "run" and the role of an editor."""

MCP_RESOURCES = {"workflow://{slug}": "read", "workflow://{slug}/status": "read", "run://{run}": "read"}
"""Resource of ours for MCP clients → the scope that its token needs. `slug` = of an offered workflow."""
