"""The operator: whose word it takes to start a program where several teams share the machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from backend.accounts.models import AuditEntry, Team, User
from backend.accounts.teams.services import team_create
from backend.errors import McpPolicyDenied
from backend.registry.connecting.connections import find
from backend.registry.models import Declaration, ProgramApproval, Server
from backend.registry.servers.examples import install_example_servers
from backend.tools.loop import LOOP
from backend.tools.packages.requests import request_of
from tests.people import Api, Person

pytestmark = [pytest.mark.wide, pytest.mark.django_db(transaction=True)]

PROGRAMS = "/api/operator/programs"


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    LOOP.stop()


@pytest.fixture
def olga(alice: Person) -> Api:
    """Alice in her browser, as the operator of the installation."""
    User.objects.filter(pk=alice.user.pk).update(is_operator=True)
    return browser(alice)


def browser(person: Person) -> Api:
    """Somebody who is signed in."""
    api = Api()
    api.client.force_login(person.user)
    return api


def thief(tmp_path: Path, name: str = "steal") -> tuple[dict[str, Any], Path]:
    """A program that leaves a mark where it was started, and the mark."""
    mark, script = tmp_path / f"{name}.mark", tmp_path / f"{name}.py"
    script.write_text(f"open({str(mark)!r}, 'a').write('started ')\n")
    args = [str(script), str(tmp_path)]  # the folder too: else its box would keep it from leaving a mark
    return {"transport": "stdio", "command": sys.executable, "args": args}, mark


def waiting(api: Api) -> list[dict[str, Any]]:
    reply = api.get(f"{PROGRAMS}?state=waiting")
    assert reply.status == 200, reply.text
    return list(reply.data["results"])


def test_an_unsaved_test_starts_nothing_before_an_operator_said_yes(charlie: Person, olga: Api, tmp_path: Path) -> None:
    program, mark = thief(tmp_path)
    report = charlie.api.post("/api/mcp/servers/test", program).data
    assert not mark.exists(), "the admin of one team started a program on everybody's machine"
    assert (report["ok"], report["code"]) == (False, "MCP_POLICY_DENIED")
    assert "waiting for an operator" in report["message"]
    (question,) = waiting(olga)
    assert (
        question["command"] == sys.executable
        and question["args"] == program["args"]
        and question["asked_for"] == "test"
    )
    assert question["team"]["name"] == "Elsewhere" and question["requested_by"] == "charlie@example.org"
    approved = olga.post(f"{PROGRAMS}/{question['id']}/approve")
    assert approved.status == 200 and approved.data["state"] == "approved" and approved.data["basis"] == "operator"
    charlie.api.post("/api/mcp/servers/test", program)
    assert mark.read_text().startswith("started")
    started = AuditEntry.objects.filter(action="program.started", team=charlie.team).first()
    assert started is not None and started.actor_id == charlie.user.pk
    assert started.data["command"] == sys.executable and started.data["hash"] == question["hash"]
    tests = list(AuditEntry.objects.filter(action="server.tested", team=charlie.team).order_by("at"))
    assert tests[0].data["code"] == "MCP_POLICY_DENIED"
    assert {row.data["hash"] for row in tests} == {question["hash"]} and tests[0].data["command"] == sys.executable
    reply = AuditEntry.objects.get(action="program.approved", team=charlie.team)
    assert reply.actor_id == User.objects.get(is_operator=True).pk and reply.data["hash"] == question["hash"]


def test_a_saved_server_waits_and_any_change_waits_anew(charlie: Person, olga: Api, tmp_path: Path) -> None:
    program, mark = thief(tmp_path)
    server = charlie.api.post("/api/mcp/servers", {"name": "Thief", **program})
    assert server.status == 201 and server.data["approval"]["state"] == "waiting"
    at = f"/api/mcp/servers/{server.data['id']}"
    for reply in (charlie.api.post(f"{at}/test"), charlie.api.get(f"{at}/tools?refresh=1")):
        assert reply.data["code"] == "MCP_POLICY_DENIED"
    assert AuditEntry.objects.get(action="server.tested", team=charlie.team).data["name"] == "Thief"
    called = charlie.api.post("/api/mcp/tools/call", {"server": "thief", "tool": "x", "arguments": {}})
    assert called.status == 403 and called.data["code"] == "MCP_POLICY_DENIED" and not mark.exists()
    (question,) = waiting(olga)
    olga.post(f"{PROGRAMS}/{question['id']}/approve")
    assert charlie.api.get(at).data["approval"]["state"] == "approved"
    charlie.api.post(f"{at}/test")
    assert mark.exists()
    mark.unlink()
    changes: list[dict[str, Any]] = [
        {"args": [*program["args"], "more"]},
        {"args": [*program["args"], "--api-key", "one"]},
        {"args": [*program["args"], "--api-key", "two"]},
        {"env": {"REGION": "x"}},
        {"env": {"REGION": "y"}},
        {"secret_env": {"LD_PRELOAD": "/tmp/a.so"}},
        {"secret_env": {"LD_PRELOAD": "/tmp/b.so"}},
        {"cwd": str(tmp_path)},
    ]
    for change in changes:
        changed = charlie.api.patch(at, change)
        assert changed.data["approval"]["state"] == "waiting", change
        assert charlie.api.post(f"{at}/test").data["code"] == "MCP_POLICY_DENIED" and not mark.exists()
        (question,) = waiting(olga)  # what nobody wants any more does not wait
        assert olga.post(f"{PROGRAMS}/{question['id']}/approve").status == 200
    charlie.api.patch(at, {"secret_env": {"API_KEY": "first"}})
    (question,) = waiting(olga)
    olga.post(f"{PROGRAMS}/{question['id']}/approve")
    renewed = charlie.api.patch(at, {"name": "Other", "secret_env": {"API_KEY": "second"}, "timeout_ms": 1000})
    assert renewed.data["approval"]["state"] == "approved", "a key of the server's own is changed without asking"


def test_what_is_rejected_is_started_by_nobody(charlie: Person, olga: Api, tmp_path: Path) -> None:
    program, mark = thief(tmp_path)
    server = charlie.api.post("/api/mcp/servers", {"name": "Thief", **program}).data
    (question,) = waiting(olga)
    olga.post(f"{PROGRAMS}/{question['id']}/approve")
    rejected = olga.post(f"{PROGRAMS}/{question['id']}/reject")
    assert rejected.data["state"] == "rejected" and rejected.data["decided_by"] == "alice@example.org"
    assert olga.post(f"{PROGRAMS}/{question['id']}/reject").status == 409
    report = charlie.api.post(f"/api/mcp/servers/{server['id']}/test").data
    assert "rejected" in report["message"] and not mark.exists()
    assert "rejected" in charlie.api.get(f"/api/mcp/servers/{server['id']}/tools?refresh=1").data["message"]
    assert AuditEntry.objects.filter(action="program.rejected", team=charlie.team).exists()


def packaged(charlie: Person, olga: Api) -> str:
    """Charlie's approved server of a package, pinned to 1.0.0, for which 1.1.0 is offered; its address."""
    env = {"npm_config_registry": "http://127.0.0.1:9/"}  # nobody is there
    body = {"name": "Packaged", "transport": "stdio", "command": "npx", "args": ["-y", "packaged"], "env": env}
    server = charlie.api.post("/api/mcp/servers", body).data
    for question in waiting(olga):
        assert question["package"] == ""
        olga.post(f"{PROGRAMS}/{question['id']}/approve")
    request = request_of("npx", ["-y", "packaged"], env)
    assert request is not None
    held: dict[str, Any] = {"request": request.digest, "kind": "npm", "name": "packaged", "asked": "packaged"}
    held |= {"integrity": "sha512-a", "version": "1.0.0", "offered": "1.1.0"}
    held |= {"pinned_at": None, "looked_at": None, "looked": 0.0}
    Server.objects.filter(pk=server["id"]).update(package=held)
    return f"/api/mcp/servers/{server['id']}"


