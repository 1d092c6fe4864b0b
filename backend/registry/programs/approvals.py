"""Which programs may be started: an operator's word about each, by the hash of its whole configuration.

It is asked for where more than one team shares the installation, and, where commands are listed, for what goes beyond
the list (`StdioRules.asks`). An operator who enters a program gives that word by entering it. What waits or was
rejected is not started by anybody: not by a run, not by a test.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from django.db import transaction
from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.functional import cached_property

from backend.accounts.actor import Actor
from backend.accounts.audit.trail import audit_in_team
from backend.accounts.models import Team, User
from backend.accounts.teams.operators import acts_as_operator, several_teams
from backend.database.listing import Conditions, ListedRows
from backend.errors import Conflict, McpPolicyDenied, NotFound
from backend.notifications.clients import notify_team
from backend.registry.configuration.declarations import declared_key
from backend.registry.configuration.user_credentials import SERVERS
from backend.registry.models import Declaration, ProgramApproval, Server
from backend.registry.program_hash import Program, program_declared, program_of, program_updated
from backend.registry.programs.responses import ApprovalJson
from backend.registry.programs.rules import stdio_rules
from backend.tools.programs.own_variables import not_own
from backend.tools.servers import PoolKey, ServerConfig
from backend.web.lookup import storable

State = ProgramApproval.State
Asked = ProgramApproval.Asked
Basis = ProgramApproval.Basis

MOST_TESTS = 20
"""Unsaved tests of one team that wait; the oldest give way."""


def _asks(config: ServerConfig) -> bool:
    """Whether these arguments, variables or folder go beyond what the installation lists."""
    rules = stdio_rules()
    home = rules.home_of(config.key)
    return bool(rules.asks(config.command, config.args, config.env, config.cwd, home=home))


def bare_config(server: Server) -> ServerConfig:
    """What a server starts, for looking at it: real arguments, and of variables only the names."""
    held: dict[str, str] = server.secrets.get("args", {})
    args = tuple(held.get(str(index), arg) for index, arg in enumerate(server.args))
    env = dict.fromkeys([*server.env, *server.secrets.get("env", {})], "")
    key = PoolKey(server.team_id, server.id)
    return ServerConfig(key, server.slug, "stdio", command=server.command, args=args, env=env, cwd=server.cwd)


def _declared_config(row: Declaration) -> ServerConfig:
    form = row.config
    key = PoolKey(row.team_id, declared_key(row.hash))
    return ServerConfig(
        key, row.name, "stdio", command=form["command"], args=tuple(form["args"]), env=form["env"], cwd=form["cwd"]
    )


def ask_for_server(actor: Actor, server: Server, *, test: bool = False, changed: bool = True) -> None:
    """See to it that an operator is asked about a server's program, or take the actor's own word for it.

    `changed` = the program is another one than before: an operator who only renames a server approves nothing.
    """
    if server.transport != Server.Transport.STDIO:
        return
    program = program_of(server)
    if not test:
        waiting = ProgramApproval.objects.filter(team=actor.team, server=server.id, state=State.WAITING)
        waiting.exclude(hash=program.hash).delete()  # nobody wants that one any more
    if several_teams() or _asks(bare_config(server)):
        asked_for = Asked.TEST if test else Asked.SERVER
        name = server.name or server.slug
        _ask(actor, program, name, asked_for, server.id if not test else "", by_entering=changed)


def ask_for_declaration(actor: Actor, row: Declaration) -> None:
    """The same for a declared server that an admin approves."""
    if row.config.get("transport") == "stdio" and (several_teams() or _asks(_declared_config(row))):
        _ask(actor, program_declared(row.config), row.name, Asked.DECLARATION, "", by_entering=True)


def ask_for_package(actor: Actor, server: Server | Declaration, package: str, version: str) -> None:
    """See to it that an operator is asked about a new version of what a server is started from, where teams share the
    machine: an approval of the program was about other code. An operator who accepts it gives that word by it.

    Raises McpPolicyDenied: operator_package (asked for now, or waiting still), operator_rejected.
    """
    if not several_teams():
        return
    if isinstance(server, Declaration):
        name, program = server.name, program_updated(program_declared(server.config), package, version)
        _ask(actor, program, name, Asked.DECLARATION, "", by_entering=True)
    else:
        name, program = server.slug, program_updated(program_of(server), package, version)
        _ask(actor, program, server.name or name, Asked.SERVER, server.id, by_entering=True)
    state = state_of(server.team_id, program.hash)
    if state != State.APPROVED:
        reason = "operator_rejected" if state == State.REJECTED else "operator_package"
        params = {"reason": reason, "server": name, "package": package, "version": version}
        raise McpPolicyDenied(params=params, detail={"program": program.hash})


@transaction.atomic
def _ask(actor: Actor, program: Program, name: str, asked_for: str, server: str, *, by_entering: bool) -> None:
    row, created = ProgramApproval.objects.get_or_create(
        team=actor.team,
        hash=program.hash,
        defaults={
            "name": name[:200],
            "config": program.shown,
            "asked_for": asked_for,
            "server": server,
            "requested_by": actor.user,
        },
    )
    if not created and server and not row.server:
        row.server, row.asked_for, row.name = server, asked_for, name[:200]  # tested first, now saved
        row.save(update_fields=["server", "asked_for", "name"])
    if by_entering and row.state != State.APPROVED and acts_as_operator(actor):
        _decide(row, actor.user, State.APPROVED)
    elif created and asked_for == Asked.TEST:
        tests = ProgramApproval.objects.filter(team=actor.team, asked_for=Asked.TEST, state=State.WAITING)
        old = tests.order_by("-created_at", "-id").values_list("pk", flat=True)[MOST_TESTS:]
        ProgramApproval.objects.filter(pk__in=list(old)).delete()


def state_of(team_id: str, digest: str) -> str:
    """What was said about the program of this hash; "" where nobody was asked."""
    state = ProgramApproval.objects.filter(team_id=team_id, hash=digest).values_list("state", flat=True).first()
    return state or ""


def startable(
    config: ServerConfig, digest: str, state: str, several: bool, user_id: str | None, theirs: Iterable[str] = ()
) -> ServerConfig:
    """`config` as it may be started. `theirs` = variables whose values each member enters: no approval covers those.

    Raises McpPolicyDenied: operator_waiting, operator_rejected, env_not_listed.
    """
    rules = stdio_rules()
    foreign = [name for name in not_own(theirs) if name not in rules.own_env]
    if foreign and (several or rules.commands):
        raise McpPolicyDenied(params={"reason": "env_not_listed", "name": foreign[0]})
    approved = state == State.APPROVED
    if state == State.REJECTED or (not approved and (several or _asks(config))):
        reason = "operator_rejected" if state == State.REJECTED else "operator_waiting"
        params = {"reason": reason, "server": config.slug}
        raise McpPolicyDenied(params=params, detail={"program": digest})
    return replace(config, program=digest, approved=approved, started_by=user_id)


def entered_by_each(server: Server) -> list[str]:
    """Names of the variables that each member enters for themselves."""
    return list(server.secrets.get("env", {})) if SERVERS.is_per_user(server) else []


def startable_draft(server: Server, config: ServerConfig, actor: Actor) -> ServerConfig:
    """The same for a server in the hand, saved or not."""
    if server.transport != Server.Transport.STDIO:
        return config
    digest = program_of(server).hash
    state = state_of(server.team_id, digest)
    return startable(config, digest, state, several_teams(), actor.user.id, entered_by_each(server))


def startable_saved(
    server: Server, config: ServerConfig, state: str, several: bool, user_id: str | None
) -> ServerConfig:
    """The same for a server of the registry, whose `state` was read along with it; asks where nobody was asked yet."""
    try:
        return startable(config, server.program_hash, state, several, user_id, entered_by_each(server))
    except McpPolicyDenied:
        if not state:
            _record(server.team_id, program_of(server), server.name, Asked.SERVER, server.id, State.WAITING, user_id)
        raise


def startable_declared(row: Declaration, config: ServerConfig, user_id: str | None) -> ServerConfig:
    """The same for a declared server that an admin of the team approved."""
    program = program_declared(row.config)
    state = state_of(row.team_id, program.hash)
    try:
        return startable(config, program.hash, state, several_teams(), user_id)
    except McpPolicyDenied:
        if not state:
            _record(row.team_id, program, row.name, Asked.DECLARATION, "", State.WAITING, user_id)
        raise


def programs(state: str | None = None, search: str = "") -> QuerySet[ProgramApproval]:
    """What all teams want started, for operators; `search` = words in its name, its team's or its command line."""
    rows, search = ProgramApproval.objects.select_related("team", "requested_by", "decided_by"), search.strip()
    if search:
        if not storable(search):
            return rows.none()
        rows = rows.annotate(line=Cast("config", TextField()))
        rows = rows.filter(Q(name__icontains=search) | Q(team__name__icontains=search) | Q(line__icontains=search))
    return rows.filter(state=state) if state else rows


