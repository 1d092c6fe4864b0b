"""The client that the conformance suite starts: what a person does at Patchbay with the server at the given address.

    python -m tests.conformance.client http://localhost:41234/mcp

The server is added, signed in to where it asks for that, tested, and each of its tools is called in a run. Which
scenario it is, at which revision and with which credentials, stands in `MCP_CONFORMANCE_…`; where Patchbay is and
whose browser this is, in `PATCHBAY_AT` and `PATCHBAY_COOKIES`. Whether all went as the scenario wants is said by the
scenario; this ends with 1 where Patchbay refuses the server.
"""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import parse_qs, urlsplit

SIGN_INS = 3
"""How often a person signs in before they give up: a server may ask for more rights than it was given."""
PATIENCE_S = 60.0
PAUSE_S = 0.1
Json = dict[str, Any]


class Refused(Exception):
    """Patchbay said no; the text says to what and why."""


class Browser:
    """Requests with the cookies of a person who is signed in."""

    def __init__(self, at: str, cookies: dict[str, str]) -> None:
        self.at = at
        self.cookies = cookies

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """(status, JSON) of one request."""
        headers = {
            "content-type": "application/json",
            "accept": "application/json",
            "cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "x-csrftoken": self.cookies.get("patchbay_csrf", ""),
            "origin": self.at,
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.at + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                raw, status = answer.read(), answer.status
        except urllib.error.HTTPError as error:
            raw, status = error.read(), error.code
        return status, json.loads(raw) if raw else None

    def get(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of an answer that says yes. Raises Refused."""
        status, result = self.ask(method, path, body)
        if status >= 400:
            raise Refused(f"{method} {path}: {status} {json.dumps(result)}")
        return result


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows nothing: what stands in the address goes back to Patchbay."""

    def redirect_request(self, *_: Any) -> None:
        return None


def visited(url: str) -> dict[str, str]:
    """What the browser brings back from the page of the authorization server at `url`."""
    try:
        with urllib.request.build_opener(_Stay).open(url, timeout=PATIENCE_S) as answer:
            raise Refused(f"The authorization server at {url} answered {answer.status} and sends nobody back.")
    except urllib.error.HTTPError as error:
        location = error.headers.get("location", "")
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}


def sign_in(browser: Browser, server: str) -> None:
    """Out to the authorization server and back. Raises Refused."""
    begun = browser.get("POST", "/api/mcp/sign-in/begin", {"server": server})
    browser.get("POST", "/api/mcp/sign-in/return", visited(begun["url"]))


def answered(browser: Browser, run: Json) -> None:
    """Answer what the run asks, each field as the form proposes it."""
    for question in browser.get("GET", f"/api/interactions?run={run['id']}&state=open")["results"]:
        fields = (question.get("schema") or {}).get("properties", {})
        values = {name: field["default"] for name, field in fields.items() if "default" in field}
        browser.get("POST", f"/api/interactions/{question['id']}/answer", {"action": "accept", "values": values})


def run_tool(browser: Browser, server: Json, tool: Json, arguments: Json) -> Json:
    """A run of a workflow that calls the tool; its last state."""

    def node(key: str, type_: str, config: Json) -> Json:
        return {"id": key, "type": type_, "v": 1, "position": {"x": 0, "y": 0}, "config": config}

    def edge(source: str, target: str) -> Json:
        ports = {"source_port": "out", "target_port": "in"}
        return {"id": f"{source}_{target}", "source": source, "target": target, **ports}

    config = {"server": server["slug"], "tool": tool["name"], "arguments": arguments}
    graph = {
        "schema": 1,
        "language": "en",
        "nodes": [
            node("start", "start", {}),
            node("call", "tool", config),
            node("end", "end", {"outputs": {"a": "1"}}),
        ],
        "edges": [edge("start", "call"), edge("call", "end")],
    }
    created = browser.get("POST", "/api/workflows", {"name": f"{server['name']} {tool['name']}", "graph": graph})
    run: Json = browser.get("POST", f"/api/workflows/{created['id']}/runs", {"version": "draft", "inputs": {}})
    ends = time.monotonic() + PATIENCE_S
    while run["state"] in ("QUEUED", "RUNNING", "WAITING") and time.monotonic() < ends:
        answered(browser, run)  # a call of the handshake era is held open meanwhile: its run does not wait
        time.sleep(PAUSE_S)
        run = browser.get("GET", f"/api/runs/{run['id']}")
    return run


def example(schema: Json) -> Any:
    """An argument that fits."""
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    return {"integer": 5, "number": 5, "boolean": True, "object": {}, "array": []}.get(str(kind), "text")


def arguments_of(tool: Json, tools: list[Json], context: Json) -> Json:
    """The arguments that the scenario names, else one that fits for each that is required."""
    if tool["name"] == "json_schema_echo":  # it wants to know what arrived of the other one's schema
        return {"schema": next(other for other in tools if other["name"] != tool["name"])["input_schema"]}
    for call in context.get("toolCalls", []):
        if call.get("name") == tool["name"]:
            result: Json = call.get("arguments", {})
            return result
    fields = tool["input_schema"].get("properties", {})
    return {name: example(fields.get(name, {})) for name in tool["input_schema"].get("required", [])}


def credentials(scenario: str, context: Json) -> Json:
    """What an admin enters of a client that was registered by hand."""
    entered: Json = {"oauth_client_id": context["client_id"]}
    if "client-credentials" in scenario:
        entered["oauth_grant"] = "client_credentials"
    if context.get("private_key_pem"):
        return entered | {"oauth_client_auth": "private_key_jwt", "oauth_private_key": context["private_key_pem"]}
    return entered | {"oauth_client_secret": context.get("client_secret", "")}


class Visit:
    """A person at one server."""

    def __init__(self, browser: Browser, url: str, scenario: str, context: Json) -> None:
        self.browser = browser
        self.signs_in = scenario.startswith("auth/")
        self.left = SIGN_INS
        body: Json = {"name": f"{scenario} {time.time_ns()}", "transport": "http", "url": url}
        body |= {"trust_annotations": True, "asks": True}
        if self.signs_in:
            body["auth_type"] = "oauth"
        if self.signs_in and context.get("client_id"):
            body |= credentials(scenario, context)
            self.signs_in = "oauth_grant" not in body  # else Patchbay does it itself
        self.server: Json = browser.get("POST", "/api/mcp/servers", body)
        self.at = f"/api/mcp/servers/{self.server['id']}"

    def sign_in(self) -> bool:
        """Sign in, unless there is nothing to sign in to or it was done often enough; whether it was done."""
        if not self.signs_in or self.left == 0:
            return False
        self.left -= 1
        sign_in(self.browser, self.server["id"])
        return True

    def test(self) -> bool:
        """Test the connection, signing in as often as it takes; whether it is sound."""
        self.sign_in()
        while True:
            report = self.browser.get("POST", f"{self.at}/test", {})
            print(report["code"], report["message"])
            if report["ok"] or report["code"] != "MCP_AUTH_FAILED" or not self.sign_in():
                return bool(report["ok"])

    def use(self, context: Json) -> None:
        """Call each tool in a run, signing in as often as it takes."""
        tools = self.browser.get("GET", f"{self.at}/tools")["results"]
        for tool in tools:
            while True:
                run = run_tool(self.browser, self.server, tool, arguments_of(tool, tools, context))
                error = run["error"] or {}
                print(tool["name"], run["state"], error.get("code"), error.get("message"))
                if error.get("code") != "MCP_AUTH_FAILED" or not self.sign_in():
                    break


def main(url: str) -> int:
    """Use the server as a person does. Gives the exit status."""
    scenario = os.environ["MCP_CONFORMANCE_SCENARIO"]
    context: Json = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    browser = Browser(os.environ["PATCHBAY_AT"], json.loads(os.environ["PATCHBAY_COOKIES"]))
    visit = Visit(browser, url, scenario, context)
    try:
        sound = visit.test()
        visit.use(context)
    finally:
        browser.get("DELETE", visit.at)  # the scenario waits until its server has no connection left
    return 0 if sound else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[-1]))
    except Refused as refused:
        print(refused)
        sys.exit(1)