def test_a_new_version_of_an_approved_program_asks_the_operator(charlie: Person, olga: Api) -> None:
    at = packaged(charlie, olga)
    for _ in range(2):
        refused = charlie.api.post(f"{at}/package/update", {"version": "1.1.0"})
        assert refused.status == 403 and refused.data["code"] == "MCP_POLICY_DENIED", refused.text
        assert "1.1.0" in refused.data["message"] and "operator" in refused.data["message"]
        (question,) = waiting(olga)
        assert question["package"] == "packaged 1.1.0" and question["args"] == ["-y", "packaged"]
    assert charlie.api.get(at).data["approval"]["state"] == "approved", "the pinned version may go on"
    olga.post(f"{PROGRAMS}/{question['id']}/approve")
    accepted = charlie.api.post(f"{at}/package/update", {"version": "1.1.0"})
    assert accepted.data["code"] == "MCP_UNREACHABLE", "it would be installed, were its registry there"
    Server.objects.update(package={**Server.objects.get(pk=at.rpartition("/")[2]).package, "offered": "1.2.0"})
    assert charlie.api.post(f"{at}/package/update", {"version": "1.2.0"}).status == 403, "each version is asked about"


def test_a_version_that_an_operator_rejected_is_not_accepted(charlie: Person, olga: Api) -> None:
    at = packaged(charlie, olga)
    charlie.api.post(f"{at}/package/update", {"version": "1.1.0"})
    (question,) = waiting(olga)
    olga.post(f"{PROGRAMS}/{question['id']}/reject")
    refused = charlie.api.post(f"{at}/package/update", {"version": "1.1.0"})
    assert refused.status == 403 and "rejected" in refused.data["message"] and not waiting(olga)
    assert charlie.api.get(at).data["approval"]["state"] == "approved"


