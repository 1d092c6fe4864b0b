"""A client of a workflow as an agent, which sends its messages again until somebody answers, as clients do."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from typing import Any

from tests.api.runs.conftest import node
from tests.instance import until
from tests.live.kills import graphs
from tests.live.kills.harness import Down, Harness

SEEN_S = 120.0
"""A claim that a killed process left behind is over by then."""
NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ASKS_AND_PAYS = graphs.line(
    node("ask", "form", {"title": "Who?", "schema": NAME}), graphs.tool("pay", "pay"), outputs={"who": "{{ ask.name }}"}
)


class Agency:
    """A workflow that is an agent: it asks for a name, then writes once."""

    def __init__(self, harness: Harness, mark: str) -> None:
        self._house = harness
        created = harness.ask("POST", "/api/workflows", {"name": f"Agent {mark}", "graph": ASKS_AND_PAYS})
        self.workflow = str(created["id"])
        harness.ask("POST", f"/api/workflows/{self.workflow}/publish", {})
        harness.ask("PATCH", f"/api/workflows/{self.workflow}", {"expose_as_agent": True})
        self.at = str(harness.ask("GET", f"/api/workflows/{self.workflow}/agent")["url"])

    def call(self, method: str, params: dict[str, Any]) -> Any:
        """The result of a request. Raises Down where nobody answers."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        headers = {"authorization": f"Bearer {self._house.token}", "a2a-version": "1.0"}
        at = self._house.urls[0] if self._house.urls else self._house.instance.url
        path = self.at[self.at.index("/a2a/") :]
        request = urllib.request.Request(at + path, body, headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=SEEN_S) as answer:
                reply = json.loads(answer.read())
        except urllib.error.HTTPError:
            raise
        except (OSError, http.client.HTTPException) as error:
            raise Down(str(error)) from error
        return reply["result"]

    def send(self, key: str, text: str, **more: str) -> dict[str, Any]:
        """The task that a message of this id belongs to."""
        message = {"messageId": key, "role": "ROLE_USER", "parts": [{"text": text}], **more}
        params = {"message": message, "configuration": {"returnImmediately": True}}
        task: dict[str, Any] = self.call("SendMessage", params)["task"]
        return task

    def state(self, task: str) -> str:
        """A task's state, as a short word."""
        result = self.call("GetTask", {"id": task})["status"]["state"]
        return str(result).removeprefix("TASK_STATE_").lower()

    def stands(self, task: str, state: str) -> None:
        """Wait until a task has come to a state; what a person is asked on its way is answered."""

        def there() -> bool:
            result = self.state(task)
            if result == "auth_required":
                self._house.answer_all()
            return result == state

        until(there, SEEN_S)

    def tasks(self) -> list[str]:
        """The ids of all tasks."""
        return [task["id"] for task in self.call("ListTasks", {})["tasks"]]
