"""Workflows to begin with: their documents, what they need, and how they are fitted to a team's servers and models.

The documents are the files in `examples/`; `zh.json` there translates their texts. A document names the servers that it
needs by the names in `needs`, and leaves provider and model of its agents empty; both are put in when it is used.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from backend.engine.document.types import Text
from backend.errors import ValidationFailed

_FOLDER = Path(__file__).with_name("examples")


@dataclass(frozen=True, slots=True)
class Need:
    """A server or a model that a template works with. `preset` = how a missing server is added quickest."""

    name: str
    kind: Literal["server", "model"]
    preset: str = ""


@dataclass(frozen=True, slots=True)
class Template:
    """One workflow to begin with. `id` is the slug that a team's first copy gets.

    `inputs` = (run input, name of a needed server, input of that server's preset): what a server was set up with, such
    as its folder, is proposed to who runs the workflow.
    """

    id: str
    file: str
    name: Text
    description: Text
    needs: tuple[Need, ...]
    inputs: tuple[tuple[str, str, str], ...] = ()


TEMPLATES: tuple[Template, ...] = (
    Template(
        "work-on-files",
        "work_on_files.json",
        Text("Work on files", "处理文件"),
        Text(
            "Reads a folder that you choose and, after your approval, writes an overview into it.",
            "查看您指定的文件夹，并在您批准后把概览写入其中。",
        ),
        (Need("filesystem", "server", "filesystem"),),
        (("folder", "filesystem", "DIRECTORY"),),
    ),
    Template(
        "what-time-is-it-there",
        "what_time.json",
        Text("What time is it there?", "那里现在几点？"),
        Text(
            "Asks a server for the time in another place and puts it into a sentence.",
            "向服务器查询另一地的时间，并用一句话说出来。",
        ),
        (Need("time", "server", "time"),),
    ),
    Template(
        "a-tour",
        "tour.json",
        Text("A tour", "功能导览"),
        Text(
            "Parallel tools with progress, a branch, slow steps, and a destructive tool that asks you first.",
            "并行工具与进度、分支、较慢的步骤，以及执行前会先询问您的破坏性工具。",
        ),
        (Need("time", "server", "time"), Need("demo", "server")),
    ),
    Template(
        "ask-before-it-writes",
        "ask_before_it_writes.json",
        Text("Ask before it writes", "写入之前先询问"),
        Text(
            "An agent reads a git repository and writes a file after you approve what it writes.",
            "智能体读取 git 仓库并写入文件，写入之前须经您批准。",
        ),
        (Need("git", "server", "git"), Need("filesystem", "server", "filesystem"), Need("model", "model")),
        (("repository", "git", "REPOSITORY"), ("folder", "filesystem", "DIRECTORY")),
    ),
    Template(
        "research-and-report",
        "research_and_report.json",
        Text("Research and report", "调研并撰写报告"),
        Text(
            "Reads a page, lets an agent follow up on what matters, and answers with its sources.",
            "读取网页，由智能体追踪要点，并附上来源作答。",
        ),
        (Need("fetch", "server", "fetch"), Need("model", "model")),
    ),
    Template(
        "triage-reports",
        "triage_reports.json",
        Text("Triage reports", "分拣报告"),
        Text(
            "A webhook brings a report, a model sorts it, and a bug gets a branch once you approve.",
            "Webhook 送来报告，由模型分类；经您批准后，为其中的缺陷创建分支。",
        ),
        (Need("git", "server", "git"), Need("model", "model")),
        (("repository", "git", "REPOSITORY"),),
    ),
    Template(
        "repository-report",
        "repository_report.json",
        Text("Report on a repository", "仓库报告"),
        Text(
            "On a schedule, reads what changed in a git repository and writes a report for the team.",
            "定时读取 git 仓库的改动，并为团队撰写报告。",
        ),
        (Need("git", "server", "git"), Need("model", "model")),
        (("repository", "git", "REPOSITORY"),),
    ),
    Template(
        "ask-about-files",
        "ask_about_files.json",
        Text("Ask about files", "询问文件"),
        Text(
            "An agent reads the files of a folder and answers questions about them, naming its sources.",
            "智能体读取文件夹中的文件并回答相关问题，注明出处。",
        ),
        (Need("filesystem", "server", "filesystem"), Need("model", "model")),
        (("folder", "filesystem", "DIRECTORY"),),
    ),
)


def template_named(name: str) -> Template:
    """The template of this id. Raises ValidationFailed (`template`)."""
    for template in TEMPLATES:
        if template.id == name:
            return template
    raise ValidationFailed(fields={"template": [f"must be one of {', '.join(template.id for template in TEMPLATES)}"]})


@cache
def _words(language: str) -> dict[str, str]:
    words: dict[str, str] = json.loads((_FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return words


def template_graph(
    template: Template,
    language: str,
    uses: Mapping[str, str] | None = None,
    chosen: Mapping[str, Mapping[str, str]] | None = None,
) -> dict[str, Any]:
    """The template's document with its texts in `language` ("en" or "zh").

    `uses` = {name of a needed server: slug, "provider": slug, "model": id}; what is not named stays as it is, and the
    editor says what is missing. `chosen` = {name of a needed server: what its preset was filled with}.
    Raises ValidationFailed (`uses.<name>`) for a name that the template does not need.
    """
    uses = dict(uses or {})
    servers = {need.name for need in template.needs if need.kind == "server"}
    known = servers | ({"provider", "model"} if any(need.kind == "model" for need in template.needs) else set())
    wrong = sorted(uses.keys() - known)
    if wrong:
        raise ValidationFailed(fields={f"uses.{name}": ["is nothing that this template needs"] for name in wrong})
    graph: dict[str, Any] = json.loads((_FOLDER / template.file).read_text(encoding="utf-8"))
    if language != "en":
        graph = {**_translated(graph, _words(language)), "language": language}
    for node in graph["nodes"]:
        _fit(node["config"], uses)
        if node["type"] == "start":
            _propose(node["config"]["inputs"]["properties"], template, chosen or {})
    return graph


def _propose(properties: dict[str, Any], template: Template, chosen: Mapping[str, Mapping[str, str]]) -> None:
    """Put what the servers were set up with into the run form as defaults."""
    for name, need, field in template.inputs:
        if value := chosen.get(need, {}).get(field):
            properties[name] = {**properties[name], "default": value}


def _fit(config: dict[str, Any], uses: Mapping[str, str]) -> None:
    """Put the team's servers and model into one node's configuration."""
    places = [config] if "server" in config else []
    places += (config.get("tools") or {}).get("servers") or []
    for place in places:
        place["server"] = uses.get(place["server"], place["server"])
    if "provider" in config:
        config["provider"] = uses.get("provider", config["provider"])
        config["model"] = uses.get("model", config["model"])


def _translated(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _translated(inner, words) for key, inner in value.items()}
    if isinstance(value, list):
        return [_translated(inner, words) for inner in value]
    return words.get(value, value) if isinstance(value, str) else value


def template_preview(template: Template) -> dict[str, Any]:
    """What a picture of the template shows: its nodes where they lie, and the edges among them."""
    graph = template_graph(template, "en")
    nodes = [
        {
            "id": node["id"],
            "type": node["type"],
            "server": str(node["config"].get("server") or ""),
            "parent": node.get("parent"),
            "x": node["position"]["x"],
            "y": node["position"]["y"],
        }
        for node in graph["nodes"]
    ]
    return {"nodes": nodes, "edges": [{"source": edge["source"], "target": edge["target"]} for edge in graph["edges"]]}
