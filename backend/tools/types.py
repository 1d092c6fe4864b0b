"""The words that tools, gate, engine and nodes share: specs, results, effects, questions and answers.

All values are plain JSON (`JsonValue`): they are journaled, sent to browsers and compared in tests as they stand.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NotRequired, Protocol, TypeAlias, TypedDict, TypeVar

from backend.errors import PatchbayError
from backend.json_types import JsonLike as JsonLike
from backend.json_types import JsonObject as JsonObject
from backend.json_types import JsonValue as JsonValue
from backend.tools.approvers import Approvers
from backend.tools.signing_in import NeededSignIn

EffectKind = Literal["pure", "read", "idempotent", "write"]
Policy = Literal["auto", "allow", "ask", "deny"]
RiskLevel = Literal["LOW", "MEDIUM", "HIGH"]
Cause = Literal["outcome", "failure"]
"""outcome = nobody knows how a call ended; failure = Patchbay itself failed at the step, again and again."""
InteractionKind = Literal[
    "approval", "params", "form", "elicitation", "recovery", "budget", "server", "mismatch", "client"
]
Action = Literal["accept", "decline", "cancel", "retry", "skip", "fail"]
Remember = Literal["once", "run", "tool", "arguments"]

T = TypeVar("T")

Event: TypeAlias = tuple[str, Mapping[str, object]]
"""(type, data) of an event. What stands in `data` of each type: the TypedDicts named `…Data`."""


def object_of(value: JsonValue) -> JsonObject:
    """A copy of what is known to be an object. Raises TypeError where it is none."""
    if not isinstance(value, dict):
        raise TypeError(f"an object was expected, not {type(value).__name__}")
    return dict(value)


def object_in(value: Mapping[str, object], key: str) -> JsonObject:
    """The object at a key; an empty one where there is none, or something else."""
    member = value.get(key)
    return member if isinstance(member, dict) else {}


def texts_in(value: Mapping[str, object], key: str) -> list[str]:
    """The texts in the list at a key; none where there is no list."""
    member = value.get(key)
    return [item for item in member if isinstance(item, str)] if isinstance(member, list) else []


class TaskJson(TypedDict):
    """The task that a call has become at its server: since when (epoch seconds), how often its server wants to be asked
    and how long it keeps it, None where it does not say."""

    id: str
    at: float
    poll_ms: float | None
    ttl_ms: float | None


class ToolResultJson(TypedDict):
    """A tool's answer as journaled (contract "call"); that of a round that ends in questions holds them too, that of a
    call which became a task names the task. `lost` = the server does not know the task any more."""

    content: list[JsonObject]
    structured: JsonValue
    text: str
    is_error: bool
    ms: float
    input_required: NotRequired[JsonObject]
    request_state: NotRequired[str | None]
    task: NotRequired[TaskJson]
    lost: NotRequired[Literal["unknown", "ttl"]]


class ToolName(TypedDict):
    """Which tool a question is about."""

    server: str | None
    name: str | None


class RiskReason(TypedDict):
    """Why a call is as dangerous as it is: an entry of the catalogue."""

    code: str
    params: dict[str, str]


class RiskJson(TypedDict):
    """A risk as stored."""

    level: RiskLevel
    reasons: list[RiskReason]


class DefinitionChange(TypedDict):
    """How a tool's definition differs from the accepted one; `lines` = ["-…", "+…", "@"]."""

    since: str
    before: RiskLevel
    after: RiskLevel
    lines: list[str]


class ReadText(TypedDict):
    """What a tool had told the model before it chose a call."""

    server: str
    tool: str
    characters: int
    excerpt: str


class Evidence(TypedDict, total=False):
    """What a person should know of a call besides its arguments; `sign_in` = what it waits for."""

    definition: DefinitionChange
    read: list[ReadText]
    sign_in: NeededSignIn


class AnswerJson(TypedDict):
    """An answer as journaled."""

    action: Action
    values: JsonValue
    reason: str
    remember: NotRequired[Remember]
    by: str
    people: NotRequired[list[str]]
    client: NotRequired[str]


class ToolRequestData(TypedDict):
    """TOOL_REQUEST; `run` = the child run that is the call (server "workflow")."""

    call: str
    server: str
    tool: str
    arguments: JsonObject
    run: NotRequired[str]
    parent: NotRequired[str]


class CallError(TypedDict):
    """The error that a call of a tool or model ended with, without its detail."""

    code: str
    params: JsonObject
    unknown: NotRequired[Literal[True]]


