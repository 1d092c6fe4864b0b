"""Remembered approvals and servers declared in documents: bound to definition, configuration, workflow and person."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import pytest

from backend.errors import ApprovalRequired, McpPolicyDenied, NotFound, ServerNotApproved, ValidationFailed
from backend.registry.configuration.declarations import record_declarations
from backend.registry.connecting.connections import find, gated_source, server_config
from backend.registry.models import Declaration, Grant, RunGrant, Server, Tool
from backend.registry.services import declaration_decide, server_update
from backend.registry.tools.listing import record_listing
from backend.registry.tools.policies import RegistryPolicies, granted_for_run, remember_for_run
from backend.tools.calls.direct import DirectEffects
from backend.tools.calls.gate import ToolRules, decide
from backend.tools.loop import LOOP
from backend.tools.types import CallContext, JsonObject, Remember, ToolResult, ToolSpec
from tests.people import Person

SPEC = ToolSpec("demo", "delete_record", "Deletes", annotations={"destructiveHint": True})
ARGUMENTS: JsonObject = {"record": "A-1"}


class Asking:
    """The policies of the server "demo" for one run of one workflow."""

    def __init__(self, person: Person, run: str = "run_1", workflow: str = "wf_1") -> None:
        result = find(person.team.id, "demo", user_id=person.user.id)
        assert result.server is not None
        self.policies = RegistryPolicies(result.server, result.config, user_id=None, run_id=run, workflow_id=workflow)

    def rules(self, arguments: JsonObject = ARGUMENTS, spec: ToolSpec = SPEC) -> ToolRules:
        """The rules of now."""
        return LOOP.run(self.policies.rules(spec, arguments))

    def remember(self, how: Remember, by: Person, arguments: JsonObject = ARGUMENTS, expressions: str = "") -> None:
        """Approve as `by` a call whose arguments the document writes so."""
        rules = replace(self.rules(arguments), expressions=expressions)
        LOOP.run(self.policies.remember(SPEC, arguments, rules, how, by.user.id))

    def asks(self, expressions: str, chosen_by: Any = "person") -> bool:
        """Whether a call is put to a person whose arguments the document writes so."""
        call = CallContext(DirectEffects(), "call", chosen_by=chosen_by, expressions=expressions)
        return decide(SPEC, self.rules(), call).verdict == "ask"


def granted(rules: ToolRules) -> bool:
    """Whether an approval covers a call whose arguments nobody wrote expressions for."""
    return rules.granted or "" in rules.granted_where


@pytest.fixture
def demo(programs: dict[str, Server]) -> Server:
    server = programs["demo"]
    Tool.objects.filter(server=server).delete()  # those that came along: `SPEC` is the first that is known
    assert record_listing(server.id, server.revision, [SPEC])
    return server


def test_a_tool_that_was_never_listed_counts_as_changed(demo: Server, adam: Person) -> None:
    assert Asking(adam).rules().changed is False
    assert Asking(adam).rules(spec=ToolSpec("demo", "unheard_of")).changed is True
    assert Asking(adam).rules(spec=replace(SPEC, description="Deletes everything")).changed is True


@pytest.mark.parametrize(
    ("how", "same_run", "other_run", "other_arguments", "other_workflow"),
    [
        ("once", False, False, False, False),
        ("run", True, False, True, False),
        ("tool", True, True, True, False),
        ("arguments", True, True, False, False),
    ],
)
def test_an_approval_reaches_as_far_as_was_said(
    demo: Server,
    adam: Person,
    how: Remember,
    same_run: bool,
    other_run: bool,
    other_arguments: bool,
    other_workflow: bool,
) -> None:
    Asking(adam).remember(how, adam)
    assert granted(Asking(adam).rules()) is same_run
    assert granted(Asking(adam, run="run_2").rules()) is other_run
    assert granted(Asking(adam).rules({"record": "B-2"})) is other_arguments
    assert granted(Asking(adam, run="run_2", workflow="wf_2").rules()) is other_workflow


def test_always_for_this_tool_holds_for_the_expressions_that_were_seen(demo: Server, adam: Person) -> None:
    asking = Asking(adam)
    assert asking.asks("seen")
    asking.remember("tool", adam, expressions="seen")
    assert not asking.asks("seen") and not Asking(adam, run="run_2").asks("seen")
    assert asking.asks("{{ mail.body }}") and asking.asks("", chosen_by="model"), "nobody looked at these"
    asking.remember("tool", adam)
    assert not asking.asks("", chosen_by="model"), "an agent's own arguments, where that was allowed for an agent"
    assert asking.asks("{{ mail.body }}")


def test_approvals_of_before_hold_for_all_expressions(demo: Server, adam: Person) -> None:
    Asking(adam).remember("tool", adam, expressions="seen")
    Grant.objects.update(expressions=None)
    assert not Asking(adam).asks("{{ mail.body }}")


def test_an_editor_remembers_for_a_run_only(demo: Server, adam: Person, bob: Person, vera: Person) -> None:
    Asking(adam).remember("tool", bob)
    Asking(adam).remember("arguments", bob)
    Asking(adam).remember("run", vera)
    assert not Grant.objects.exists() and Asking(adam).rules().granted is False
    Asking(adam).remember("run", bob)
    assert Asking(adam).rules().granted is True


def test_a_change_of_definition_or_configuration_voids_an_approval(demo: Server, adam: Person) -> None:
    Asking(adam).remember("tool", adam)
    changed = replace(SPEC, description="Deletes everything")
    assert granted(Asking(adam).rules(spec=changed)) is False
    server_update(adam.actor, "demo", {"timeout_ms": 5000})
    assert granted(Asking(adam).rules()) is False


def test_what_an_admin_says_holds_for_a_source_that_is_open(demo: Server, adam: Person) -> None:
    asking = Asking(adam)
    adam.api.patch("/api/mcp/servers/demo/tools/delete_record", {"policy": "deny", "risk": "LOW", "effect": "read"})
    rules = asking.rules()
    assert (rules.policy, rules.risk_override, rules.effect_override) == ("deny", "LOW", "read")
    server_update(adam.actor, "demo", {"enabled": False})
    assert asking.rules().policy == "deny"
    with pytest.raises(McpPolicyDenied):
        find(adam.team.id, "demo", user_id=adam.user.id)


def test_references_are_looked_up_in_order(demo: Server, adam: Person, bob: Person, charlie: Person) -> None:
    team = adam.team.id
    assert server_config(team, "demo").key.server == demo.id
    assert server_config(team, demo.id).slug == "demo"
    graph = {"mcp_servers": {"demo": {"command": "other-program"}}}
    with pytest.raises(ServerNotApproved):
        server_config(team, "demo", graph=graph)
    for nowhere in ("nowhere", "", "\x00", "\ud800"):
        with pytest.raises(NotFound):
            server_config(team, nowhere)
    with pytest.raises(NotFound):
        server_config(charlie.team.id, demo.id)
    with pytest.raises(ValidationFailed):
        server_config(team, {"transport": "http", "url": "ftp://x"})
    server_update(adam.actor, "demo", {"visibility": "private"})
    assert server_config(team, "demo", user_id=adam.user.id).slug == "demo"
    with pytest.raises(NotFound):
        server_config(team, "demo", user_id=bob.user.id)


def test_a_session_per_run_has_a_connection_per_run(demo: Server, adam: Person) -> None:
    team = adam.team.id
    assert server_config(team, "demo", run_id="run_1").key == server_config(team, "demo", run_id="run_2").key
    before = server_config(team, "demo").key
    server_update(adam.actor, "demo", {"session": "run"})
    first, second = (server_config(team, "demo", run_id=run) for run in ("run_1", "run_2"))
    assert first.key != second.key and first.key.run == "run_1" and before.revision != first.key.revision


def test_a_secret_that_changed_gives_another_connection(programs: dict[str, Server], adam: Person) -> None:
    adam.api.post("/api/secrets", {"name": "demo", "value": "first-value-1", "hosts": ["stdio"]})
    server_update(adam.actor, "demo", {"env": {"DEMO": "${secret:demo}"}})
    first = server_config(adam.team.id, "demo")
    assert first.env == {"DEMO": "first-value-1"} and "first-value-1" in first.masks
    adam.api.patch("/api/secrets/demo", {"value": "second-value-2"})
    second = server_config(adam.team.id, "demo")
    assert second.env == {"DEMO": "second-value-2"} and first.key != second.key


def call(person: Person, graph: JsonObject, tool: str, arguments: JsonObject) -> ToolResult:
    async def work() -> ToolResult:
        source = await gated_source(person.team.id, "mine", user_id=person.user.id, graph=graph, workflow_id="wf_1")
        return await source.call_tool(tool, arguments, CallContext(effects=DirectEffects(), key="call"))

    return LOOP.run(work())


def test_a_declared_server_runs_once_approved_and_asks_when_it_changed(
    programs: dict[str, Server], adam: Person, bob: Person
) -> None:
    declared: dict[str, Any] = {"command": sys.executable, "args": programs["demo"].args}
    graph: JsonObject = {"mcp_servers": {"mine": declared}}
    with pytest.raises(ServerNotApproved):
        call(bob, graph, "echo", {"text": "hi"})
    row = Declaration.objects.get()
    assert row.state == "waiting" and record_declarations(bob.team.id, "wf_1", graph) == {row.hash: "waiting"}
    declaration_decide(adam.actor, row.hash, True)
    assert call(bob, graph, "echo", {"text": "hi"}).text == "hi"
    row.refresh_from_db()
    assert "echo" in row.pinned
    Declaration.objects.update(pinned={**row.pinned, "echo": "0" * 64})
    with pytest.raises(ApprovalRequired):
        call(bob, graph, "echo", {"text": "hi"})
    declaration_decide(adam.actor, row.hash, False)
    with pytest.raises(ServerNotApproved):
        call(bob, graph, "echo", {"text": "hi"})


def test_an_approval_for_a_run_of_what_has_no_row_is_kept_on_disk_and_fits_that_run_only(bob: Person) -> None:
    rules = ToolRules(definition_hash="d1", server_hash="c1")
    remember_for_run("run_1", "kb", "write", rules)
    remember_for_run("run_1", "kb", "write", rules)
    remember_for_run(None, "kb", "write", rules)
    assert RunGrant.objects.count() == 1
    assert granted_for_run("run_1", "kb", "write", "d1", "c1")
    for other in (
        ("run_2", "kb", "write", "d1", "c1"),
        (None, "kb", "write", "d1", "c1"),
        ("run_1", "other", "write", "d1", "c1"),
        ("run_1", "kb", "erase", "d1", "c1"),
        ("run_1", "kb", "write", "d2", "c1"),
        ("run_1", "kb", "write", "d1", "c2"),
    ):
        assert not granted_for_run(*other)


def test_the_policy_of_a_tool_whose_name_ends_as_an_address_does(adam: Person) -> None:
    server = Server.objects.create(team=adam.team, name="x", slug="x", transport="stdio", command="x")
    names = ["accept", "terms/accept"]
    record_listing(server.id, server.revision, [ToolSpec(server="x", name=name) for name in names])
    for name in names:
        for written in (name, name.replace("/", "%2F")):
            done = adam.api.patch(f"/api/mcp/servers/x/tools/{written}", {"policy": "deny"})
            assert done.status == 200 and done.data["name"] == name and done.data["policy"] == "deny"
            done = adam.api.post(f"/api/mcp/servers/x/tools/{written}/accept")
            assert done.status == 409, "nothing about it changed, so there is nothing to accept"


def test_a_tool_switched_off_where_its_server_came_from_is_denied_before_it_is_listed(
    demo: Server, adam: Person
) -> None:
    demo.tool_rules = {"deny": ["un*_of"], "only": []}
    demo.revision += 1
    demo.save()
    assert Asking(adam).rules(spec=ToolSpec("demo", "unheard_of")).policy == "deny"
    assert Asking(adam).rules(spec=ToolSpec("demo", "unheard")).policy == "auto"
    assert Asking(adam).rules().policy == "auto", "what an admin may have decided stays"
