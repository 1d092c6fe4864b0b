"""`manage.py test_workflow SLUG`: plays the saved tests of a workflow, offline, and says per node what differs."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from backend.errors import PatchbayError, text_for
from backend.runs.models import WorkflowTest
from backend.runs.rerun.responses import TestResultJson
from backend.runs.rerun.workflow_tests import workflow_test_run
from backend.workflows.models import Workflow
from backend.workflows.selectors import version_for

LONGEST = 400
"""Characters of a value that are shown."""


class Command(BaseCommand):
    """Ends with 1 when a test gives something else; no program is started and no connection opened."""

    help = "Play the saved tests of a workflow, offline, and say per node what differs."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """`--version` is the workflow's here, not Django's."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """The workflow, and which document of it."""
        parser.add_argument("slug", help="slug or id of the workflow")
        parser.add_argument("--version", dest="number", type=int, help="a published version instead of the draft")
        parser.add_argument("--team", help="slug of the team, if several have a workflow with that slug")

    def handle(self, *args: Any, slug: str, number: int | None, team: str | None, **options: Any) -> None:
        """Play every test."""
        workflow = self._workflow(slug, team)
        text = workflow.draft if number is None else self._version(workflow, number)
        tests = list(WorkflowTest.objects.filter(workflow=workflow).order_by("created_at"))
        if not tests:
            raise CommandError(f"the workflow {workflow.slug} has no tests: save a run as one")
        wrong = 0
        for test in tests:
            try:
                result = workflow_test_run(test, text, number)
            except PatchbayError as error:
                message, hint = text_for(error.code, error.params, "en")
                raise CommandError(f"{message} {hint}") from None
            wrong += not result["ok"]
            self._say(test, result)
        right = len(tests) - wrong
        self.stdout.write(f"{right} of {len(tests)} tests give the same")
        if wrong:
            sys.exit(1)

    def _workflow(self, slug: str, team: str | None) -> Workflow:
        rows = Workflow.objects.filter(slug=slug) | Workflow.objects.filter(pk=slug)
        workflows = list(rows.filter(team__slug=team) if team else rows)
        if not workflows:
            raise CommandError(f"there is no workflow {slug}")
        if len(workflows) > 1:
            raise CommandError(f"several teams have a workflow {slug}: name one by --team")
        return workflows[0]

    def _version(self, workflow: Workflow, number: int) -> str:
        try:
            return version_for(workflow, number).graph
        except PatchbayError:
            raise CommandError(f"the workflow {workflow.slug} has no version {number}") from None

    def _say(self, test: WorkflowTest, result: TestResultJson) -> None:
        self.stdout.write(f"{'same' if result['ok'] else 'DIFFERS':8} {test.name} ({result['ms']} ms)")
        for node in result["nodes"]:
            if node["status"] == "same":
                continue
            self.stdout.write(f"    {node['node']}: {node['status']}")
            if node["status"] in ("differs", "unreached"):
                self.stdout.write(f"        expected {_short(node['expected'])}")
                self.stdout.write(f"        got      {_short(node['got'])}")
            for missing in node["missing"]:
                self.stdout.write(f"        no recorded answer for {missing['target']} {_short(missing['arguments'])}")
                if missing["recorded"] is not None:
                    self.stdout.write(f"        recorded was {_short(missing['recorded'])}")


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
