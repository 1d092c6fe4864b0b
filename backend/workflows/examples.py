"""The two workflows every new team starts with; they need no key.

Their graphs are the files in `examples/`; `zh.json` there translates their texts for an owner who reads Chinese.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from backend.accounts.actor import actor_for
from backend.accounts.models import Team, User
from backend.workflows.models import Workflow
from backend.workflows.services import workflow_create, workflow_publish

_FOLDER = Path(__file__).with_name("examples")
_EXAMPLES = {
    "what-time-is-it-there": (
        "what_time.json",
        {"en": "What time is it there?", "zh": "那里现在几点？"},
        {
            "en": "Asks a server for the time in another place and says it in words.",
            "zh": "向服务器查询另一地的时间，并用一句话说出来。",
        },
    ),
    "a-tour": (
        "tour.json",
        {"en": "A tour", "zh": "功能导览"},
        {
            "en": "Parallel tools with progress, a branch, slow steps, and a destructive tool that asks you first.",
            "zh": "并行工具与进度、分支、较慢的步骤，以及执行前会先询问您的破坏性工具。",
        },
    ),
}


def install_example_workflows(team: Team, user: User) -> None:
    """Create and publish the examples of a new team; those that are there already stay as they are."""
    actor = actor_for(user, team.id)
    if actor is None:
        return
    language = "zh" if user.language.startswith("zh") else "en"
    for slug, (file, name, description) in _EXAMPLES.items():
        if Workflow.objects.filter(team=team, slug=slug).exists():
            continue
        made, _ = workflow_create(actor, name[language], description[language], _graph(file, language), slug_hint=slug)
        workflow_publish(actor, made.id)


def _graph(file: str, language: str) -> Any:
    """The document of a file, its texts in `language`."""
    graph = json.loads((_FOLDER / file).read_text(encoding="utf-8"))
    if language == "en":
        return graph
    words: dict[str, str] = json.loads((_FOLDER / f"{language}.json").read_text(encoding="utf-8"))

    def translated(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: translated(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [translated(inner) for inner in value]
        return words.get(value, value) if isinstance(value, str) else value

    return {**translated(graph), "language": language}
