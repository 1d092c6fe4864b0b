"""What a segment needs of the database: the run, its graph, its history, its inbox. Read in threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from django.conf import settings
from django.db import connection

from backend.engine.document.compile import Compiled
from backend.engine.document.shape import GraphJson
from backend.engine.execution.current import death_from
from backend.engine.execution.needed import Needed
from backend.engine.execution.ports import Entry, LeaseLost, Message, RunInfo
from backend.engine.language.budget import MB, Limits
from backend.errors import PatchbayError
from backend.net.traces import RunTrace
from backend.registry.servers.switches import ServerOff, off_in, switched_off
from backend.runs.conversations.past import conversation_of, keep_history
from backend.runs.graphs import run_language, stored_graph
from backend.runs.log import rows
from backend.runs.log.batch import About
from backend.runs.log.encoding import decode, iso
from backend.runs.log.events import FlowStartData, WaitingJson
from backend.runs.log.journal import RunUsage, waits_for
from backend.runs.models import InboxMessage, Interaction, Run
from backend.runs.queue import leases
from backend.runs.queue.leases import Claimed
from backend.runs.worker import children, resuming
from backend.runs.worker.client_tools import OF_FRONT_ENDS, client_tools_of
from backend.runs.worker.resuming import Stored
from backend.tools.approvers import rule_of

_RUN = (
    "SELECT r.team_id, r.workflow_id, w.slug, r.version, r.graph_id, r.inputs, r.refs, r.usage, r.queued_at, "
    "r.parent_run_id, r.root_run_id, r.copied_seq, r.started_by_id, u.email, u.language, u.auto_execute, r.evidence, "
    "r.approvers, r.request_id, r.trigger_id, r.conversation, w.hidden, r.trigger, r.traceparent, "
    "r.origin_run_id, o.root_run_id AS origin_root, o.traceparent AS origin_traceparent, "
    "(SELECT l.position FROM runs_logline l WHERE l.run_id = r.id AND l.record = 'rounds' AND l.key = 'needed' "
    "ORDER BY l.position DESC LIMIT 1) AS listed "
    "FROM runs_run r JOIN workflows_workflow w ON w.id = r.workflow_id "
    "LEFT JOIN accounts_user u ON u.id = r.started_by_id "
    "LEFT JOIN runs_run o ON o.id = r.origin_run_id "
    "WHERE r.id = %s"
)


@dataclass(frozen=True, slots=True)
class Loaded:
    """All that a segment needs of the database. `problem` stands instead of `compiled` where the graph cannot run.

    `parent` and `root` = the runs above a child run; `children` = its own runs that go on, `asked` = kinds of open
    questions by id, `servers_off` = `[{id, slug, name}]` of servers whose tools no model is offered. `stored` = where
    large values of `history` lie; `needed` = what a graph with containers needs of its log.
    """

    claimed: Claimed
    team: str
    workflow: str
    version: int | None
    started_by: str | None
    graph: GraphJson
    compiled: Compiled | None
    problem: PatchbayError | None
    info: RunInfo
    refs: list[str]
    usage: RunUsage
    history: list[Entry]
    needed: Needed | None
    stored: Stored
    position: int
    resumed: bool
    inbox: Inbox
    parent: str
    root: str
    children: set[str]
    asked: dict[str, str]
    request_id: str
    servers_off: list[ServerOff]
    conversation: str
    about: About

    @property
    def waiting(self) -> dict[str, WaitingJson]:
        """What the run waited for when it was left."""
        waiting = {key: waits_for(kind, key) for key, kind in self.asked.items()}
        for run in sorted(self.children):
            waiting[run] = {"kind": "child", "run": run}
        return waiting


@dataclass(frozen=True, slots=True)
class Inbox:
    """What lies in a run's inbox: its `seq` as read before the messages, the newest message's id."""

    seq: int
    last: int
    messages: list[Message]


def read_inbox(run: str, after: int = 0) -> Inbox:
    """Messages newer than `after`, oldest first. The sequence is read first: what comes between is read again.

    Raises LeaseLost where the run was deleted.
    """
    seq = Run.objects.filter(pk=run).values_list("inbox_seq", flat=True).first()
    if seq is None:
        raise LeaseLost(run)
    stored = list(InboxMessage.objects.filter(run_id=run, id__gt=after).order_by("id"))
    messages = [Message(cast(Any, row.kind), row.interaction, _said_in(row)) for row in stored]
    return Inbox(seq, stored[-1].id if stored else after, messages)


def _said_in(row: InboxMessage) -> Any:
    if row.kind == "child":
        return children.end_of(row.interaction) or {}
    return decode(row.value) or {}


def load(claimed: Claimed) -> Loaded:
    """Read a claimed run. Touches the database: not on the loop."""
    with connection.cursor() as cursor:
        cursor.execute(_RUN, [claimed.run])
        row = dict(zip([column[0] for column in cursor.description], cursor.fetchone(), strict=True))
    document, compiled, problem = stored_graph(row["graph_id"])
    fresh = claimed.last_seq <= 1
    position, started = (1, None) if fresh else rows.last_position(claimed.run, row["copied_seq"])
    off = _servers_off(row, compiled, started)
    stored = Stored(claimed.run)
    needed = Needed() if compiled is not None and len(compiled.plans) > 1 else None
    inputs = decode(row["inputs"])
    refs = decode(row["refs"]) or []
    if "inputs" in refs:
        inputs = rows.read_blobs([inputs["$ref"]])[inputs["$ref"]]
    past = conversation_of(row["conversation"], claimed.run)
    if started is None and past.says_more_than(inputs):
        inputs, refs = keep_history(claimed, row["team_id"], inputs, past)
    sys = {
        "run_id": claimed.run,
        "workflow": row["slug"],
        "user": row["email"],
        "time": iso(leases.moment(row["queued_at"]).timestamp()),
        "conversation_id": row["conversation"] or None,
    }
    return Loaded(
        claimed=claimed,
        team=row["team_id"],
        workflow=row["workflow_id"],
        version=row["version"],
        started_by=row["started_by_id"],
        graph=document,
        compiled=compiled,
        problem=problem,
        info=RunInfo(
            claimed.run,
            inputs,
            sys,
            language=run_language(document, row["language"]),
            auto_execute=bool(row["auto_execute"]) and not row["trigger_id"],  # nobody sits before it
            servers_off=off_in(off, compiled.mcp_servers) if off and compiled else frozenset(),
            calls_for_model=bool(row["hidden"]),
            draft=row["version"] is None,
            bounds=_bounds(),
            approvers=rule_of(row["approvers"]),
            earlier_messages=past.messages,
            kept=past.variables,
            client_tools=client_tools_of(claimed.run) if row["trigger"] == OF_FRONT_ENDS else (),
            deaths=tuple(death_from(item) for item in decode(row["evidence"])) if row["evidence"] else (),
        ),
        refs=refs,
        usage=decode(row["usage"]),
        history=[] if fresh else resuming.read_past(stored, row["listed"] or 0, needed),
        needed=needed,
        stored=stored,
        position=position,
        resumed=started is not None,
        request_id=row["request_id"],
        servers_off=off,
        conversation=row["conversation"],
        about=_about(claimed.run, row, document),
        inbox=read_inbox(claimed.run) if claimed.inbox_seq else Inbox(0, 0, []),
        parent=row["parent_run_id"] or "",
        root=row["root_run_id"] or "",
        children=set() if fresh else children.unfinished(claimed.run),
        asked={} if fresh else open_questions(claimed.run),
    )


def _about(run: str, row: dict[str, Any], graph: GraphJson) -> About:
    origin = row["origin_run_id"]
    return About(
        trace=RunTrace(run, row["root_run_id"] or "", row["traceparent"]),
        workflow=row["workflow_id"],
        slug=row["slug"],
        version=row["version"],
        trigger=row["trigger"],
        queued_at=leases.moment(row["queued_at"]).timestamp(),
        graph=graph,
        below=bool(row["parent_run_id"]),
        origin=RunTrace(origin, row["origin_root"] or "", row["origin_traceparent"]) if origin else None,
    )


def _bounds() -> Limits:
    """What the values of a run, and its work, may cost here."""
    env = settings.PATCHBAY
    return Limits(value_bytes=int(env.max_blob_mb * MB), run_bytes=env.run_memory_mb * MB, cpu_s=env.run_cpu_s)


def _servers_off(row: dict[str, Any], compiled: Compiled | None, started: FlowStartData | None) -> list[ServerOff]:
    """The servers that no model of this run is offered: as the run began with, else as its starter set it by now."""
    if compiled is None or not compiled.offers_tools:
        return []
    if started is not None:
        return list(started.get("servers_off") or [])
    return switched_off(row["team_id"], row["started_by_id"])


def open_questions(run: str) -> dict[str, str]:
    """The kinds of the questions of a run that nobody has answered, by their ids."""
    return dict(Interaction.objects.filter(run_id=run, state=Interaction.State.OPEN).values_list("pk", "kind"))