def test_an_approval_is_for_one_team(adam: Person, charlie: Person, olga: Api, tmp_path: Path) -> None:
    program, mark = thief(tmp_path)
    adam.api.post("/api/mcp/servers/test", program)
    (question,) = waiting(olga)
    olga.post(f"{PROGRAMS}/{question['id']}/approve")
    assert charlie.api.post("/api/mcp/servers/test", program).data["code"] == "MCP_POLICY_DENIED"
    assert not mark.exists()


def test_an_operators_own_entry_is_the_word_and_a_tokens_never(
    alice: Person, charlie: Person, olga: Api, tmp_path: Path
) -> None:
    program, _ = thief(tmp_path)
    assert alice.api.post("/api/mcp/servers", {"name": "A", **program}).data["approval"]["state"] == "waiting"
    other, _ = thief(tmp_path, "other")
    created = olga.post("/api/mcp/servers", {"name": "B", **other})
    assert (
        created.data["approval"]["state"] == "approved"
        and created.data["approval"]["decided_by"] == "alice@example.org"
    )
    listed = {row["slug"]: row["approval"] for row in olga.get("/api/mcp/servers?sort=name").data["results"]}
    assert listed["b"] == created.data["approval"] and listed["a"]["state"] == "waiting"
    renamed = olga.patch("/api/mcp/servers/a", {"name": "Renamed"})
    assert renamed.data["approval"]["state"] == "waiting", "renaming approves nothing"


def test_only_an_operator_hears_of_programs_and_decides(alice: Person, charlie: Person, tmp_path: Path) -> None:
    program, _ = thief(tmp_path)
    charlie.api.post("/api/mcp/servers/test", program)
    key = ProgramApproval.objects.get().id
    for api in (browser(charlie), browser(alice)):  # owners, each of one of two teams
        for reply in (api.get(PROGRAMS), api.post(f"{PROGRAMS}/{key}/approve"), api.post(f"{PROGRAMS}/{key}/reject")):
            assert reply.status == 403 and reply.data["code"] == "FORBIDDEN"
    call_command("operator", "alice@example.org", stdout=StringIO())
    assert alice.api.get(PROGRAMS).status == 403, "never by a token"
    assert alice.api.post(f"{PROGRAMS}/{key}/approve").status == 403
    assert browser(alice).get(PROGRAMS).status == 200 and browser(alice).get("/api/me").data["operator"] is True
    assert browser(alice).post(f"{PROGRAMS}/nothing/approve").status == 404
    call_command("operator", "alice@example.org", "--remove", stdout=StringIO())
    assert browser(alice).post(f"{PROGRAMS}/{key}/approve").status == 403
    named = AuditEntry.objects.filter(action__startswith="operator.").order_by("at")
    assert [row.action for row in named] == ["operator.named", "operator.removed"]