def program_counts() -> dict[str, int]:
    """How many programs wait, are approved and rejected, how many a person decided about, and how many teams ask."""
    states = {str(state): Count("pk", filter=Q(state=state)) for state in State}
    decided = Count("pk", filter=Q(decided_by__isnull=False))
    return ProgramApproval.objects.aggregate(**states, decided=decided, teams=Count("team", distinct=True))


@transaction.atomic
def program_decide(operator: User, key: str, approve: bool) -> ProgramApproval:
    """Approve or reject a program, exactly as it stands. Raises NotFound, Conflict where it is decided so already."""
    row = programs().select_for_update(of=("self",)).filter(pk=key).first()
    if row is None:
        raise NotFound
    state = State.APPROVED if approve else State.REJECTED
    if row.state == state:
        raise Conflict(params={"reason": "decided"})
    _decide(row, operator, state)
    return row


def _decide(row: ProgramApproval, operator: User, state: str) -> None:
    row.state, row.basis, row.decided_by, row.decided_at = state, Basis.OPERATOR, operator, timezone.now()
    row.save(update_fields=["state", "basis", "decided_by", "decided_at"])
    facts = {"name": row.name, "command": row.config["command"], "hash": row.hash}
    audit_in_team(row.team_id, operator.pk, f"program.{state}", "program", row.id, **facts)
    notify_team(row.team_id, "server", "", "approval")


