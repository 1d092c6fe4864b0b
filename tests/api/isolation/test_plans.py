"""How the database finds what lists show: from an index and in its order, never by reading or sorting a whole table.

Every address that answers a list is met, for every address has a row in the matrix; every parameter that the document
of the API names for it is tried. What a plan may read whole is named below, with the reason why it stays small.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from backend.accounts.auth.tokens import issue_token
from tests.api.isolation.matrix import ROWS
from tests.api.isolation.plans import plan, statements
from tests.api.isolation.sending import every
from tests.api.isolation.table import ANYONE, MEMBERS, OPERATOR, Row
from tests.api.isolation.tenant import HANDLER, Tenant
from tests.openapi_document import openapi_document
from tests.people import Api

pytestmark = pytest.mark.django_db

SMALL = {
    "accounts_allowance": "what operators allow, some lines",
    "accounts_auditnote": "starts since the keeper's last look, read in batches in the order of their keys",
    "accounts_user": "people of the installation",
    "accounts_team": "asked whether there are several: two rows are read",
    "registry_programapproval": "programs of all teams, each asked for by hand",
    "runs_inboxmessage": "messages that nobody has read yet",
    "runs_workerseen": "workers of the installation that are alive",
}
"""Tables that are read whole: they do not grow with the work of a team."""
SORTED = {
    "accounts_membership": "people of a team",
    "accounts_team": "teams of a person",
    "accounts_invitation": "invitations that are open",
    "accounts_apitoken": "tokens of a person or team",
    "mfa_authenticator": "one person's keys",
    "usersessions_usersession": "one person's sessions",
    "providers_provider": "endpoints of models",
    "secrets_secret": "values that somebody entered by hand",
    "registry_declaration": "servers that documents declare, each entered by hand",
    "registry_programapproval": "programs, each asked for by hand",
    "registry_tool": "tools of one server, whose changed ones stand first",
    "runs_workflowtest": "tests of one workflow, each saved by hand",
}
"""Tables of which a list sorts what it has found: it stays small, or is bounded by what it belongs to."""
WHOLE = {"/api/restored-runs": "runs that nobody has looked at since a backup was restored; they are shown together"}
"""Addresses that sort what they found, for all of it is shown."""
PARTIAL = re.compile(r"INDEX server_limits\b")
"""Indexes that hold only what is asked for."""
ONE = re.compile(r"WHERE .*\bid\"? = %s( OR \S*slug\"? = %s)?\)")
"""Looks for one thing by its id or slug: what is sorted is a row or two."""

NUMBERS = ("/api/usage/storage", "/api/queue", "/api/usage", "/api/mcp/servers/{server}/calls")
"""Addresses that add up what lists show, and sort the sums."""

ASKED: dict[str, dict[str, list[str]]] = {
    "/api/runs": {
        "workflow": ["{workflow}"],
        "state": ["WAITING", "ERROR"],
        "parent": ["{run}"],
        "caller": ["{mark}", "{mark}&state=ERROR", "{mark}&workflow={workflow}"],
    },
    "/api/run-callers": {"q": ["word"]},
    "/api/runs/{key}/events": {"after": ["1"], "round": ["each:1"]},
    "/api/runs/{key}/rounds": {
        "node": ["each"],
        "path": ["outer:1&node=each"],
        "state": ["ERROR&node=each"],
        "after": ["1&node=each"],
    },
    "/api/workflows": {"q": ["word"], "id": ["{workflow}"], "published": ["true", "true&q=word"]},
    "/api/teams/members": {"q": ["word"], "role": ["owner"], "user": ["{owner_id}"]},
    "/api/mcp/servers": {
        "q": ["word"],
        "only": ["attention", "mine", "attention&sort=name", "mine&sort=name&q=word"],
        "kind": ["agent", "server", "agent&sort=name", "server&only=attention&q=word"],
        "sort": ["name", "newest"],
    },
    "/api/mcp/servers/{server}/tools": {"q": ["word"], "name": ["look"], "changed": ["1"], "refresh": []},
    "/api/mcp/tool-names": {"server": ["{server}", "{server}&server=another"]},
    "/api/mcp/servers/{server}/calls": {"span": ["day", "month"]},
    "/api/collections": {"server": ["{server}"]},
    "/api/mcp/declarations": {"state": ["waiting"]},
    "/api/operator/programs": {"state": ["waiting"], "q": ["word"]},
    "/api/providers": {"q": ["word"], "sort": ["name", "newest", "name&q=word"]},
    "/api/interactions": {"state": ["open", "answered"], "run": ["{run}"], "id": ["{interaction}"], "alone": ["1"]},
    "/api/audit": {
        "action": ["run.started"],
        "actor": ["{owner_id}"],
        "from": ["2026-01-01T00:00:00Z"],
        "kind": ["run"],
        "target": ["{run}"],
        "token": ["{token}"],
        "to": ["2100-01-01T00:00:00Z"],
        "q": ["word"],
    },
    "/api/provider-presets": {"look": []},
    "/api/conversations": {"trigger": ["{chat}", "{chat}&draft=true"], "draft": ["true"]},
    "/api/tokens": {"of": ["team", "me"]},
    "/api/usage": {"by": ["workflow", "server"], "from": ["2026-11-01"], "to": ["2026-11-20"]},
}
"""Path → parameter → values to try, beside `cursor` and `limit`."""
CURSORS = {"/api/mcp/servers/{server}/tools": "0|0|a"}
PLACE = "2100-01-01T00:00:00+00:00|0"


@pytest.fixture(scope="module")
def parameters() -> dict[str, list[str]]:
    """The parameters of each address's GET, as the document of the API names them."""
    paths = openapi_document()["paths"]
    return {
        path: [parameter["name"] for parameter in methods["get"].get("parameters", []) if parameter["in"] == "query"]
        for path, methods in paths.items()
        if "get" in methods
    }