class ToolResponseData(TypedDict):
    """TOOL_RESPONSE; `error` and `detail` where it failed, `run` as in TOOL_REQUEST."""

    call: str
    content: list[JsonObject]
    structured: JsonValue
    is_error: bool
    ms: float
    input_required: NotRequired[JsonObject]
    error: NotRequired[CallError]
    detail: NotRequired[JsonValue]
    run: NotRequired[str]
    parent: NotRequired[str]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool as its server describes it. `server` is the name under which a document calls the server."""

    server: str
    name: str
    description: str = ""
    title: str = ""
    input_schema: JsonObject = field(default_factory=lambda: {"type": "object"})
    output_schema: JsonObject | None = None
    annotations: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered. `text` = its text blocks joined by newline, or the JSON of `structured`."""

    content: list[JsonObject]
    structured: JsonValue = None
    text: str = ""
    is_error: bool = False
    ms: float = 0.0

    def as_json(self) -> ToolResultJson:
        """The journaled and public shape (contract "call")."""
        return {
            "content": self.content,
            "structured": self.structured,
            "text": self.text,
            "is_error": self.is_error,
            "ms": round(self.ms, 3),
        }

    @classmethod
    def from_json(cls, value: ToolResultJson) -> ToolResult:
        """Inverse of `as_json`; unknown keys are ignored, absent ones take their defaults."""
        return cls(
            content=list(value.get("content") or []),
            structured=value.get("structured"),
            text=str(value.get("text") or ""),
            is_error=bool(value.get("is_error")),
            ms=float(value.get("ms") or 0.0),
        )


@dataclass(frozen=True, slots=True)
class Risk:
    """How dangerous a call is, and why, as sentences' codes: `reasons` = `[{code, params}]`, texts in the catalogue."""

    level: RiskLevel
    reasons: list[RiskReason] = field(default_factory=list)

    def as_json(self) -> RiskJson:
        """`{level, reasons}` as stored."""
        return {"level": self.level, "reasons": self.reasons}


