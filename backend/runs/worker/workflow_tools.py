"""Published workflows as tools of a run, behind the gate.

They have no policies of their own: what a workflow may do is decided by the gates inside it. So its policy is `auto`:
one that only reads runs by itself, any other asks where a model chose it, unless the step executes by itself. An
approval for longer than once lasts for the run.
"""

from __future__ import annotations

import hashlib
import json

from backend.database.threads import in_thread
from backend.engine.document.compile import Compiled
from backend.errors import NotPublished
from backend.registry.tools.policies import granted_for_run, remember_for_run
from backend.runs.graphs import compiled_graph
from backend.runs.worker.children import acting
from backend.tools.calls.gate import GatedToolSource, ToolRules
from backend.tools.calls.workflow_source import SERVER, WorkflowToolSource, workflow_tool
from backend.tools.types import JsonObject, Remember, ToolSpec
from backend.workflows.selectors import version_for, workflow_for


def specs_of(team: str, user: str | None, names: list[str]) -> list[ToolSpec]:
    """These workflows (slug or id) as tools. Raises NotFound, NotPublished, GraphInvalid, Forbidden."""
    actor = acting(team, user)
    out: list[ToolSpec] = []
    for name in names:
        workflow = workflow_for(actor, name)
        if workflow.published_version is None:
            raise NotPublished(params={"workflow": workflow.slug})
        compiled = compiled_graph(version_for(workflow, workflow.published_version).graph)
        description = workflow.description or workflow.name
        reads = only_reads(compiled)
        out.append(workflow_tool(workflow.slug, workflow.name, description, compiled.input_schema, reads=reads))
    return out


def only_reads(compiled: Compiled) -> bool:
    """Whether no node of a workflow can change anything outside it."""
    return all(node.type.effect in ("pure", "read") for plan in compiled.plans.values() for node in plan.nodes.values())


def gated(specs: list[ToolSpec], run: str) -> GatedToolSource:
    """The tools behind the gate."""
    return GatedToolSource(WorkflowToolSource(specs), _Policies(run))


class _Policies:
    """The `PolicySource` of workflows."""

    def __init__(self, run: str) -> None:
        self._run = run

    async def rules(self, tool: ToolSpec, arguments: JsonObject) -> ToolRules:
        """`auto`; what the workflow was found to do counts."""
        about = json.dumps([tool.name, tool.description, tool.input_schema, tool.annotations], sort_keys=True)
        digest = hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()
        granted = await in_thread(granted_for_run, self._run, SERVER, tool.name, digest, SERVER)
        return ToolRules(trust_annotations=True, definition_hash=digest, server_hash=SERVER, granted=granted)

    async def remember(self, tool: ToolSpec, arguments: JsonObject, rules: ToolRules, how: Remember, by: str) -> None:
        """Keep an approval for the run."""
        await in_thread(remember_for_run, self._run, SERVER, tool.name, rules)