def test_the_command_lists_operators_and_knows_its_people(alice: Person, adam: Person) -> None:
    out = StringIO()
    call_command("operator", "Adam@Example.org", stdout=out)
    call_command("operator", stdout=out)
    assert out.getvalue().split() == ["adam@example.org"] * 2
    for wrong in (["nobody@example.org"], ["--remove"]):
        with pytest.raises(CommandError):
            call_command("operator", *wrong)


def test_with_one_team_nothing_changes(alice: Person, adam: Person, tmp_path: Path) -> None:
    program, mark = thief(tmp_path)
    server = adam.api.post("/api/mcp/servers", {"name": "Mine", **program}).data
    assert server["approval"]["state"] == "free"
    adam.api.post("/api/mcp/servers/test", program)
    adam.api.post(f"/api/mcp/servers/{server['id']}/test")
    assert mark.exists()
    assert not ProgramApproval.objects.exists()
    assert browser(alice).get("/api/me").data["operator"] is True, "the owner is the operator"
    assert browser(adam).get("/api/me").data["operator"] is False


def test_a_second_team_changes_nothing_for_what_is_there(adam: Person, tmp_path: Path) -> None:
    program, mark = thief(tmp_path)
    on = adam.api.post("/api/mcp/servers", {"name": "On", **program}).data
    off = adam.api.post("/api/mcp/servers", {"name": "Off", **thief(tmp_path, "off")[0], "enabled": False}).data
    second = team_create(User.objects.create_user("zoe@example.org", "correct horse battery"), "Second")
    texts = {value: adam.api.get(f"/api/mcp/servers/{value}").data["approval"] for value in (on["id"], off["id"])}
    assert (texts[on["id"]]["state"], texts[on["id"]]["basis"]) == ("approved", "earlier")
    assert texts[off["id"]]["state"] == "waiting"
    adam.api.post(f"/api/mcp/servers/{on['id']}/test")
    assert mark.exists()
    included = ProgramApproval.objects.filter(team=second).values_list("state", "basis")
    assert set(included) == {("approved", "included")}, "what a new team starts with came along with Patchbay"
    more = adam.api.post("/api/mcp/servers", {"name": "More", **thief(tmp_path, "more")[0]}).data
    team_create(User.objects.get(email="zoe@example.org"), "Third")
    assert adam.api.get(f"/api/mcp/servers/{more['id']}").data["approval"]["state"] == "waiting"


def test_where_commands_are_listed_what_goes_beyond_the_list_asks_even_with_one_team(
    alice: Person, adam: Person, settings: Any, tmp_path: Path
) -> None:
    listed = {"allow_stdio": True, "stdio_commands": [sys.executable]}
    settings.PATCHBAY = settings.PATCHBAY.model_copy(update=listed)
    mark = tmp_path / "mark"
    code = {"transport": "stdio", "command": sys.executable, "args": ["-c", f"open({str(mark)!r}, 'w')"]}
    report = adam.api.post("/api/mcp/servers/test", code).data
    assert report["code"] == "MCP_POLICY_DENIED" and not mark.exists(), "a listed command ran code of the line"
    (question,) = waiting(browser(alice))
    assert question["concerns"] == [{"kind": "arguments", "name": ""}]
    browser(alice).post(f"{PROGRAMS}/{question['id']}/approve")
    adam.api.post("/api/mcp/servers/test", code)
    assert mark.exists()
    plain, started = thief(tmp_path)
    for name in ("OPENSSL_CONF", "GCONV_PATH", "HTTPS_PROXY", "_JAVA_OPTIONS", "DOTNET_STARTUP_HOOKS", "SSL_CERT_FILE"):
        report = adam.api.post("/api/mcp/servers/test", {**plain, "env": {name: "/tmp/x"}}).data
        assert report["code"] == "MCP_POLICY_DENIED" and not started.exists(), name
    assert adam.api.post("/api/mcp/servers/test", {**plain, "cwd": "/"}).data["code"] == "MCP_POLICY_DENIED"
    assert not started.exists()
    adam.api.post("/api/mcp/servers/test", {**plain, "env": {"SEARCH_API_KEY": "k", "REGION": "eu"}})
    assert started.exists(), "keys and settings of its own need nobody"


