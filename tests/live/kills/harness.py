"""An installation, what stands outside of it and survives every kill, and what must be true at the end.

`Harness` starts runs, answers questions as a careful person would (who looks into the ledger before saying whether a
write is to be made again) and keeps on asking while the other side is down. `verify` compares three accounts of what
happened: the log of each run, the recorder's ledger, and what a reconnecting page saw.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from tests.instance import ROOT, until
from tests.live.kills import graphs
from tests.live.kills.partition import Wire, wire_to
from tests.live.kills.watcher import LASTS, Watcher
from tests.llm_server import LlmServer, llm_server
from tests.services import free_port

ENDED = {"SUCCESS", "ERROR", "CANCELLED"}
UNANSWERED = {"MCP_UNREACHABLE", "MCP_TIMEOUT"}
"""What a write ends with whose server was away: its connection broke, or nothing came on one that nobody broke."""
PATIENCE_S = 60.0
LIMITS = {
    **dict.fromkeys(("PATCHBAY_RUN_STARTS_PER_15S", "PATCHBAY_TEAM_RUN_STARTS_PER_15S"), "0"),
    **{f"PATCHBAY_RATE_{of}_PER_MIN": "0" for of in ("PERSON", "TOKEN", "TEAM", "CONNECTIONS")},
    "PATCHBAY_MAX_CONCURRENT_RUNS": "200",
}


WALL = time.time() - time.monotonic()
"""What turns the endpoint's times into the log's."""


class Down(Exception):
    """Nobody answers."""


class Startable(Protocol):
    """What the harness needs of an instance."""

    @property
    def url(self) -> str: ...
    def token(self, email: str = ...) -> str: ...


@dataclass
class Ledger:
    """What really happened. What was read before is not read again, and of a run only its own lines are looked at: a
    storm that counted everything ten times a second would take the processor from what it measures."""

    path: Path
    _read: int = 0
    _of: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # by the name of the run
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def lines(self, run: str) -> list[dict[str, Any]]:
        """Those of a run, by its name."""
        return list(self._look().get(run, ()))

    def called(self, kind: str = "") -> Counter[str]:
        """How often each name was called, in all runs."""
        result = self._look()
        every = (line for name in list(result) for line in result[name])
        return Counter(line["name"] for line in every if line["phase"] == "called" and kind in ("", line["kind"]))

    def has(self, name: str, phase: str = "called", kind: str = "") -> bool:
        """Whether a line says so of a call, by its whole name."""
        lines = self.lines(name.split("/")[0])
        return any(line["name"] == name and line["phase"] == phase and kind in ("", line["kind"]) for line in lines)

    def _look(self) -> dict[str, list[dict[str, Any]]]:
        with self._lock:
            if self.path.exists():
                with self.path.open("rb") as file:
                    file.seek(self._read)
                    new = file.read()
                whole = new[: new.rfind(b"\n") + 1]
                self._read += len(whole)
                for line in map(json.loads, whole.splitlines()):
                    self._of.setdefault(line["name"].split("/")[0], []).append(line)
            return self._of


@contextlib.contextmanager
def recorder(ledger: Path, *, sse: bool = False) -> Iterator[str]:
    """The recorder over HTTP, as a process beside everything; gives its URL. `sse` = one of the handshake era."""
    port = free_port()
    command = [sys.executable, "-m", "tests.live.kills.recorder", str(ledger), "--port", str(port)]
    command += ["--sse"] if sse else []
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def answers() -> bool:
        with contextlib.suppress(OSError), contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as request:
            request.connect()
            return True
        return False

    try:
        until(answers, 60)
        yield f"http://127.0.0.1:{port}/{'sse' if sse else 'mcp'}"
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def surroundings() -> Iterator[tuple[Path, LlmServer, str, Wire]]:
    """What stands outside and survives: a folder, a model, and a recorder by its URL, which is at the end of a wire."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        llm = stack.enter_context(llm_server())
        there = urlsplit(stack.enter_context(recorder(folder / "ledger.jsonl")))
        wire = stack.enter_context(wire_to(there.hostname or "", there.port or 0))
        yield folder, llm, f"http://127.0.0.1:{wire.port}{there.path}", wire


@dataclass
class Started:
    """A run that a test started, and what people said of it."""

    id: str
    name: str
    workflow: str


