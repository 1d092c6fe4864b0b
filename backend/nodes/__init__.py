"""One file per node type, and `node_types()`, which gathers them with those that other packages add.

A package adds types by the entry point group `patchbay.nodes`; each entry point names a NodeType.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points

from backend.engine.document.types import NodeType, NodeTypes
from backend.nodes.agent import agent
from backend.nodes.aggregate import aggregate
from backend.nodes.answer import answer
from backend.nodes.approval import approval
from backend.nodes.classifier import classifier
from backend.nodes.code import code
from backend.nodes.document import document
from backend.nodes.end import end
from backend.nodes.extractor import extractor
from backend.nodes.form import form
from backend.nodes.http import http
from backend.nodes.if_ import if_
from backend.nodes.iteration import iteration
from backend.nodes.list_ import list_
from backend.nodes.llm import llm
from backend.nodes.loop import loop
from backend.nodes.merge import merge
from backend.nodes.placeholder import placeholder
from backend.nodes.planner import planner
from backend.nodes.prompt import prompt
from backend.nodes.resource import resource
from backend.nodes.set_variable import set_variable
from backend.nodes.start import start
from backend.nodes.switch import switch
from backend.nodes.template import template
from backend.nodes.tool import tool
from backend.nodes.wait import wait
from backend.nodes.workflow import workflow

GROUP = "patchbay.nodes"

BUILT_IN: tuple[NodeType, ...] = (
    start,
    end,
    answer,
    if_,
    switch,
    merge,
    iteration,
    loop,
    workflow,
    wait,
    template,
    set_variable,
    list_,
    aggregate,
    http,
    code,
    document,
    llm,
    agent,
    planner,
    classifier,
    extractor,
    tool,
    resource,
    prompt,
    approval,
    form,
    placeholder,
)


@cache
def node_types() -> NodeTypes:
    """All node types of this installation, in the order of the palette.

    Raises TypeError for an entry point that is no NodeType, ValueError where two types have one name.
    """
    added: list[NodeType] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        loaded = point.load()
        if not isinstance(loaded, NodeType):
            raise TypeError(f"the entry point {point.name} of {GROUP} is no NodeType")
        added.append(loaded)
    return NodeTypes([*BUILT_IN, *added])
