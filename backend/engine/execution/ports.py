"""What the engine needs of the world: a log to append to, services for nodes, a clock. `runs` implements them.

One run has one append-only log. A line (`Entry`) is an event that people see (`type` set: it gets a `seq`), a journal
record that the engine replays from (`record` set), or both: a tool's answer is the TOOL_RESPONSE event and the end of
its effect in one line, so what is shown is what ran. Run-level FLOW_* events are written by `runs`, all others here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypedDict

from backend.engine.document.ids import Path
from backend.engine.execution.current import Death
from backend.engine.execution.records import StoredError
from backend.engine.language.budget import Limits
from backend.errors.trouble import Trouble
from backend.llm.types import ChatModel
from backend.tools.approvers import ANYONE, Approvers
from backend.tools.http.terms import RequestTerms
from backend.tools.types import JsonObject, JsonValue, OpenTask, Question, ToolSource, ToolSpec

RecordKind = Literal[
    "input",  # a step began: attempt and frozen config; value = data["input"] of STEP_INPUT
    "start",  # an effect started; `fingerprint` and `effect_kind` set (CHILD: `interaction` = the child run); of one
    # that follows a task at a server value = {"task": which, "since": epoch seconds}
    "end",  # an effect ended; value = {"result": JSON} or, where it raised, {"error": {code, params, detail, unknown}};
    # of a child run also "usage", which counts as the parent's from then on; of a task that goes on "open"
    "ask",  # a question was put; `question` set; value = {"ran": seconds the step had worked}
    "answer",  # it was answered; value = Answer.as_json()
    "sleep",  # a timer was set; value = {"until": epoch seconds, "ran": as above}
    "value",  # now(), random(), new_id(), worked(): value = {"value": as given out, "ran"?: as above}
    "emit",  # an event written through ctx.emit
    "fault",  # something of ours failed while this effect (key "": this node) was under way; it is tried again
    "rounds",  # the rounds of a loop before `round` are over: value = {"round", "carried": its variables,
    # "vars": the run's}; of those rounds a resume needs nothing but what the last gave (`engine.needed`). Of an
    # iteration which items are over: value = {"items", "gave", "size", "depth" (`engine.items`), "sets", "vars"}
    "outcome",  # the step ended: STEP_OUTPUT {output, port, vars?}, STEP_ERROR {…, output?, port?}, STEP_SKIP, _CANCEL;
    # value = {"loop": variables of the loop around that were set in the rounds of this iteration}?
]

CHILD = "child"
"""`effect_kind` of an effect that is a run of its own."""

WITHDRAWN = "withdrawn"
"""Reason of an "answer" record by which a question was taken back, not answered: what asked it is over."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a run's log. `value` is private to the journal; where it is None the record's value is `data`.

    `data` is what `events` says of the type, `value` what `records` says of the record: who reads them names it
    (`given: SleepValue = entry.value`), who writes them writes such a one, and nothing is checked again.
    """

    node: str | None = None
    path: Path = ()
    attempt: int = 1
    type: str | None = None
    data: Any = field(default_factory=dict)
    record: RecordKind | None = None
    key: str = ""
    fingerprint: str = ""
    effect_kind: str = ""
    value: Any = None
    question: Question | None = None
    interaction: str = ""  # public id of the question, derived from the effect's identity
    seq: int = 0  # given by the journal to lines with `type`
    ts: float = 0.0  # epoch seconds, given by the journal
    step: str = ""  # public id of the step (node at a path, all attempts)


class Journal(Protocol):
    """The log of one run under one fence. Implemented in memory (engine/testing.py) and in the database (runs)."""

    def append(self, entry: Entry) -> int:
        """Queue one line, in order, cheap, never blocking; gives its `seq` (0 for lines without `type`)."""
        ...

    async def barrier(self) -> None:
        """Return once everything appended is on disk under a valid fence.

        Raises LeaseLost when another worker owns the run, JournalFailed when a line could not be written.
        """
        ...

    def check(self) -> None:
        """Called right before an effect: raise LeaseLost or JournalFailed where this process is to begin nothing.

        A process that was paused finds here, without asking anybody, that its time with the run is over.
        """
        ...

    def hurry(self) -> None:
        """Ask for a write without waiting for more lines (ends of writes and of LLM rounds)."""
        ...

    def preview(self, step: str, call: str, attempt: int, channel: str, offset: int, delta: str) -> None:
        """Show streamed text before it is stored; may be lost, is laid over TEXT_ADD by `offset`."""
        ...


class LeaseLost(Trouble):
    """Another worker owns the run now: stop at once, write nothing."""


class JournalFailed(Trouble):
    """A line of this run could not be stored: stop and resume from what is durable."""


class DatabaseUnavailable(JournalFailed):
    """The database cannot be reached: no fault of the run, which goes on from what is durable once it is back."""


class SegmentFault(JournalFailed):
    """Something of ours failed in an effect or a node, as `__cause__` says: no end is recorded, and it is tried again.

    `entry` = where: node, path, attempt, key of the effect ("" = the node itself) and step. `runs` decides whether it
    counts: trouble of the machine or the database passes, a defect is recorded with this entry ("fault"), and after
    `MOST_FAULTS` of them in one place a person is asked.
    """

    def __init__(self, entry: Entry) -> None:
        super().__init__(f"{entry.node} {entry.key}".rstrip())
        self.entry = entry


class Clock(Protocol):
    """Time, so that tests can turn it."""

    def now(self) -> float:
        """Epoch seconds."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