LISTS = [row for row in ROWS if row.method == "GET" and row.ok == 200 and row.who != ANYONE and row.path[:5] == "/api/"]


def client_of(row: Row, tenant: Tenant) -> Client:
    """Who may."""
    if row.who == OPERATOR:
        return tenant.sessions["operator"]
    return tenant.people["owner"].api.client if row.who in MEMBERS else tenant.sessions["owner"]


@every(LISTS)
def test_lists_come_from_an_index_in_its_order(row: Row, ours: Tenant, parameters: dict[str, list[str]]) -> None:
    client, address = client_of(row, ours), row.address(ours)
    known = parameters.get(row.path, [])
    if row.path not in NUMBERS and "results" not in _json(client.get(address)):
        return
    request = ASKED.get(row.path, {})
    new = sorted(set(known) - {"cursor", "limit"} - set(request))
    assert new == [], f"{row.path}: parameters that nobody looked at: name values to try in ASKED of {__file__}"
    sent = [""] + [f"{name}={_filled(value, ours)}" for name, values in request.items() for value in values]
    if "cursor" in known:
        cursor = base64.urlsafe_b64encode(CURSORS.get(row.path, PLACE).encode()).decode()
        sent += [f"{item}&cursor={cursor}".lstrip("&") for item in sent]
    results = {}
    for query in sent:
        with statements() as seen:
            reply = client.get(_with(address, query))
        assert reply.status_code == 200, f"{query}: {reply.content[:500]!r}"
        sorts = row.path in NUMBERS or row.path in WHOLE
        if bad := [line for sql, values in seen for line in costly(sql, values, sorts=sorts)]:
            results[query] = bad
    assert results == {}, "\n".join(f"{a}: {b}" for a, b in results.items())


def test_a_token_bound_to_workflows_lists_from_an_index_too(ours: Tenant) -> None:
    owner = ours.people["owner"]
    _, text = issue_token(owner.user, owner.team, "bound", workflows=[ours.workflow, "wf_another"])
    api = Api(text)
    api.client.handler = HANDLER
    results = {}
    for path in ("/api/workflows", "/api/runs", "/api/runs?state=WAITING", "/api/interactions?state=open"):
        with statements() as seen:
            assert api.get(path).status == 200
        if bad := [line for sql, values in seen for line in costly(sql, values)]:
            results[path] = bad
    assert results == {}, "\n".join(f"{a}: {b}" for a, b in results.items())


def _json(reply: Any) -> Any:
    assert reply.status_code == 200
    try:
        return {} if reply.streaming else json.loads(reply.content)
    except ValueError:
        return {}


def _filled(value: str, tenant: Tenant) -> str:
    return re.sub(r"{(\w+)}", lambda item: str(getattr(tenant, item[1])), value)


def _with(address: str, query: str) -> str:
    return f"{address}{'&' if '?' in address else '?'}{query}" if query else address


def costly(sql: str, values: Any, *, sorts: bool = False) -> list[str]:
    """The lines of a statement's plan that read a whole table, or sort one unless it may (`sorts`)."""
    lines = plan(sql, values)
    from_ = re.search(r'FROM "?(\w+)', sql)
    sorts = sorts or bool(from_ and from_[1] in SORTED) or bool(ONE.search(sql))
    matches = []
    for line in lines:
        read = None if PARTIAL.search(line) else re.search(r"^SCAN (\w+)|Seq Scan on (\w+)", line)
        table = _table(sql, read[1] or read[2]) if read else None
        if (table and table not in SMALL) or (not sorts and re.search(r"B-TREE FOR ORDER BY|^(-> +)?Sort  \(", line)):
            matches.append(f"{line} [… {sql[sql.find(' FROM ') :][:1500]}]")
    return matches


def _table(sql: str, name: str) -> str | None:
    """The table that a plan calls `name`, which may be an alias; None where it is one of the statement's own."""
    for table, alias in re.findall(r'"?(\w+)"? (?:AS )?"?(\w+)"?', sql):
        if alias == name and table in connection.introspection.table_names():
            return str(table)
    return name if name in connection.introspection.table_names() else None


def test_no_index_of_runs_is_covered_by_another() -> None:
    """Each index is written with every run: one that another begins with, for the same rows, is superfluous."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'runs_run'")
        else:
            cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'runs_run'")
        matches = {name: _columns(sql) for name, sql in cursor.fetchall() if sql and not name.endswith("_like")}
    assert len(matches) > 10
    covered = [
        f"{name} {columns} by {other} {longer}"
        for name, (columns, rows) in matches.items()
        for other, (longer, others) in matches.items()
        if name != other and rows == others and longer[: len(columns)] == columns
    ]
    assert covered == []


def _columns(sql: str) -> tuple[list[str], str]:
    """(the columns of an index in their order, which rows it holds)."""
    columns, _, rows = sql.partition("(")[2].partition(" WHERE ")
    return [name.strip(' "()') for name in columns.split(",")], rows
