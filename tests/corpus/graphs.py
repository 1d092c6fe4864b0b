"""The workflows of a recorded installation: every node type, and every way a run can be in the middle of something.

`WAITING`: runs that stop by themselves, with the state they stop in. `UNDER_WAY`: runs that are held back from outside
in the middle of a call, and that the kill meets there. `ENDED`: runs that are over.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

Json = Any
MODEL = {"provider": "scripted", "model": "m"}
LEDGER = {"servers": [{"server": "ledger"}]}


def node(key: str, type_: str, config: Json = None, **more: Json) -> Json:
    """One node."""
    return {"id": key, "type": type_, "v": 1, "position": {"x": 0, "y": 0}, "config": config or {}, **more}


def edge(text: str) -> Json:
    """ "a -> b" or "a:port -> b"."""
    source, target = (part.strip() for part in text.split("->"))
    name, _, port = source.partition(":")
    ends = {"source": name, "source_port": port or "out", "target": target, "target_port": "in"}
    return {"id": f"{name}_{port or 'out'}_{target}", **ends}


def graph(nodes: list[Json], *edges: str) -> Json:
    """A document."""
    return {"schema": 1, "language": "en", "nodes": nodes, "edges": [edge(text) for text in edges]}


START = node("start", "start", {"inputs": {"type": "object", "properties": {"name": {"type": "string"}}}})


def tool(key: str, name: str, server: str = "ledger", **more: Json) -> Json:
    """A call that says in its name which run and node it is of."""
    arguments = {"name": "{{ start.name }}/" + key, **more.pop("arguments", {})}
    return node(key, "tool", {"server": server, "tool": name, "arguments": arguments}, **more)


def held(key: str, name: str, server: str = "ledger", **more: Json) -> Json:
    """A call that does not answer before the kill."""
    return tool(f"hold_{key}", name, server, **more)


def line(*nodes: Json, outputs: Json, inside: tuple[Json, ...] = (), **ports: str) -> Json:
    """The nodes one after the other between start and end; `ports` = by which port one is left."""
    keys = ["start", *(each["id"] for each in nodes), "end"]
    hops = [f"{a}:{ports.get(a, 'out')} -> {b}" for a, b in pairwise(keys)]
    return graph([START, *nodes, *inside, node("end", "end", {"outputs": outputs})], *hops)


def approval(key: str = "ok", **config: Json) -> Json:
    """A question."""
    return node(key, "approval", {"title": "Go on?", **config})


def task(**fields: Json) -> str:
    """What the model does in this run (`outside.answer`)."""
    return json.dumps({"task": "t", **fields})


def agent(key: str = "work", tools: Json = None, config: Json = None, **fields: Json) -> Json:
    """An agent with a task."""
    return node(key, "agent", {**MODEL, "query": task(**fields), "tools": tools or LEDGER, **(config or {})})


def planner(**fields: Json) -> Json:
    """A planner with a task."""
    return node("plan", "planner", {**MODEL, "goal": task(**fields), "tools": LEDGER})


def llm(key: str = "say", tools: Json = None, config: Json = None, **fields: Json) -> Json:
    """One round with the model."""
    messages = [{"role": "user", "content": task(**fields)}]
    return node(key, "llm", {**MODEL, "messages": messages, **({"tools": tools} if tools else {}), **(config or {})})


PURE = (
    node("words", "template", {"template": "Hello {{ start.name }}"}),
    node("vary", "set_variable", {"values": {"count": 3, "list": [1, 2], "text": "{{ words.text }}"}}),
    node("check", "if", {"conditions": [{"left": "{{ vars.count }}", "op": "gt", "right": 2}]}),
    node(
        "choose",
        "switch",
        {"cases": [{"id": "first", "conditions": [{"left": "{{ vars.text }}", "op": "contains", "right": "Hello"}]}]},
    ),
    node("both", "merge", {"values": ["{{ vars.missing | default(null) }}", "{{ vars.list }}"]}),
    node("tell", "answer", {"text": "{{ words.text }} {{ both.value.1 }}"}),
)
CLASSES = {"classes": [{"id": "good", "description": "fine"}, {"id": "bad", "description": "not"}]}
CLASSIFIER = node("sort", "classifier", {**MODEL, "text": task(**{"class": "good"}), **CLASSES})
WANTED = {
    "type": "object",
    "properties": {"amount": {"type": "integer"}, "currency": {"type": "string"}},
    "required": ["amount", "currency"],
}
EXTRACTOR = node("take", "extractor", {**MODEL, "text": task(), "schema": WANTED})
FORM = node("ask", "form", {"title": "How much?", "schema": WANTED})


def iteration(*inside: Json, output: str, items: Json, **config: Json) -> tuple[Json, ...]:
    """The frame, then its children."""
    return (node("each", "iteration", {"items": items, "output": output, **config}), *inside)


def loop(*inside: Json, **config: Json) -> tuple[Json, ...]:
    """The frame, then its children."""
    return (node("again", "loop", {"vars": {"n": 0}, "max": 3, **config}), *inside)


COUNT = node("count", "set_variable", {"values": {"n": "{{ index }}"}}, parent="again")
CHILD = line(tool("below_pay", "pay"), approval(), outputs={"paid": "{{ below_pay.result }}"}, ok="approved")
HELD_CHILD = line(held("below", "look"), tool("below_pay", "pay"), outputs={"paid": "{{ below_pay.result }}"})
BELOW = {"workflow": "child", "inputs": {"name": "{{ start.name }}"}}
HELD_BELOW = {"workflow": "held-child", "inputs": {"name": "{{ start.name }}"}}
PAID = {"paid": "{{ after.result }}"}
AFTER = tool("after", "pay")

ITEMS = iteration(
    tool("inner_pay", "pay", parent="each", arguments={"name": "{{ start.name }}/inner_pay{{ index }}"}),
    node("sure", "approval", {"title": "Item {{ item }}?"}, parent="each"),
    output="{{ inner_pay.result }}",
    items=["a", "b", "c"],
)
HELD_ITEMS = iteration(
    tool("hold_look", "look", parent="each", arguments={"name": "{{ start.name }}/hold_look{{ index }}"}),
    output="{{ hold_look.result }}",
    items=["a", "b", "c", "d"],
    concurrency=2,
)
ROUNDS = loop(
    COUNT,
    node("sure", "approval", {"title": "Round {{ index }}?"}, parent="again"),
    until=False,
)


def inner(document: Json, *edges: str) -> Json:
    """The document with edges between children of its frame."""
    return {**document, "edges": [*document["edges"], *(edge(text) for text in edges)]}


WAITING: dict[str, Json] = {
    "pure": line(
        *PURE,
        approval(),
        AFTER,
        outputs={"text": "{{ tell.text }}", **PAID},
        check="true",
        choose="first",
        ok="approved",
    ),
    "tool-ask": line(
        tool("before", "pay"), tool("gone", "erase"), AFTER, outputs={"gone": "{{ gone.result }}", **PAID}
    ),
    "local-large": line(
        tool("big", "long", "local"), approval(), AFTER, outputs={"big": "{{ big.result | length }}"}, ok="approved"
    ),
    "form": line(FORM, AFTER, outputs={"amount": "{{ ask.amount }}", **PAID}),
    "timer": line(tool("before", "pay"), node("rest", "wait", {"seconds": 45}), AFTER, outputs=PAID),
    "agent": line(
        agent(
            turns=[[["ledger__look", {"name": "agent/look"}]], [["ledger__wire", {"name": "agent", "account": "7"}]]]
        ),
        AFTER,
        outputs={"text": "{{ work.text }}", "calls": "{{ work.tool_calls | length }}"},
    ),
    "agent-two": line(
        agent(
            turns=[
                [["ledger__wire", {"name": "two", "account": "1"}], ["ledger__wire", {"name": "two", "account": "2"}]]
            ]
        ),
        outputs={"text": "{{ work.text }}"},
    ),
    "agent-below": line(
        agent(tools={"servers": [], "workflows": ["child"]}, turns=[[["workflow__child", {"name": "agent-below"}]]]),
        outputs={"text": "{{ work.text }}"},
    ),
    "llm": line(
        llm(tools=LEDGER, turns=[[["ledger__wire", {"name": "llm", "account": "3"}]]]),
        AFTER,
        outputs={"calls": "{{ say.tool_calls }}"},
    ),
    "models": line(
        CLASSIFIER,
        EXTRACTOR,
        llm(answer="Said."),
        approval(),
        outputs={"class": "{{ sort.class }}", "amount": "{{ take.amount }}", "text": "{{ say.text }}"},
        sort="good",
        ok="approved",
    ),
    "planner": line(
        planner(
            plan=[["ledger__look", {"name": "planner/look"}], ["ledger__wire", {"name": "planner", "account": "9"}]]
        ),
        outputs={"text": "{{ plan.text }}"},
    ),
    "planner-missing": line(
        planner(plan=[["ledger__wire", {"name": "missing"}]], missing=["account"]), outputs={"text": "{{ plan.text }}"}
    ),
    "elicitation": line(tool("before", "pay"), tool("seats", "book"), AFTER, outputs={"booked": "{{ seats.result }}"}),
    "below": line(node("below", "workflow", BELOW), AFTER, outputs={"below": "{{ below.paid }}", **PAID}),
    "iteration": inner(
        line(ITEMS[0], AFTER, outputs={"items": "{{ each.items }}"}, inside=ITEMS[1:]), "inner_pay -> sure"
    ),
    "loop": inner(line(ROUNDS[0], AFTER, outputs={"last": "{{ again.n }}"}, inside=ROUNDS[1:]), "count -> sure"),
    "parallel": graph(
        [
            START,
            tool("one", "pay"),
            approval("left"),
            approval("right"),
            tool("after", "pay"),
            node("both", "merge", {"values": ["{{ left.approved }}", "{{ right.approved }}"]}),
            node("end", "end", {"outputs": {"both": "{{ both.values }}", **PAID}}),
        ],
        "start -> one",
        "one -> left",
        "one -> right",
        "left:approved -> both",
        "right:approved -> both",
        "both -> after",
        "after -> end",
    ),
    "budget": {
        **line(
            agent(
                turns=[[["ledger__look", {"name": "budget/look"}]]],
                config={"budgets": {"tokens": 10, "on_limit": "ask"}},
            ),
            outputs={"text": "{{ work.text }}"},
        )
    },
}
"""Runs that come to rest by themselves."""

UNDER_WAY: dict[str, Json] = {
    "reading": line(held("look", "look"), AFTER, outputs=PAID),
    "reading-local": line(held("look", "look", "local"), AFTER, outputs=PAID),
    "writing": line(tool("before", "pay"), held("pay", "pay"), AFTER, outputs=PAID),
    "saying": line(llm(hold=0, answer="Said at last."), AFTER, outputs={"text": "{{ say.text }}"}),
    "sorting": line(
        node("sort", "classifier", {**MODEL, "text": task(hold="structured", **{"class": "bad"}), **CLASSES}),
        AFTER,
        outputs={"class": "{{ sort.class }}"},
        sort="bad",
    ),
    "taking": line(
        node("take", "extractor", {**MODEL, "text": task(hold="structured"), "schema": WANTED}),
        AFTER,
        outputs={"amount": "{{ take.amount }}"},
    ),
    "agent-round": line(
        agent(
            turns=[[["ledger__look", {"name": "round/look"}], ["ledger__pay", {"name": "round/pay"}]]],
            hold=1,
            config={"auto_execute": True},
        ),
        outputs={"text": "{{ work.text }}"},
    ),
    "agent-call": line(
        agent(turns=[[["ledger__look", {"name": "call/hold"}]]]),
        outputs={"text": "{{ work.text }}"},
    ),
    "planner-step": line(
        planner(plan=[["ledger__look", {"name": "step/one"}], ["ledger__look", {"name": "step/two"}]], hold="step 1"),
        outputs={"text": "{{ plan.text }}"},
    ),
    "items": line(HELD_ITEMS[0], AFTER, outputs={"items": "{{ each.items }}"}, inside=HELD_ITEMS[1:]),
    "child-under-way": line(
        node("below", "workflow", HELD_BELOW), AFTER, outputs={"below": "{{ below.paid }}", **PAID}
    ),
    "two-branches": graph(
        [
            START,
            tool("one", "pay"),
            held("left", "look"),
            approval("right"),
            node("both", "merge", {"values": []}),
            node("end", "end", {"outputs": {"left": "{{ hold_left.result }}"}}),
        ],
        "start -> one",
        "one -> hold_left",
        "one -> right",
        "hold_left -> both",
        "right:approved -> both",
        "both -> end",
    ),
}
"""Runs that the kill meets in the middle of a call."""

ENDED: dict[str, Json] = {
    "good": line(*PURE, AFTER, outputs={"text": "{{ tell.text }}"}, check="true", choose="first"),
    "failed": line(
        tool("before", "pay"),
        node("broken", "tool", {"server": "ledger", "tool": "no_such_tool", "arguments": {}}),
        AFTER,
        outputs=PAID,
    ),
}
"""Runs that are over; the failed one is retried, the good one kept as a test."""