@dataclass(frozen=True, slots=True)
class Limit:
    """A budget of a node, a run or a team: `budget` = tokens, cost, seconds or tool_calls; `on_limit` = stop or ask."""

    scope: Literal["node", "run", "team"]
    budget: Literal["tokens", "cost", "seconds", "tool_calls"]
    limit: float
    used: float
    on_limit: Literal["stop", "ask"] = "stop"


@dataclass(frozen=True, slots=True)
class Child:
    """A run that a step starts. `id` follows from the step's effect, so starting it twice is starting it once.

    `place` = path and node of the step: a retry of the run above goes on with it. `called` = the attempt of a step that
    starts as many as it likes, by calls of its own; None for one that is nothing but this run.
    """

    id: str
    effect: str
    workflow: str  # slug or id
    inputs: JsonObject
    version: int | None = None  # None = the published one
    place: tuple[Path, str] | None = None
    called: int | None = None


class ChildEnd(TypedDict):
    """How a child run ended."""

    state: Literal["SUCCESS", "ERROR", "CANCELLED"]
    outputs: JsonObject
    error: StoredError | None
    usage: Mapping[str, float]


class Failure(TypedDict):
    """Why a run failed."""

    code: str
    params: JsonObject
    detail: JsonValue
    node: str | None


class Services(Protocol):
    """What nodes reach in the world besides the journal."""

    def tools(self, server: str | JsonObject) -> Awaitable[ToolSource]:
        """The gated source of a server named in a node (declared in the document, slug, id, or inline object).

        Raises McpError, ServerNotApproved, SecretMissing, NotFound.
        """
        ...

    def many_tools(self, servers: Sequence[str | JsonObject]) -> Awaitable[Sequence[ToolSource]]:
        """As `tools` of each, in order. Raises what the first that fails raises."""
        ...

    def chat(self, provider: str, model: str) -> Awaitable[ChatModel]:
        """A model of a provider (slug or id). Not journaled: call it inside an effect.

        Raises NotFound (no such provider), ValidationFailed (it is switched off).
        """
        ...

    def limits(self) -> Awaitable[list[Limit]]:
        """The budgets that hold for this run besides those of its nodes, with what is used of them by now."""
        ...

    def file(self, key: str) -> Awaitable[tuple[bytes, str, str]]:
        """(bytes, mime, name) of a file of the run's team; it never changes. Raises NotFound."""
        ...

    def requests(self, terms: RequestTerms) -> Awaitable[ToolSource]:
        """HTTP requests behind the gate, a tool for each method (`tools.http.source`)."""
        ...

    def workflows(self, names: list[str]) -> Awaitable[ToolSource]:
        """These workflows (slugs or ids, as published) as tools behind the gate. Raises NotFound, NotPublished."""
        ...

    def start_child(self, child: Child) -> Awaitable[ChildEnd | None]:
        """Start this run unless it exists. Gives its end where it has ended: `{state, outputs, error, usage}`.

        Otherwise its end arrives as a Message("child", interaction=child.id, value=as above). Raises NotFound,
        NotPublished, ValidationFailed (inputs), GraphInvalid (also reason "depth"), ServerNotApproved, LeaseLost.
        """
        ...

    def stop_child(self, run: str) -> Awaitable[None]:
        """Cancel a child run, if it has not ended."""
        ...

    def end_task(self, task: OpenTask) -> Awaitable[None]:
        """Tell a server that nobody waits for a task of its any more. Raises McpError, NotFound."""
        ...


@dataclass(frozen=True, slots=True)
class RunInfo:
    """What is constant in a run; `sys` = {run_id, workflow, user, time, conversation_id}."""

    id: str
    inputs: JsonObject
    sys: JsonObject
    env: JsonObject = field(default_factory=dict)  # laid over the document's own `env`
    language: str = "en"
    auto_execute: bool = False  # whoever started it is asked at HIGH risk only
    servers_off: frozenset[str] = frozenset()  # names of servers whose tools no model of this run is offered
    calls_for_model: bool = False  # a model outside chose its tool and arguments: judged as the call of an agent
    draft: bool = False  # only a draft run takes the `pinned` outputs of its nodes
    deaths: tuple[Death, ...] = ()  # of processes, at which a step of this run had a part
    bounds: Limits = field(default_factory=Limits)  # what its values and its work may cost
    approvers: Approvers = ANYONE  # who must agree to what it asks approval for, by its workflow and those above
    earlier_messages: tuple[JsonObject, ...] = ()  # before, in the conversation of which it is a turn: {role, content}
    kept: JsonObject = field(default_factory=dict)  # variables of the conversation, as the run before left them
    client_tools: tuple[ToolSpec, ...] = ()  # that the client which started it declared


@dataclass(frozen=True, slots=True)
class Message:
    """Something for the run from outside its owner (inbox row): an answer, a child's end, cancel, pause or resume."""

    kind: Literal["answer", "child", "cancel", "pause", "resume"]
    interaction: str = ""  # of a child its run
    value: Any = field(default_factory=dict)  # answer: AnswerJson; child: ChildEnd; cancel: {"by"}


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why a run stands still: `{kind: person|timer|child|pause, interaction?, until?, run?}` ("run.waiting")."""

    kind: Literal["person", "timer", "child", "pause"]
    interaction: str = ""
    until: float | None = None
    run: str = ""


@dataclass(frozen=True, slots=True)
class SegmentEnd:
    """How a segment stopped. `waiting` when `state` is WAITING or PAUSED; `error` = {code, params, detail, node}."""

    state: Literal["WAITING", "PAUSED", "SUCCESS", "ERROR", "CANCELLED"]
    outputs: JsonObject = field(default_factory=dict)
    error: Failure | None = None
    waiting: list[Waiting] = field(default_factory=list)
    by: str = ""
    variables: JsonObject | None = None  # those that last for a conversation, as the run left them; None where unknown
