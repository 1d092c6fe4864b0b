"""Templates on servers of others: a webhook that is sorted and approved, a scheduled report, questions on files."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest

from tests.instance import Installation, installation, until
from tests.live.servers.conftest import NODE_SERVERS
from tests.llm_server import Call, LlmServer, has_result, llm_server, mentions

GIT = Path(sys.executable).with_name("mcp-server-git")
FILES = NODE_SERVERS / "mcp-server-filesystem"
ENDED = {"SUCCESS", "ERROR", "CANCELLED"}


def git(repository: Path, *arguments: str) -> str:
    """What git says in the repository."""
    who = ("-c", "user.name=Vera", "-c", "user.email=vera@example.org")
    command = ["git", "-C", str(repository), *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class TemplateSetup:
    """An installation with a repository, a folder, a server for each, and a scripted model."""

    def __init__(self, folder: Path, llm: LlmServer) -> None:
        self.llm, self.repository, self.folder = llm, folder / "repository", folder / "files"
        for created in (self.repository, self.folder):
            created.mkdir()
        git(self.repository, "init", "-q", "-b", "main")
        git(self.repository, "commit", "-q", "--allow-empty", "-m", "Count the lost sheep")
        (self.folder / "notes.md").write_text("The shepherd is Ada.\n")
        self.instance: Installation = installation(folder / "data", extra={"PATCHBAY_RUN_STARTS_PER_15S": "0"})
        self.token = self.instance.start().token()
        self._server("git", GIT, "--repository", str(self.repository))
        self._server("filesystem", FILES, str(self.folder))
        self.ask("POST", "/api/providers", {"name": "S", "slug": "scripted", "base_url": llm.url, "api_key": "sk-1"})

    def _server(self, slug: str, program: Path, *arguments: str) -> None:
        body = {"name": slug, "slug": slug, "transport": "stdio", "command": str(program), "args": list(arguments)}
        created = self.ask("POST", "/api/mcp/servers", {**body, "trust_annotations": True})
        self.ask("GET", f"/api/mcp/servers/{created['id']}/tools?refresh=1")

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The API's answer."""
        status, answer = self.instance.request(method, path, body, self.token)
        assert status < 300, (path, status, answer)
        return answer

    def published(self, template: str, **defaults: str) -> str:
        """A workflow of the template with these defaults in its form, published; its id."""
        uses = {"provider": "scripted", "model": "m"}
        created = self.ask("POST", "/api/workflows", {"template": template, "uses": uses})
        graph = created["draft"]["graph"]
        fields = graph["nodes"][0]["config"]["inputs"]["properties"]
        for name, value in defaults.items():
            fields[name]["default"] = value
        saved = self.ask("PUT", f"/api/workflows/{created['id']}/draft", {"revision": 1, "graph": graph})
        assert saved["problems"] == []
        self.ask("POST", f"/api/workflows/{created['id']}/publish", {})
        return str(created["id"])

    def ended(self, run: str) -> Any:
        """The run, once it has succeeded."""
        result = until(lambda: (row := self.ask("GET", f"/api/runs/{run}"))["state"] in ENDED and row)
        assert result["state"] == "SUCCESS", result["error"]
        return result


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TemplateSetup]:
    with llm_server() as llm:
        setup = TemplateSetup(tmp_path_factory.mktemp("templates"), llm)
        yield setup
        assert setup.instance.stop() == 0


@pytest.mark.wide
def test_a_report_from_a_webhook_is_sorted_and_a_branch_created_once_approved(setup: TemplateSetup) -> None:
    workflow = setup.published("triage-reports", repository=str(setup.repository))
    body = {"kind": "webhook", "name": "Reports", "enabled": True, "config": {}}
    url = setup.ask("POST", f"/api/workflows/{workflow}/triggers", body)["url"]

    def call(number: int, text: str) -> str:
        report = json.dumps({"number": number, "title": "Sheep", "text": text, "sender": "somebody"}).encode()
        address = setup.instance.url + urlsplit(url).path
        with urlopen(Request(address, report, {"Content-Type": "application/json"}), timeout=60) as answer:
            return str(json.load(answer)["run"])

    setup.llm.say('{"class": "idea"}', when=mentions("count goats"))
    filed = setup.ended(call(6, "Could it count goats?"))
    assert filed["outputs"] == {"class": "idea", "result": "Report 6 is filed as: idea."}

    setup.llm.say('{"class": "bug"}', when=mentions("one too many"))
    run = call(7, "It counts one too many.")
    question = until(lambda: setup.ask("GET", f"/api/interactions?state=open&run={run}")["results"])[0]
    assert "report-7" not in git(setup.repository, "branch")
    answer = {"action": "accept", "values": {"branch": "report-7-sheep"}}
    setup.ask("POST", f"/api/interactions/{question['id']}/answer", answer)
    done = setup.ended(run)
    assert (done["trigger"], done["outputs"]["class"]) == ("webhook", "bug")
    assert "report-7-sheep" in git(setup.repository, "branch")


def test_a_repository_is_reported_on_when_the_schedule_says(setup: TemplateSetup) -> None:
    workflow = setup.published("repository-report", repository=str(setup.repository))
    setup.llm.say("One commit about sheep.", when=mentions("Count the lost sheep"))
    due = (datetime.now(UTC) + timedelta(seconds=2)).isoformat()
    body = {"kind": "schedule", "name": "Once", "enabled": True, "config": {"at": [due]}}
    setup.ask("POST", f"/api/workflows/{workflow}/triggers", body)
    [row] = until(lambda: setup.ask("GET", f"/api/runs?workflow={workflow}")["results"])
    done = setup.ended(row["id"])
    assert (done["trigger"], done["outputs"]) == ("schedule", {"report": "One commit about sheep."})


@pytest.mark.wide
def test_a_question_is_answered_from_the_files_of_a_folder(setup: TemplateSetup) -> None:
    workflow = setup.published("ask-about-files", folder=str(setup.folder))
    read = Call("filesystem__read_text_file", {"path": str(setup.folder / "notes.md")})
    setup.llm.reply(calls=[read], when=mentions("Who is the shepherd?"))
    setup.llm.say("Ada, says notes.md.", when=has_result("The shepherd is Ada."))
    body = {"inputs": {"text": "Who is the shepherd?"}}
    done = setup.ended(setup.ask("POST", f"/api/workflows/{workflow}/runs", body)["id"])
    assert done["outputs"] == {"text": "Ada, says notes.md."}