@dataclass
class Harness:
    """One installation with its surroundings."""

    instance: Startable
    folder: Path
    llm: LlmServer
    recorder_url: str
    urls: list[str] = field(default_factory=list)  # of several web processes
    revive: Callable[[], None] | None = None  # called when nobody answers
    token: str = ""
    workflows: dict[str, str] = field(default_factory=dict)
    runs: list[Started] = field(default_factory=list)
    answered: dict[str, str] = field(default_factory=dict)  # interaction → the action that was accepted
    taken_twice: list[str] = field(default_factory=list)
    recoveries: Counter[str] = field(default_factory=Counter)  # what was said to writes of unknown outcome
    wire: Wire | None = None  # to the recorder; a request may lie on it long after it was sent
    unmeant: list[str] = field(default_factory=list)  # questions that no fault is a reason for
    one_clock: bool = True  # times of the log and of the ledger can be compared

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.folder / "ledger.jsonl")

    # -- talking to it -------------------------------------------------------------------------------------------------

    def once(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """(status, JSON) of one request. Raises Down."""
        base = self.urls[int(time.monotonic() * 1000) % len(self.urls)] if self.urls else self.instance.url
        named = {"content-type": "application/json", "authorization": f"Bearer {self.token}", **headers}
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(base + path, data, named, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                raw, status = answer.read(), answer.status
        except urllib.error.HTTPError as error:
            raw, status = error.read(), error.code
        except (OSError, http.client.HTTPException) as error:
            raise Down(str(error)) from error
        return status, (json.loads(raw) if raw else None)

    def ask(self, method: str, path: str, body: Any = None, *, fine: set[int] | None = None, **headers: str) -> Any:
        """The answer, asked for again while nobody answers or a database is away. `fine` = statuses besides 2xx."""
        deadline = time.monotonic() + PATIENCE_S
        pause = threading.Event()
        last: object = None
        while True:
            try:
                status, answer = last = self.once(method, path, body, **headers)
                if status < 300 or status in (fine or set()):
                    return answer
                assert status >= 500, (method, path, status, answer)
            except Down as error:
                last = error
            assert time.monotonic() < deadline, f"{method} {path}: {last!r}"
            if self.revive is not None:
                self.revive()
            pause.wait(0.05)

    # -- seeding it -------------------------------------------------------------------------------------------------

    def seed(self) -> Harness:
        """Owner, servers, model, workflows."""
        self.token = self.instance.token()
        program = ["-m", "tests.live.kills.recorder", str(self.ledger.path)]
        self.server("ledger", transport="http", url=self.recorder_url)
        self.server("narrow", transport="http", url=self.recorder_url, max_calls=1)
        self.server("local", transport="stdio", command=sys.executable, args=program, cwd=str(ROOT))
        provider = {"name": "Scripted", "slug": "scripted", "base_url": self.llm.url, "api_key": "sk-1"}
        self.ask("POST", "/api/providers", provider)
        self.llm.otherwise = graphs.obedient
        self.workflow("child", graphs.CHILD, publish=True)
        return self

    def server(self, slug: str, **fields: Any) -> None:
        body = {"name": slug, "slug": slug, "trust_annotations": True, **fields}
        created = self.ask("POST", "/api/mcp/servers", body)
        self.ask("GET", f"/api/mcp/servers/{created['id']}/tools?refresh=1")
        self.ask("PATCH", f"/api/mcp/servers/{created['id']}/tools/pay", {"policy": "allow"})

    def workflow(self, slug: str, document: dict[str, Any], *, publish: bool = False) -> str:
        if slug not in self.workflows:
            body = {"name": slug, "slug": slug, "graph": document}
            created = self.ask("POST", "/api/workflows", body)
            self.workflows[slug] = created["id"]
            if publish:
                self.ask("POST", f"/api/workflows/{created['id']}/publish", {})
        return self.workflows[slug]

    # -- living in it --------------------------------------------------------------------------------------------------

    def start(self, slug: str, document: dict[str, Any], name: str = "") -> Started:
        """Start a run, however often the process dies meanwhile: it is one run."""
        name = name or f"{slug}-{len(self.runs)}"
        body = {"version": "draft", "inputs": {"name": name}}
        path = f"/api/workflows/{self.workflow(slug, document)}/runs"
        key: dict[str, Any] = {"Idempotency-Key": name}
        return self.began(self.ask("POST", path, body, **key)["id"], name, slug)

    def began(self, run_id: str, name: str, slug: str) -> Started:
        """A run that was started here. The ledger counts effects by name, so no two may have the same."""
        assert name not in {run.name for run in self.runs}, f"a run of the name {name} was started before"
        run = Started(run_id, name, slug)
        self.runs.append(run)
        return run

    def state(self, run: Started) -> str:
        return str(self.ask("GET", f"/api/runs/{run.id}")["state"])

    def questions(self) -> list[dict[str, Any]]:
        question: list[dict[str, Any]] = self.ask("GET", "/api/interactions?state=open&limit=200")["results"]
        return question

    def answer(self, question: dict[str, Any]) -> None:
        """What a careful person says."""
        body: dict[str, Any] = {"action": "accept"}
        if question["kind"] in ("recovery", "mismatch") and not question["tool"]:
            body = {"action": "retry"}
            if not ("killed it for want of memory" in question["message"] or "died 2 times" in question["message"]):
                self.unmeant.append(f"{question['run']}: {question['message']}")
        elif question["kind"] == "recovery":
            name = question["proposal"]["name"]
            assert not self.one_clock or epoch(question["called_at"]) <= epoch(question["created_at"])
            assert question["tool"]["name"] == "pay"
            if self.ledger.has(name, kind="write"):  # an agent reads by the same name
                body = {"action": "skip", "values": {"result": f"write {name}"}}
            else:
                body = {"action": "retry"}
        if self.give(question["id"], body) == 200 and question["kind"] == "recovery":
            self.recoveries[body["action"]] += 1

    def give(self, question: str, body: dict[str, Any]) -> int:
        """Answer, again and again while nobody answers; 200 once at most."""
        status = 0

        def sent() -> bool:
            nonlocal status
            with contextlib.suppress(Down):
                status, answer = self.once("POST", f"/api/interactions/{question}/answer", body)
                assert status in (200, 409) or status >= 500, answer
            return status in (200, 409)

        deadline = time.monotonic() + PATIENCE_S
        while not sent():
            assert time.monotonic() < deadline
            if self.revive is not None:
                self.revive()
            threading.Event().wait(0.05)
        if status == 200:
            if question in self.answered:
                self.taken_twice.append(question)
            self.answered[question] = body["action"]
        return status

    def answer_all(self) -> None:
        """What careful people say. "A request that was already sent may still be in progress": they look again later
        while one may be on its way."""
        for question in self.questions():
            of_a_call = question["kind"] == "recovery" and question["tool"]
            if not of_a_call or self.wire is None or self.wire.is_clear():
                self.answer(question)

    def finish(self, runs: list[Started], page: Watcher | None = None, seconds: float = PATIENCE_S) -> None:
        """Answer what is asked until all these runs have ended, as `page` tells, which costs the other side nothing.

        Questions of child runs it does not tell; one looks for them now and then.
        """
        answered, looked = -1, 0.0

        def over() -> bool:
            nonlocal answered, looked
            if self.revive is not None:
                self.revive()
            request = answered + 1 if page is None else page.questions_seen()
            if request != answered or time.monotonic() - looked > 1.0:
                self.answer_all()
                answered, looked = request, time.monotonic()
            return all(self.state(run) in ENDED if page is None else page.ended(run.id) for run in runs)

        until(over, seconds)

    # -- what must be true ---------------------------------------------------------------------------------------------

    def events(self, run: str) -> list[dict[str, Any]]:
        matches: list[dict[str, Any]] = []
        while True:
            page = self.ask("GET", f"/api/runs/{run}/events?after={len(matches)}&limit=1000")["results"]
            if not page:
                return matches
            matches += page

    def verify(self, run: Started, *, may_fail: bool = False, shown: dict[int, float] | None = None) -> bool:
        """One run came through whole: its state, its log, its effects.

        `may_fail` = servers of tools were killed or cut off: a write that was under way then has an unknown outcome
        and its run fails with it. False for such a run; the rest of it must be as whole as any. `shown` = when a page
        saw each line, where the log's own times are wrong because clocks jumped.
        """
        whole = self.ask("GET", f"/api/runs/{run.id}")
        failed = whole["state"] == "ERROR" and may_fail
        assert whole["state"] == "SUCCESS" or failed, (run, whole["error"])
        if failed:
            assert whole["error"]["code"] in UNANSWERED, (run, whole["error"])
        log = [{**event, "at": _at(event, shown)} for event in self.events(run.id)]
        check_log(log, whole)
        children = [line["data"]["run"] for line in log if line["type"] == "STEP_LOG" and "run" in line["data"]]
        logs = [
            log,
            *([{**event, "at": _at(event, {} if shown else None)} for event in self.events(each)] for each in children),
        ]
        every = [item for each in logs for item in each]
        unmeant = [item for item in every if _is_unmeant(item, failed)]
        assert not unmeant, (run, "ended for what no fault meant", unmeant[:3])
        try:
            self._check_effects(run, every, failed or (may_fail and _names_outage(every)))
            self._check_rounds(run, log)
        except AssertionError as error:
            texts = [(item["type"], str(item["data"])[:300]) for each in logs for item in each]
            raise AssertionError(f"{error}; {texts}") from None
        return not failed

    def _check_effects(self, run: Started, log: list[dict[str, Any]], fewer: bool) -> None:
        """`fewer` = the run was told of a server that is away, so writes may be missing; none may be made twice."""
        lines = self.ledger.lines(run.name)
        calls = Counter((line["kind"], line["name"]) for line in lines if line["phase"] == "called")
        writes = {f"{run.name}/{key}" for key in graphs.WRITES[run.workflow]}
        created = {name: count for (kind, name), count in calls.items() if kind == "write"}
        assert set(created.values()) <= {1} and (set(created) <= writes if fewer else set(created) == writes), (
            run,
            created,
        )
        names = {line["data"]["call"] + line["step"]: line for line in log if line["type"] == "TOOL_REQUEST"}
        for item in log:
            if item["type"] != "TOOL_RESPONSE" or item["data"]["is_error"]:
                continue
            request = names[item["data"]["call"] + item["step"]]["data"]
            if request["server"] == "workflow":
                continue
            kind, name = "write" if request["tool"] == "pay" else "read", request["arguments"]["name"]
            at = [line["at"] for line in lines if (line["kind"], line["name"]) == (kind, name)]
            assert at, f"{name}: an end is shown of what never happened"
            sent = self.wire.sent(request["tool"], name) if self.wire else []
            late = [moment for moment in sent or at if moment > item["at"] + 0.01]
            assert not late, f"{name}: made again {late} after its end was on disk at {item['at']}; arrived {at}"

    def _check_rounds(self, run: Started, log: list[dict[str, Any]]) -> None:
        """No round with the model was asked for again after its answer was on disk."""
        rounds = [line for line in log if line["type"] == "LLM_RESPONSE" and not line["data"].get("error")]
        requests = [item for item in self.llm.requests if f'"{run.name}"' in item.text.replace('\\"', '"')]
        for number, item in enumerate(rounds):
            same = [
                each.at + WALL for each in requests if sum(m["role"] == "assistant" for m in each.messages) == number
            ]
            assert same, f"{run.name}: an answer is shown that no model gave"
            assert max(same) <= item["at"] + 0.01, f"{run.name}: round {number} was asked for again"


def _is_unmeant(event: dict[str, Any], failed: bool) -> bool:
    """Whether something ended as lost, for a failure of our own, or cancelled (which a run that `failed` does)."""
    error = event["data"].get("error")
    codes = {event["data"].get("code"), error.get("code") if isinstance(error, dict) else None}
    broken_off = event["type"] in {"STEP_CANCEL", "FLOW_CANCEL"} or "CANCELLED" in codes
    return bool(codes & {"WORKER_LOST", "INTERNAL", "REPLAY_MISMATCH"}) or (broken_off and not failed)


def _names_outage(log: list[dict[str, Any]]) -> bool:
    """Whether the log says that an agent went on without a call: its server was away before it began, or went while it
    was under way and the agent was told that nobody knows whether it happened.
    """
    never_begun = any(line["type"] == "STEP_LOG" and line["data"].get("code") == "MCP_UNREACHABLE" for line in log)
    responses = [line["data"].get("error") or {} for line in log if line["type"] == "TOOL_RESPONSE"]
    return never_begun or any(error.get("code") in UNANSWERED for error in responses)


def _at(event: dict[str, Any], shown: dict[int, float] | None) -> float:
    """When an event was on disk at the latest: by its own time, or by when a page had it; never, where none did."""
    return epoch(event["ts"]) if shown is None else shown.get(event["seq"], math.inf)


def epoch(ts: str) -> float:
    from datetime import datetime

    return datetime.fromisoformat(ts).timestamp()


def check_log(log: list[dict[str, Any]], run: dict[str, Any]) -> None:
    """Numbers without gaps, one end per step, one answer per question, one last event."""
    assert [line["seq"] for line in log] == list(range(1, len(log) + 1)) and run["last_seq"] == len(log)
    ends = Counter(
        line["step"]
        for line in log
        if line["type"] in {"STEP_OUTPUT", "STEP_ERROR", "STEP_SKIP", "STEP_CANCEL"} and "parent" not in line["data"]
    )
    begun = {line["step"] for line in log if line["type"] == "STEP_INIT"}
    assert set(ends.values()) <= {1} and begun <= set(ends), (run["id"], ends)
    answers = Counter(line["data"]["interaction"] for line in log if line["type"] == "STEP_ANSWERED")
    assert set(answers.values()) <= {1}, answers
    assert [line for line in log if line["node"] is None and line["type"] in LASTS] == log[-1:], log[-3:]