def approve_included(server: Server) -> None:
    """A server that came along with Patchbay needs nobody's word."""
    _record(server.team_id, program_of(server), server.name, Asked.SERVER, server.id, Basis.INCLUDED)


def approve_earlier(team: Team) -> None:
    """A second team changes nothing for what the first one could start. Inside the transaction that makes `team`."""
    others = Team.objects.exclude(pk=team.pk).order_by()[:2]
    if len(others) != 1:
        return
    for server in others[0].servers.filter(transport=Server.Transport.STDIO, enabled=True):
        _record(server.team_id, program_of(server), server.name, Asked.SERVER, server.id, Basis.EARLIER)
    for row in Declaration.objects.filter(team=others[0], state=Declaration.State.APPROVED):
        if row.config.get("transport") == "stdio":
            _record(row.team_id, program_declared(row.config), row.name, Asked.DECLARATION, "", Basis.EARLIER)


def _record(
    team_id: str, program: Program, name: str, asked_for: str, server: str, word: Basis | State, by: str | None = None
) -> None:
    """A row where there is none: approved on a basis (`word`), or waiting."""
    decided = {"state": State.APPROVED, "basis": word, "decided_at": timezone.now()}
    ProgramApproval.objects.get_or_create(
        team_id=team_id,
        hash=program.hash,
        defaults={
            "name": name[:200],
            "config": program.shown,
            "asked_for": asked_for,
            "server": server,
            "requested_by_id": by,
            **(decided if isinstance(word, Basis) else {}),
        },
    )


def forget(server: Server) -> None:
    """A server is deleted: what was asked for it goes, unless another one of the team starts the same."""
    rows = ProgramApproval.objects.filter(team_id=server.team_id, server=server.id)
    same = Server.objects.filter(team_id=server.team_id, program_hash__in=rows.values("hash")).exclude(pk=server.pk)
    rows.exclude(hash__in=list(same.values_list("program_hash", flat=True))).delete()


_ROWS = ListedRows(
    ProgramApproval,
    ("id", "hash", "state", "basis", "decided_at"),
    beside={"decider": "decided.email"},
    joins="LEFT JOIN accounts_user decided ON decided.id = registry_programapproval.decided_by_id",
)
"""What lists show of a decision, with the address of who decided."""


def _is_program(server: Server) -> bool:
    return server.transport == Server.Transport.STDIO


class Approvals:
    """What operators said about one team's programs, read once for a whole list: of its `servers`, where given."""

    def __init__(self, team_id: str, servers: Iterable[Server] | None = None) -> None:
        self._team = team_id
        self._hashes = None if servers is None else {server.program_hash for server in servers if _is_program(server)}
        self._rows: dict[str, ProgramApproval] | None = None

    @cached_property
    def _several(self) -> bool:
        return several_teams()

    def of(self, digest: str, config: ServerConfig) -> ApprovalJson:
        """`{state, hash, basis, decided_by, decided_at}`; state "free" where nobody needs to be asked."""
        if self._rows is None:
            conditions = Conditions().add("registry_programapproval.team_id = %s", self._team)
            if self._hashes is not None:
                conditions.among("registry_programapproval.hash", sorted(self._hashes))
            self._rows = {row.hash: row for row in _ROWS.read(conditions)}
        row = self._rows.get(digest)
        if row is None or (row.state == State.WAITING and not _asks(config) and not self._several):
            programs = _asks(config) or self._several
            state = State.WAITING if programs else "free"
            return {"state": state, "hash": digest, "basis": None, "decided_by": None, "decided_at": None}
        return {
            "state": row.state,
            "hash": digest,
            "basis": row.basis if row.state == State.APPROVED else None,
            "decided_by": row.__dict__["decider"],
            "decided_at": row.decided_at,
        }

    def of_server(self, server: Server) -> ApprovalJson | None:
        """The same for a server; None where it starts no program."""
        if not _is_program(server):
            return None
        return self.of(server.program_hash, bare_config(server))

    def of_declaration(self, row: Declaration) -> ApprovalJson | None:
        """The same for a declared server."""
        if row.config.get("transport") != "stdio":
            return None
        return self.of(program_declared(row.config).hash, _declared_config(row))