def test_what_members_enter_themselves_is_never_a_loaders_variable(
    adam: Person, bob: Person, charlie: Person, olga: Api, tmp_path: Path
) -> None:
    program, mark = thief(tmp_path)
    body = {"name": "Each", **program, "credentials": "user", "secret_env": {"LD_PRELOAD": ""}}
    server = adam.api.post("/api/mcp/servers", body).data
    for question in waiting(olga):
        olga.post(f"{PROGRAMS}/{question['id']}/approve")
    bob.api.patch(f"/api/mcp/servers/{server['id']}/credentials", {"secret_env": {"LD_PRELOAD": "/tmp/evil.so"}})
    report = bob.api.post(f"/api/mcp/servers/{server['id']}/test").data
    assert report["code"] == "MCP_POLICY_DENIED" and "LD_PRELOAD" in report["message"] and not mark.exists()


def test_a_declared_program_needs_its_admin_and_an_operator(charlie: Person, olga: Api, tmp_path: Path) -> None:
    program, _ = thief(tmp_path)
    graph = {"schema": 1, "language": "en", "nodes": [], "edges": [], "annotations": [], "mcp_servers": {"x": program}}
    charlie.api.post("/api/workflows", {"name": "W", "graph": graph})
    (declared,) = charlie.api.get("/api/mcp/declarations").data["results"]
    yes = charlie.api.post(f"/api/mcp/declarations/{declared['hash']}/approve")
    assert yes.status == 200 and yes.data["approval"]["state"] == "waiting"
    (question,) = waiting(olga)
    assert question["asked_for"] == "declaration" and question["args"] == program["args"]
    with pytest.raises(McpPolicyDenied):
        find(charlie.team.id, program)
    olga.post(f"{PROGRAMS}/{question['id']}/approve")
    assert find(charlie.team.id, program).config.approved
    assert charlie.api.get("/api/mcp/declarations").data["results"][0]["approval"]["state"] == "approved"


def test_a_new_version_of_a_declared_program_asks_the_operator(charlie: Person, olga: Api) -> None:
    env = {"npm_config_registry": "http://127.0.0.1:9/"}  # nobody is there
    declared = {"transport": "stdio", "command": "npx", "args": ["-y", "packaged"], "env": env}
    graph = {"schema": 1, "language": "en", "nodes": [], "edges": [], "annotations": [], "mcp_servers": {"x": declared}}
    charlie.api.post("/api/workflows", {"name": "W", "graph": graph})
    [row] = charlie.api.get("/api/mcp/declarations").data["results"]
    at = f"/api/mcp/declarations/{row['hash']}"
    assert charlie.api.post(f"{at}/package/look").data["code"] == "CONFLICT", "nothing is installed"
    assert charlie.api.post(f"{at}/approve").status == 200
    for question in waiting(olga):
        olga.post(f"{PROGRAMS}/{question['id']}/approve")
    request = request_of("npx", ["-y", "packaged"], env)
    assert request is not None
    held: dict[str, Any] = {"request": request.digest, "kind": "npm", "name": "packaged", "asked": "packaged"}
    held |= {"integrity": "sha512-a", "version": "1.0.0", "offered": "1.1.0"}
    held |= {"pinned_at": None, "looked_at": None, "looked": 0.0}
    Declaration.objects.filter(hash=row["hash"]).update(package=held)
    [shown] = charlie.api.get("/api/mcp/declarations").data["results"]
    assert (shown["package"]["version"], shown["package"]["offered"]) == ("1.0.0", "1.1.0")
    refused = charlie.api.post(f"{at}/package/update", {"version": "1.1.0"})
    assert (refused.status, refused.data["code"]) == (403, "MCP_POLICY_DENIED"), refused.text
    assert "1.1.0" in refused.data["message"]
    (question,) = waiting(olga)
    assert (question["package"], question["asked_for"]) == ("packaged 1.1.0", "declaration")
    olga.post(f"{PROGRAMS}/{question['id']}/approve")
    accepted = charlie.api.post(f"{at}/package/update", {"version": "1.1.0"})
    assert accepted.data["code"] == "MCP_UNREACHABLE", "it would be installed, were its registry there"
    assert charlie.api.post(f"{at}/reject").status == 200
    assert charlie.api.post(f"{at}/package/look").status == 409, "what was rejected is not even looked for"


