"""What the API answers about an import: the report in the reader's language."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from backend.accounts.described import Help
from backend.workflows.dify.arguments import closeness, fitted, likeness
from backend.workflows.report import CodeWant, KnownTool, LineState, Report, TeamHas, ToolWant
from backend.workflows.responses import NewlyImportedJson

MOST_CANDIDATES = 200


class ImportLineJson(TypedDict):
    """What became of one node of the file."""

    origin: Annotated[str, Help("Its id in the file.")]
    node: Annotated[str, Help("Its id here.")]
    title: str
    type: Annotated[str, Help("What it is in the file.")]
    becomes: Annotated[str, Help("Our node type.")]
    state: Literal["mapped", "changed", "choose", "left"]
    why: str
    group: Annotated[str, Help("Key among `wants.tools` under which it is asked for together with those alike.")]


class ImportCountsJson(TypedDict):
    """Lines by their states."""

    mapped: int
    changed: int
    choose: int
    left: int


class ChosenToolJson(TypedDict):
    """A tool of a server."""

    server: str
    tool: str


class ToolCandidateJson(ChosenToolJson):
    """A tool that may be chosen, the best first; `arguments` = {name in the file: argument of the tool}."""

    title: str
    risk: str
    arguments: dict[str, str]
    empty: Annotated[list[str], Help("Required arguments that would stay empty.")]


class ToolWantJson(TypedDict):
    """Something that a tool is chosen for."""

    key: str
    name: str
    kind: Literal["tool", "knowledge"]
    arguments: list[str]
    nodes: Annotated[list[str], Help("Ids in the file of all alike.")]
    titles: list[str]
    chosen: ChosenToolJson | None
    candidates: list[ToolCandidateJson]


class ModelNameJson(TypedDict):
    """A model of a provider."""

    provider: str
    model: str


class ModelWantJson(TypedDict):
    """A model that the file names."""

    name: str
    count: int
    match: ModelNameJson | None


class NameWantJson(TypedDict):
    """A secret or server that the file names."""

    name: str
    match: Annotated[str, Help("What is used here; empty where it is missing.")]
    note: str


class HostWantJson(TypedDict):
    """A host that is called."""

    host: str
    fixed: Annotated[bool, Help("False where it comes out of an expression.")]


class CodeWantJson(TypedDict):
    """Python in a node."""

    node: str
    title: str
    source: str
    lines: int
    modules: list[str]
    missing: Annotated[list[str], Help("Modules that the sandbox has not.")]


class ImportWantsJson(TypedDict):
    """What the document needs from the team."""

    tools: list[ToolWantJson]
    models: list[ModelWantJson]
    secrets: list[NameWantJson]
    servers: list[NameWantJson]
    hosts: list[HostWantJson]
    code: list[CodeWantJson]


class ImportReportJson(TypedDict):
    """What an import makes of a file."""

    kind: Literal["dify", "patchbay"]
    name: str
    mode: Annotated[str, Help("Of an app of Dify: workflow or chatflow.")]
    version: Annotated[str, Help("Of an app of Dify: the version of its format.")]
    nodes: int
    edges: int
    counts: ImportCountsJson
    lines: Annotated[list[ImportLineJson], Help("Those that need a person first.")]
    notes: list[str]
    wants: ImportWantsJson


class ImportReportAnswerJson(TypedDict):
    """The report alone: nothing was made."""

    report: ImportReportJson


class ImportedWorkflowJson(TypedDict):
    """The new workflow, and the report about its import."""

    workflow: NewlyImportedJson
    report: ImportReportJson


def report_json(report: Report, team: TeamHas, language: str) -> ImportReportJson:
    """A report as it is answered."""
    wants = report.wants
    counts: dict[LineState, int] = report.counts()
    return {
        "kind": report.kind,
        "name": report.name,
        "mode": report.mode,
        "version": report.version,
        "nodes": len(report.lines),
        "edges": report.edges,
        "counts": {
            "mapped": counts["mapped"],
            "changed": counts["changed"],
            "choose": counts["choose"],
            "left": counts["left"],
        },
        "lines": [
            {
                "origin": line.origin,
                "node": line.node,
                "title": line.title,
                "type": line.type,
                "becomes": line.becomes,
                "state": line.state,
                "why": line.reason().in_(language),
                "group": line.group,
            }
            for line in report.sorted_lines()
        ],
        "notes": [note.in_(language) for note in report.notes],
        "wants": {
            "tools": [_tool_want(want, team) for want in wants.tools.values()],
            "models": [
                {
                    "name": want.name,
                    "count": want.count,
                    "match": {"provider": want.match.provider, "model": want.match.model} if want.match else None,
                }
                for want in wants.models.values()
            ],
            "secrets": [
                {"name": want.name, "match": want.match, "note": want.note.in_(language)}
                for want in wants.secrets.values()
            ],
            "servers": [
                {"name": want.name, "match": want.match, "note": want.note.in_(language)}
                for want in wants.servers.values()
            ],
            "hosts": [{"host": want.host, "fixed": want.fixed} for want in wants.hosts.values()],
            "code": [_code_want(want) for want in wants.code],
        },
    }


def _code_want(want: CodeWant) -> CodeWantJson:
    return {
        "node": want.node,
        "title": want.title,
        "source": want.source,
        "lines": len(want.source.splitlines()),
        "modules": want.modules,
        "missing": want.missing,
    }


def _tool_want(want: ToolWant, team: TeamHas) -> ToolWantJson:
    rows = [(fitted(want.arguments, tool), tool) for tool in team.tools]
    rows.sort(
        key=lambda row: (
            -closeness(row[0]) - 2 * likeness(want.name, row[1]),
            row[1].risk == "HIGH",
            row[1].server,
            row[1].tool,
        )
    )
    return {
        "key": want.key,
        "name": want.name,
        "kind": want.kind,
        "arguments": want.arguments,
        "nodes": want.nodes,
        "titles": want.titles,
        "chosen": {"server": want.chosen.server, "tool": want.chosen.tool} if want.chosen else None,
        "candidates": [_candidate(tool, pairs) for pairs, tool in rows[:MOST_CANDIDATES]],
    }


def _candidate(tool: KnownTool, pairs: dict[str, str]) -> ToolCandidateJson:
    return {
        "server": tool.server,
        "tool": tool.tool,
        "title": tool.title,
        "risk": tool.risk,
        "arguments": pairs,
        "empty": [name for name in tool.parameters if name in tool.required and name not in pairs.values()],
    }
