"""A front end of a workflow, which sends its requests again until somebody answers."""

from __future__ import annotations

import http.client
import json
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from tests.instance import until
from tests.live.kills.harness import Down, Harness
from tests.live.kills.messages import ASKS_AND_PAYS, SEEN_S


class FrontEnd:
    """One thread with a workflow that asks for a name, then writes once."""

    def __init__(self, harness: Harness, mark: str) -> None:
        self._house, self.thread = harness, f"thread {mark}"
        created = harness.ask("POST", "/api/workflows", {"name": f"Front {mark}", "graph": ASKS_AND_PAYS})
        self.workflow = str(created["id"])
        harness.ask("POST", f"/api/workflows/{self.workflow}/publish", {})
        harness.ask("PATCH", f"/api/workflows/{self.workflow}", {"expose_as_agui": True})
        self._path = urlsplit(str(harness.ask("GET", f"/api/workflows/{self.workflow}/agui")["url"])).path

    def request_run(self, request: str, text: str, **more: Any) -> list[dict[str, Any]]:
        """All events of the stream that answers a request. Raises Down where nobody answers, or the stream breaks."""
        body = {
            "threadId": self.thread,
            "runId": request,
            "messages": [{"id": "m1", "role": "user", "content": text}],
            **more,
        }
        headers = {"authorization": f"Bearer {self._house.token}", "content-type": "application/json"}
        at = self._house.urls[0] if self._house.urls else self._house.instance.url
        sent_request = urllib.request.Request(at + self._path, json.dumps(body).encode(), headers, method="POST")
        try:
            with urllib.request.urlopen(sent_request, timeout=SEEN_S) as answer:
                events = [json.loads(line[6:]) for line in answer.read().decode().splitlines() if line[:6] == "data: "]
        except urllib.error.HTTPError:
            raise
        except (OSError, http.client.HTTPException) as error:
            raise Down(str(error)) from error
        if not events or not events[-1]["type"].startswith(("RUN_FINISHED", "RUN_ERROR")):
            raise Down("the stream broke off")
        return events

    def answer(self, request: str, text: str, question: str) -> list[dict[str, Any]]:
        """The same with the answer to what it was asked."""
        resume = [{"interruptId": question, "status": "resolved", "payload": {"name": "Ada"}}]
        return self.request_run(request, text, resume=resume)

    def runs(self) -> list[dict[str, Any]]:
        """The workflow's runs."""
        result: list[dict[str, Any]] = self._house.ask("GET", f"/api/runs?workflow={self.workflow}")["results"]
        return result

    def ended(self) -> None:
        """Wait until the only run has succeeded; what a person is asked on its way is answered."""

        def there() -> bool:
            [run] = self.runs()
            if run["state"] == "WAITING":
                self._house.answer_all()
            return str(run["state"]) == "SUCCESS"

        until(there, SEEN_S)
