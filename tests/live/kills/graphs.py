"""The workflows that are run while things are killed: together they use all that a run can do."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from tests.api.runs.conftest import graph, node
from tests.llm_server import Call, ModelRequest, Reply

START = node("start", "start", {"inputs": {"type": "object", "properties": {"name": {"type": "string"}}}})


def tool(key: str, tool_: str, server: str = "ledger", **arguments: Any) -> dict[str, Any]:
    """A call that says in its name which run and node it is of."""
    body = {"name": f"{{{{ start.name }}}}/{key}", **arguments}
    return node(key, "tool", {"server": server, "tool": tool_, "arguments": body})


def line(*nodes: dict[str, Any], outputs: dict[str, str], **ports: str) -> dict[str, Any]:
    """The nodes one after the other, between start and end; `ports` = by which port one is left."""
    keys = ["start", *(node["id"] for node in nodes), "end"]
    hops = [f"{a}:{ports.get(a, 'out')} -> {b}" for a, b in pairwise(keys)]
    return graph([START, *nodes, node("end", "end", {"outputs": outputs})], *hops)


def agent(key: str = "work") -> dict[str, Any]:
    """Two rounds: a read and a write in the first, the answer in the second."""
    config = {
        "provider": "scripted",
        "model": "m",
        "query": '{"name": "{{ start.name }}"}',
        "tools": {"servers": [{"server": "ledger"}]},
    }
    return node(key, "agent", config)


def obedient(request: ModelRequest) -> Reply:
    """What the model says: both tools at once, then what they gave."""
    name = next(json.loads(message["content"])["name"] for message in request.messages if message["role"] == "user")
    results = sorted(str(message["content"]) for message in request.messages if message["role"] == "tool")
    if results:
        return Reply(text=f"done: {' | '.join(results)}")
    return Reply(calls=[Call("ledger__look", {"name": f"{name}/work"}), Call("ledger__pay", {"name": f"{name}/work"})])


def approval(key: str = "ok", **config: Any) -> dict[str, Any]:
    return node(key, "approval", {"title": "Go on?", **config})


CHILD = line(tool("below_look", "look"), tool("below_pay", "pay"), outputs={"paid": "{{ below_pay.result }}"})

BELOW = node("below", "workflow", {"workflow": "child", "inputs": {"name": "{{ start.name }}"}})

EVERYTHING = line(
    tool("look", "look"),
    tool("pay", "pay"),
    approval(),
    tool("large", "long"),
    BELOW,
    agent(),
    outputs={"paid": "{{ pay.result }}", "below": "{{ below.paid }}", "said": "{{ work.text }}"},
    ok="approved",
)

BRIEF = line(
    tool("look", "look"), tool("pay", "pay"), approval(), tool("large", "long"), outputs={"paid": "{{ pay.result }}"},
    ok="approved",
)  # fmt: skip

CHAIN = line(
    tool("look_1", "look", "local"),
    tool("pay_1", "pay", "local", seconds=0.05),
    tool("look_2", "look"),
    tool("pay_2", "pay", seconds=0.05),
    tool("pay_3", "pay", "local"),
    outputs={"last": "{{ pay_3.result }}"},
)

PARALLEL = graph(
    [
        START,
        *(tool(f"{name}_{n}", name, server, seconds=0.05 * n) for n in (1, 2) for name in ("look", "pay")
          for server in (("ledger", "local")[n - 1],)),
        node("both", "merge", {"values": ["{{ pay_1.result }}", "{{ pay_2.result }}"]}),
        node("end", "end", {"outputs": {"paid": "{{ both.values }}"}}),
    ],
    "start -> look_1", "look_1 -> pay_1", "pay_1 -> both",
    "start -> look_2", "look_2 -> pay_2", "pay_2 -> both",
    "both -> end",
)  # fmt: skip

QUEUED = graph(
    [
        START,
        *(tool(f"pay_{n}", "pay", "narrow", seconds=0.2) for n in (1, 2, 3, 4)),
        node("all", "merge", {"values": [f"{{{{ pay_{n}.result }}}}" for n in (1, 2, 3, 4)]}),
        node("end", "end", {"outputs": {"paid": "{{ all.values }}"}}),
    ],
    *(edge for n in (1, 2, 3, 4) for edge in (f"start -> pay_{n}", f"pay_{n} -> all")),
    "all -> end",
)
"""Its server takes one call at a time: the others wait for their turn."""

AGENT = line(agent(), outputs={"said": "{{ work.text }}"})

ASKING = line(
    tool("before", "pay"),
    approval(),
    tool("after", "pay", "local"),
    outputs={"paid": "{{ after.result }}"},
    ok="approved",
)

WAITING = line(
    tool("before", "look"),
    node("pause", "wait", {"seconds": 5.3}),  # longer than a segment is held for
    tool("after", "pay"),
    outputs={"paid": "{{ after.result }}"},
)

PARENT = line(BELOW, tool("after", "pay"), outputs={"paid": "{{ after.result }}", "below": "{{ below.paid }}"})

SLOW = line(tool("slow", "look", seconds=0.6), tool("pay", "pay"), outputs={"paid": "{{ pay.result }}"})

SLOWER = line(tool("slow", "look", seconds=3), tool("pay", "pay"), outputs={"paid": "{{ pay.result }}"})

ROUNDS = 24

LOOP = graph(
    [
        START,
        node("round", "loop", {"vars": {"paid": ""}, "max": ROUNDS}),
        tool("pay", "pay", name="{{ start.name }}/{{ loop.index }}/pay") | {"parent": "round"},
        node("below", "workflow", {"workflow": "child", "inputs": {"name": "{{ start.name }}/{{ loop.index }}"}})
        | {"parent": "round"},
        node("keep", "set_variable", {"values": {"paid": "{{ loop.vars.paid }} {{ below.paid }}"}})
        | {"parent": "round"},
        node("end", "end", {"outputs": {"paid": "{{ round.paid }}"}}),
    ],
    "start -> round", "round -> end", "pay -> below", "below -> keep",
)  # fmt: skip
"""A write and a child run, which writes, in each round; long enough that the loop writes down where it stands."""

ITEMS = 6

EACH = graph(
    [
        START,
        node("each", "iteration", {"items": list(range(ITEMS)), "concurrency": 2, "output": "{{ pay.result }}"}),
        tool("look", "look", name="{{ start.name }}/{{ index }}/look") | {"parent": "each"},
        tool("pay", "pay", "local", name="{{ start.name }}/{{ index }}/pay") | {"parent": "each"},
        node("end", "end", {"outputs": {"paid": "{{ each.items }}"}}),
    ],
    "start -> each", "each -> end", "look -> pay",
)  # fmt: skip
"""A write for each of some items, two at the same time."""

MORE_ITEMS = 30

LONG_EACH = json.loads(json.dumps(EACH).replace(json.dumps(list(range(ITEMS))), json.dumps(list(range(MORE_ITEMS)))))
"""The same with so many that it writes down which are over."""

BEATS = 60

TASK = line(
    tool("look", "look"), tool("pay", "pay", task=True), tool("after", "pay"), outputs={"paid": "{{ pay.result }}"}
)
"""Its server answers the first write with a task."""

PULSE = line(*(tool(f"beat_{n}", "look", seconds=0.1) for n in range(BEATS)), outputs={})
"""Calls a tool all the time."""

EXPIRING = graph(
    [
        START,
        approval(expires_s=0.3, on_expire="decline"),
        tool("pay", "pay"),
        node("end", "end", {"outputs": {"paid": "{{ pay.result }}"}}),
    ],
    "start -> ok", "ok:declined -> pay", "pay -> end",
)  # fmt: skip

MIX = {
    "chain": CHAIN,
    "parallel": PARALLEL,
    "agent": AGENT,
    "asking": ASKING,
    "waiting": WAITING,
    "parent": PARENT,
    "queued": QUEUED,
    "each": EACH,
    "loop": LOOP,
}

TALK = graph(
    [
        node("start", "start", {"inputs": {"type": "object", "properties": {"text": {"type": "string"}}}}),
        node("more", "set_variable", {"values": {"times": "{{ vars.times }}1"}}),
        node("say", "answer", {"text": "{{ start.text }} {{ more.times }}"}),
    ],
    "start -> more",
    "more -> say",
    variables={"times": {"default": "", "scope": "conversation"}},
)
"""What a chat's messages run: each says how many there were."""

ALL = {**MIX, "everything": EVERYTHING, "brief": BRIEF, "slow": SLOW, "slower": SLOWER, "expiring": EXPIRING,
       "task": TASK}  # fmt: skip

WRITES = {
    "everything": {"pay", "below_pay", "work"},
    "brief": {"pay"},
    "task": {"pay", "after"},
    "chain": {"pay_1", "pay_2", "pay_3"},
    "parallel": {"pay_1", "pay_2"},
    "agent": {"work"},
    "asking": {"before", "after"},
    "waiting": {"after"},
    "parent": {"below_pay", "after"},
    "queued": {"pay_1", "pay_2", "pay_3", "pay_4"},
    "each": {f"{n}/pay" for n in range(ITEMS)},
    "long-each": {f"{n}/pay" for n in range(MORE_ITEMS)},
    "pulse": set(),
    "talk": set(),
    "slow": {"pay"},
    "slower": {"pay"},
    "expiring": {"pay"},
    "loop": {f"{n}/{key}" for n in range(ROUNDS) for key in ("pay", "below_pay")},
}
"""By workflow, the writes of a run: each must have happened exactly once at its end."""
