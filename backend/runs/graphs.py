"""Graphs ready to run, kept by their text: stored snapshots never change, so nothing compiled from one does."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from backend.engine.document.compile import Compiled, compile_graph
from backend.engine.document.concurrency import Concurrency
from backend.engine.document.shape import GraphJson
from backend.errors import GraphInvalid, PatchbayError
from backend.runs.log.encoding import decode
from backend.runs.log.rows import read_blobs
from backend.tools.approvers import ANYONE, Approvers
from backend.web.lookup import storable
from backend.workflows.validation import uses_in


def _compiled(document: Mapping[str, object]) -> Compiled:
    from backend.nodes import node_types  # node types of other packages are looked for on first use, not at start

    return compile_graph(document, node_types())


@lru_cache(maxsize=64)
def stored_graph(blob: str) -> tuple[GraphJson, Compiled | None, PatchbayError | None]:
    """(document, compiled, None), or (document, None, why not) of a run's snapshot. Touches the database."""
    document: GraphJson = read_blobs([blob])[blob]
    try:
        return document, _compiled(document), None
    except GraphInvalid as error:
        return document, None, error


@lru_cache(maxsize=256)
def node_titles(blob: str) -> dict[str, str]:
    """What the nodes of a run's snapshot are called, where they have a title. Touches the database."""
    nodes = read_blobs([blob])[blob].get("nodes") or ()
    return {str(node.get("id")): str(node["title"]) for node in nodes if node.get("title")}


@lru_cache(maxsize=64)
def compiled_graph(graph: str) -> Compiled:
    """A document's text ready to run. Raises GraphInvalid."""
    return _compiled(decode(graph))


def is_runnable(graph: str) -> bool:
    """Whether this installation can run the document; a node type that it needs may have gone."""
    try:
        compiled_graph(graph)
    except GraphInvalid:
        return False
    return True


@lru_cache(maxsize=64)
def named_servers(graph: str) -> tuple[str, ...]:
    """What a document calls the registered servers that its nodes use: slugs or ids, without those of its own."""
    document: dict[str, Any] = decode(graph)
    own = document.get("mcp_servers")
    declared = own if isinstance(own, dict) else {}
    names = {use.server for use in uses_in(document)} - declared.keys()
    return tuple(sorted(name for name in names if storable(name)))


def concurrency_of(graph: str) -> Concurrency | None:
    """How many runs of the document may go on at once; None where it says nothing, or cannot be run at all."""
    try:
        return compiled_graph(graph).concurrency
    except GraphInvalid:
        return None


def approvers_of(graph: str) -> Approvers:
    """Who must agree to what the document's runs ask approval for; "anyone" where it cannot be run at all."""
    try:
        return compiled_graph(graph).approvers
    except GraphInvalid:
        return ANYONE


def input_schema(graph: str) -> dict[str, Any]:
    """The schema of the start node's inputs. Raises GraphInvalid."""
    return compiled_graph(graph).input_schema


def run_language(document: Mapping[str, object], person: str | None) -> str:
    """The language a run speaks: the workflow's where it has one, else that of whoever started it ("en" or "zh")."""
    return "zh" if str(document.get("language") or person or "").startswith("zh") else "en"