ELICITED = "/elicit:"
"""Stands, in the key of a question that a server put (`mcp.source`), before the server's own key."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a run asks a person. `proposal` = values offered for editing, `schema` = their JSON Schema.

    `approvers` = who must agree by the settings of the tool or node; the run's workflow may ask for more.
    """

    kind: InteractionKind
    title: str
    message: str = ""
    tool: ToolName | None = None
    risk: Risk | None = None
    schema: JsonObject | None = None
    proposal: JsonLike = None
    assignees: list[str] = field(default_factory=list)
    expires_in_s: float | None = None
    on_expire: Literal["decline", "fail"] | None = None
    approvers: Approvers = "anyone"
    cause: Cause | None = None
    """Why a `recovery` is asked."""
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person said. `values` absent (None) = as proposed; `by` = the person's public id; `people` = of all who
    had to agree, where there were several; `client` = the program in which they said it, by its own word."""

    action: Action
    values: JsonValue = None
    reason: str = ""
    remember: Remember = "once"
    by: str = ""
    people: tuple[str, ...] = ()
    client: str = ""

    def as_json(self) -> AnswerJson:
        """`{action, values, reason, remember, by, people?, client?}` as journaled."""
        answer: AnswerJson = {
            "action": self.action,
            "values": self.values,
            "reason": self.reason,
            "remember": self.remember,
            "by": self.by,
        }
        if self.people:
            answer["people"] = list(self.people)
        if self.client:
            answer["client"] = self.client
        return answer

    @classmethod
    def from_json(cls, value: AnswerJson) -> Answer:
        """Inverse of `as_json`."""
        return cls(
            action=value["action"],
            values=value.get("values"),
            reason=str(value.get("reason") or ""),
            remember=value.get("remember") or "once",
            by=str(value.get("by") or ""),
            people=tuple(str(person) for person in value.get("people") or ()),
            client=str(value.get("client") or ""),
        )


def _unheard(channel: str, delta: str) -> None:
    """Where nobody watches, streamed text goes nowhere."""


async def _nobody(key: str, question: Question) -> Answer:
    """Where nobody can be asked, a question in the middle of a call is put aside at once."""
    return Answer("decline", reason="nobody")


def _untold() -> None:
    """Nothing is kept, so nothing is looked through."""


@dataclass(frozen=True, slots=True)
class EffectHandle:
    """What the body of an effect may use while it runs.

    `ask(key, question)` puts a question while the call is held open: the run goes on, the step's time stands still. An
    answer without `by` is nobody's: the question's time was over, or there is nobody to ask. `clean()` says that what
    the body gives is known to be as a journal can hold it, so that nobody looks through it again.
    """

    idempotency_key: str
    progress: Callable[[float, float | None, str], None]
    text: Callable[[str, str], None] = _unheard  # (channel "text" | "reasoning", delta): streamed text of a model
    ask: Callable[[str, Question], Awaitable[Answer]] = _nobody
    clean: Callable[[], None] = _untold


class OpenTask(TypedDict):
    """Which task, at which server: as the document names it."""

    server: JsonLike
    id: str


@dataclass(frozen=True, slots=True)
class AtWork:
    """A look at a task that has not ended: when to look again, what its server says of it, what kept it from saying."""

    after_s: float
    status: str = ""
    trouble: PatchbayError | None = None


@dataclass(frozen=True, slots=True)
class FollowedTask:
    """A task at a server, and how it is followed: `look` asks where it is, `cancel` tells that nobody wants it any
    more. `first_s` = seconds until the first look, `patience_s` = how long it may take where nothing can be parked."""

    task: OpenTask
    look: Callable[[], Awaitable[ToolResultJson | AtWork]]
    cancel: Callable[[], Awaitable[None]]
    first_s: float
    patience_s: float


class EffectContext(Protocol):
    """The journaled world as a tool source sees it; the engine's node context implements it."""

    async def effect(
        self,
        key: str,
        call: Callable[[EffectHandle], Awaitable[T]],
        kind: EffectKind,
        *,
        target: str,
        arguments: JsonLike = None,
        started: Event | None = None,
        ended: Callable[[T], Event] | None = None,
    ) -> T:
        """Run `call` once and journal its JSON result under `key`, or give back what the journal holds.

        `target` and `arguments` make the fingerprint. `started` = (event type, data) shown with the started record
        (TOOL_REQUEST), `ended(result)` the same for the end record (TOOL_RESPONSE).
        """
        ...

    async def follow(
        self,
        key: str,
        task: FollowedTask,
        kind: EffectKind,
        *,
        target: str,
        arguments: JsonLike,
        started: Event,
        ended: Callable[[ToolResultJson], Event],
    ) -> ToolResultJson:
        """Park until a task at a server has ended or asks something, looking at it now and then; journaled as above.

        `kind` = of the call that became the task, `started` = its event, which is not shown again. A `lost` write that
        is given back is to be called again.
        """
        ...

    async def ask(self, key: str, question: Question) -> Answer:
        """Ask a person and park until the answer is there."""
        ...

    def emit(self, key: str, type: str, data: Mapping[str, object]) -> None:
        """Write an event of this step once; `key` makes it one in replays too."""
        ...


@dataclass(frozen=True, slots=True)
class CallContext:
    """Who calls a tool and where the call is journaled. `key` is stable within the step ("call", "round:3/call:1").

    `raised` = a risk that the caller's model sees in the call: it may lift the gate's own, never lower it.
    `expires_in_s` and `on_expire` go into the gate's question. `cleared` is set by the gate alone: how the call is
    journaled. Sources refuse calls without it, so nothing reaches a server past the gate. `recheck` is awaited right
    before the call really happens (not on replay) and may refuse. `read` = what tools had told the model that chose.
    `expressions` = the digest of what the document writes for the arguments, "" where a model writes them.
    """

    effects: EffectContext
    key: str
    chosen_by: Literal["person", "model"] = "person"
    auto_execute: bool = False
    timeout_s: float | None = None
    raised: Risk | None = None
    expires_in_s: float | None = None
    on_expire: Literal["decline", "fail"] | None = None
    cleared: EffectKind | None = None
    recheck: Callable[[], Awaitable[None]] | None = None
    read: tuple[ReadText, ...] = ()
    expressions: str = ""


class ToolSource(Protocol):
    """A set of tools. Everything an agent or node can call is one of these; behaviour is added by wrapping."""

    async def list_tools(self) -> list[ToolSpec]:
        """All tools, every page. Raises McpError."""
        ...

    async def call_tool(self, name: str, arguments: JsonObject, call: CallContext) -> ToolResult:
        """Call one tool. A tool's own failure is a result with `is_error`; everything else raises McpError."""
        ...