def test_requests_for_tests_do_not_pile_up_and_a_deleted_server_asks_no_more(
    charlie: Person, olga: Api, tmp_path: Path
) -> None:
    program, _ = thief(tmp_path)
    for number in range(25):
        charlie.api.post("/api/mcp/servers/test", {**program, "args": [*program["args"], str(number)]})
    assert len(waiting(olga)) == 20
    ProgramApproval.objects.all().delete()
    server = charlie.api.post("/api/mcp/servers", {"name": "Gone", **program}).data
    assert len(waiting(olga)) == 1
    charlie.api.delete(f"/api/mcp/servers/{server['id']}")
    assert waiting(olga) == []


def test_the_migration_approves_what_could_be_started_and_names_the_first_owner(alice: Person, charlie: Person) -> None:
    from importlib import import_module

    from django.apps import apps

    install_example_servers(charlie.team, charlie.user)
    ProgramApproval.objects.all().delete()
    Server.objects.filter(slug="demo").update(enabled=False)
    Server.objects.update(program_hash="")
    import_module("backend.registry.migrations.0008_programs_of_before").programs_of_before(apps, None)
    (row,) = ProgramApproval.objects.all()
    assert (row.state, row.basis, row.hash) == ("approved", "earlier", Server.objects.get(slug="time").program_hash)
    User.objects.update(is_operator=False)
    import_module("backend.accounts.migrations.0007_operator").first_owner(apps, None)
    oldest = Team.objects.order_by("created_at").first()
    assert oldest is not None and User.objects.get(is_operator=True).memberships.get().team == oldest


def test_programs_are_counted_and_searched_by_the_server(olga: Api, alice: Person, charlie: Person) -> None:
    ProgramApproval.objects.all().delete()
    states = ["waiting"] * 247 + ["approved", "rejected", "rejected"]
    ProgramApproval.objects.bulk_create(
        ProgramApproval(
            team=(charlie if n == 249 else alice).team,
            hash=f"{n:064}",
            name=f"Program {n}.",
            config={"command": "uvx", "args": [f"package-{n}."], "env": [], "cwd": ""},
            asked_for="server",
            state=state,
            decided_by=None if state == "waiting" else alice.user,
        )
        for n, state in enumerate(states)
    )
    first = olga.get(f"{PROGRAMS}?state=waiting&limit=200").data
    assert first["counts"] == {"waiting": 247, "approved": 1, "rejected": 2, "decided": 3, "teams": 2}
    second = olga.get(f"{PROGRAMS}?state=waiting&limit=200&cursor={first['next']}").data
    assert (len(second["results"]), second["next"], second["counts"]) == (47, None, None)

    def search(query: str) -> list[str]:
        return [row["name"] for row in olga.get(f"{PROGRAMS}?{query}").data["results"]]

    assert search("q=PROGRAM 7.") == search("q=package-7.") == ["Program 7."]
    assert search("q=elsewhere") == search("q=249.&state=rejected") == ["Program 249."]
    assert search("q=249.&state=waiting") == search("q=%00") == []
