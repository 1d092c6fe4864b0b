"""An MCP server that signs people in by OAuth, and its authorization server, as one process on loopback.

    with OAuthServer() as server:                    # server.url is the MCP server, server.issuer the authorization one
        server.does(issuer="https://other.example")  # from now on a mistake or an attack; `does()` = all is right
        server.facts()                               # what it counted: tokens given, refresh tokens used twice, …

Refresh tokens are rotated: one that comes a second time ends the sign-in, as the standard recommends. Whoever comes to
its sign-in page is let in at once. Machines come as `robot`, with the secret `robot: secret` or an assertion signed
with the key whose public half `does(key=pem)` names; they get no refresh token. Other servers ask `/introspect` whether
a token holds; `does(audience=url)` gives tokens for one of them. As a program:
`python -m tests.oauth_mcp_server --port 8600`.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import secrets
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import jwt

from tests import forkserver
from tests.forkserver import Forked
from tests.services import free_port

PATIENCE_S = 30.0


class OAuthServer:
    """The process, seen from a test."""

    def __init__(self) -> None:
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.url = f"{self.issuer}/mcp"
        self._process: Forked | None = None

    def __enter__(self) -> OAuthServer:
        self._process = forkserver.double("-m", "tests.oauth_mcp_server", "--port", str(self.port))
        assert self._process.stdout.readline() == "ready\n"
        return self

    def __exit__(self, *error: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)
            self._process.stdout.close()

    def reset(self) -> None:
        """Forget everything: all is right from now on."""
        self._tell(reset=True)

    def does(self, **wrong: Any) -> None:
        """What it does wrong, or otherwise than usual, from now on."""
        self._tell(wrong=wrong)

    def end_sign_ins(self) -> None:
        """All tokens are refused from now on."""
        self._tell(end=True)

    def age(self) -> None:
        """Access tokens given so far are refused from now on; they can be renewed."""
        self._tell(age=True)

    def facts(self) -> dict[str, Any]:
        """`{log, renewed, reused, registered, kinds, valid, called, machines}`: what was asked for, how often; as what
        kinds of clients; how many tokens hold; the tools that were called; how machines proved who they are."""
        with urllib.request.urlopen(f"{self.issuer}/control", timeout=PATIENCE_S) as answer:
            result: dict[str, Any] = json.load(answer)
        return result

    def visit(self, url: str) -> dict[str, str]:
        """What the browser brings back from the page of the authorization server at `url`."""
        request = urllib.request.Request(url)
        opener = urllib.request.build_opener(_Stay)
        with opener.open(request, timeout=PATIENCE_S) as answer:
            location = answer.headers["location"]
        return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}

    def _tell(self, **what: Any) -> None:
        body = json.dumps(what).encode()
        urllib.request.urlopen(f"{self.issuer}/control", data=body, timeout=PATIENCE_S).close()


class _Stay(urllib.request.HTTPRedirectHandler):
    """Follows nothing."""

    def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> Any:
        return fp


class State:
    """What the process knows."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.wrong: dict[str, Any] = {}
        self.log: list[str] = []
        self.clients: dict[str, dict[str, Any]] = {}
        self.codes: dict[str, dict[str, Any]] = {}
        self.access: dict[str, list[str]] = {}
        self.refresh: dict[str, list[str]] = {}
        self.spent: set[str] = set()
        self.called: list[str] = []
        self.renewed = self.reused = 0
        self.machines: list[dict[str, Any]] = []
        self.assertions: set[str] = set()
        self.barriers: dict[int, threading.Barrier] = {}

    def tokens(self, scopes: list[str]) -> dict[str, Any]:
        access, refresh = f"acc-{secrets.token_hex(16)}", f"ref-{secrets.token_hex(16)}"
        self.access[access], self.refresh[refresh] = scopes, scopes
        answer: dict[str, Any] = {"access_token": access, "token_type": "Bearer", "scope": " ".join(scopes)}
        if self.wrong.get("no_refresh") is None:
            answer["refresh_token"] = refresh
        if (seconds := self.wrong.get("expires_in", 3600)) is not None:
            answer["expires_in"] = seconds
        claims = base64.urlsafe_b64encode(json.dumps({"preferred_username": "octo"}).encode()).rstrip(b"=").decode()
        return {**answer, "id_token": f"e30.{claims}.x"}


STATE = State()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    issuer: ClassVar[str] = ""

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    # -- answers ---------------------------------------------------------------------------------------------------

    def _send(self, status: int, body: Any = None, **headers: str) -> None:
        raw = b"" if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        values = {
            "content-type": "application/json",
            **{name.replace("_", "-"): text for name, text in headers.items()},
        }
        for name, text in values.items():
            self.send_header(name, text)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _mischief(self, place: str) -> bool:
        """Whether something was done wrong instead of an answer."""
        if STATE.wrong.get("html") == place:
            self._send(200, "<html><h1>Welcome</h1></html>", content_type="text/html")
        elif STATE.wrong.get("redirect") == place:
            self._send(302, location="https://evil.example/steal?code=x")
        elif STATE.wrong.get("silent") == place:
            threading.Event().wait(PATIENCE_S)
        elif STATE.wrong.get("huge") == place:
            self._send(200, {"issuer": "x" * 1_000_000})
        elif STATE.wrong.get("broken") == place:
            self._send(503, {"message": "maintenance"})
        else:
            return False
        return True

    # -- requests --------------------------------------------------------------------------------------------------

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/control":
            with STATE.lock:
                facts = {"log": STATE.log, "renewed": STATE.renewed, "reused": STATE.reused, "called": STATE.called}
                facts["machines"] = STATE.machines
                valid = len(STATE.access) + len(STATE.refresh)
                facts["kinds"] = [client.get("application_type") for client in STATE.clients.values()]
                self._send(200, {**facts, "registered": len(STATE.clients), "valid": valid})
            return
        STATE.log.append(f"GET {parts.path}")
        if parts.path.startswith("/.well-known/oauth-protected-resource"):
            self._resource()
        elif parts.path == "/.well-known/oauth-authorization-server":
            self._metadata()
        elif parts.path == "/authorize":
            self._authorize({name: values[0] for name, values in parse_qs(parts.query).items()})
        else:
            self._send(405 if parts.path == "/mcp" else 404)

    def do_DELETE(self) -> None:
        self._send(200)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        place = urlsplit(self.path).path
        if place == "/control":
            self._control(json.loads(raw))
            return
        STATE.log.append(f"POST {place}")
        if self._mischief(place.removeprefix("/")):
            return
        if place == "/register":
            self._register(json.loads(raw))
        elif place == "/token":
            self._token({name: values[0] for name, values in parse_qs(raw.decode()).items()})
        elif place == "/revoke":
            self._revoke({name: values[0] for name, values in parse_qs(raw.decode()).items()})
        elif place == "/introspect":
            scopes = STATE.access.get(parse_qs(raw.decode()).get("token", [""])[0])
            self._send(200, {"active": scopes is not None, "scope": " ".join(scopes or ())})
        elif place == "/mcp":
            self._mcp(json.loads(raw))
        else:
            self._send(404)

    def _control(self, body: dict[str, Any]) -> None:
        global STATE
        with STATE.lock:
            if body.get("reset"):
                STATE = State()
            if "wrong" in body:
                STATE.wrong = body["wrong"]
            if body.get("end"):
                STATE.access, STATE.refresh = {}, {}
            if body.get("age"):
                STATE.access = {}
        self._send(200)

    def _resource(self) -> None:
        if self._mischief("resource"):
            return
        if "/mcp" not in self.path and STATE.wrong.get("resource") is None:
            self._send(404)
            return
        resource = STATE.wrong.get("resource", f"{self.issuer}/mcp")
        server = STATE.wrong.get("server", self.issuer)
        self._send(200, {"resource": resource, "authorization_servers": [server], "scopes_supported": ["read"]})

    def _metadata(self) -> None:
        if self._mischief("metadata"):
            return
        message: dict[str, Any] = {
            "issuer": STATE.wrong.get("issuer", self.issuer),
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "registration_endpoint": f"{self.issuer}/register",
            "revocation_endpoint": f"{self.issuer}/revoke",
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            **STATE.wrong.get("metadata", {}),
        }
        self._send(200, {name: value for name, value in message.items() if value is not None})

    @property
    def _audience(self) -> str:
        """For whom tokens are given."""
        return str(STATE.wrong.get("audience", f"{self.issuer}/mcp"))

    def _register(self, body: dict[str, Any]) -> None:
        client = f"cli-{secrets.token_hex(8)}"
        STATE.clients[client] = body
        self._send(201, {**body, "client_id": client})

    def _authorize(self, body: dict[str, str]) -> None:
        code = f"cod-{secrets.token_hex(16)}"
        STATE.codes[code] = body
        if (denied := STATE.wrong.get("denies")) is not None:
            back = {"error": denied, "error_description": "the person said no"}
        else:
            back = {"code": code}
        back |= {"state": body["state"], "iss": STATE.wrong.get("iss", "{issuer}").replace("{issuer}", self.issuer)}
        self._send(302, location=f"{body['redirect_uri']}?{urlencode(back)}")

    def _token(self, form: dict[str, str]) -> None:
        with STATE.lock:
            if form["grant_type"] == "authorization_code":
                self._redeem(form)
            elif form["grant_type"] == "client_credentials":
                self._admit(form)
            else:
                self._renew(form)

    def _client_fits(self, form: dict[str, str]) -> bool:
        body = self.headers.get("authorization", "")
        if body.startswith("Basic "):
            client, _, secret = base64.b64decode(body[6:]).decode().partition(":")
            known = {"by-hand": "by hand: secret", "robot": "robot: secret"}
            return known.get(unquote(client)) == unquote(secret)
        return form.get("client_id") in {*STATE.clients, STATE.wrong.get("document")}

    def _admit(self, form: dict[str, str]) -> None:
        """A token for a machine."""
        how, problem = self._proof(form)
        scopes = form.get("scope", "").split()
        STATE.machines.append({"how": how, "scopes": scopes, "resource": form.get("resource"), "problem": problem})
        if problem:
            self._send(401, {"error": "invalid_client", "error_description": problem})
        elif form.get("resource") != self._audience:
            self._send(400, {"error": "invalid_target"})
        elif set(scopes) & set(STATE.wrong.get("forbids", ())):
            self._send(400, {"error": "invalid_scope", "error_description": "too much"})
        else:
            answer = STATE.tokens([scope for scope in scopes if scope not in STATE.wrong.get("withholds", ())])
            STATE.refresh.pop(answer.pop("refresh_token", ""), None)
            self._send(200, answer)

    def _proof(self, form: dict[str, str]) -> tuple[str, str]:
        """How a machine proves who it is, and what is wrong with that."""
        secret = STATE.wrong.get("secret", "robot: secret")
        body = self.headers.get("authorization", "")
        if body.startswith("Basic "):
            client, _, sent = base64.b64decode(body[6:]).decode().partition(":")
            fits = (unquote(client), unquote(sent)) == ("robot", secret)
            return "client_secret_basic", "" if fits else "unknown client or secret"
        if "client_assertion" not in form:
            fits = (form.get("client_id"), form.get("client_secret")) == ("robot", secret)
            return "client_secret_post", "" if fits else "unknown client or secret"
        try:
            token = form["client_assertion"]
            kid = jwt.get_unverified_header(token).get("kid", "")
            claims = jwt.decode(token, STATE.wrong["key"], ["ES256", "RS256"], audience=self.issuer)
        except (jwt.InvalidTokenError, KeyError) as error:
            return "private_key_jwt", f"assertion: {error!r}"
        sound = claims["iss"] == claims["sub"] == "robot" and claims["exp"] - claims["iat"] <= 300
        fresh = claims["jti"] not in STATE.assertions and kid == STATE.wrong.get("kid", "")
        STATE.assertions.add(claims["jti"])
        kind = form.get("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        return "private_key_jwt", "" if sound and fresh and kind else "assertion: not sound"

    def _redeem(self, form: dict[str, str]) -> None:
        request = STATE.codes.pop(form["code"], None)
        digest = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        sound = (
            request is not None
            and request["code_challenge"] == digest
            and request["redirect_uri"] == form["redirect_uri"]
        )
        if not self._client_fits(form):
            self._send(401, {"error": "invalid_client"})
        elif request is None or not sound or form["resource"] != self._audience:
            self._send(400, {"error": "invalid_grant", "error_description": "the code is not good"})
        else:
            self._send(200, STATE.tokens(request.get("scope", "read").split()))

    def _revoke(self, form: dict[str, str]) -> None:
        if not self._client_fits(form):
            self._send(401, {"error": "invalid_client"})
            return
        with STATE.lock:
            (STATE.refresh if form["token_type_hint"] == "refresh_token" else STATE.access).pop(form["token"], None)
        self._send(200, "")

    def _renew(self, form: dict[str, str]) -> None:
        refresh = form["refresh_token"]
        scopes = STATE.refresh.pop(refresh, None)
        if scopes is None:
            if refresh in STATE.spent:
                STATE.reused += 1
                STATE.access, STATE.refresh = {}, {}
            self._send(400, {"error": "invalid_grant", "error_description": f"unknown {refresh}"})
            return
        STATE.spent.add(refresh)
        STATE.renewed += 1
        self._send(200, STATE.tokens(scopes))

    # -- the MCP server --------------------------------------------------------------------------------------------

    def _mcp(self, message: dict[str, Any]) -> None:
        method = message.get("method", "")
        token = self.headers.get("authorization", "").removeprefix("Bearer ")
        scopes = None if STATE.wrong.get("refuses_all") else STATE.access.get(token)
        if scopes is None and not (method == "initialize" and STATE.wrong.get("open_initialize")):
            where = f"{self.issuer}/.well-known/oauth-protected-resource/mcp"
            named = "" if STATE.wrong.get("open_initialize") else f' resource_metadata="{where}"'
            named += f' scope="{request}"' if (request := STATE.wrong.get("asks_for")) else ""
            self._send(401, {"error": "invalid_token"}, WWW_Authenticate=f"Bearer{named}")
        elif "id" not in message:
            self._send(202)
        else:
            self._answer(message, method, scopes or [], token)

    def _answer(self, message: dict[str, Any], method: str, scopes: list[str], token: str) -> None:
        result: dict[str, Any]
        if method == "initialize":
            info = {"name": "fake", "version": "1"}
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        elif method == "tools/list":
            schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
            hints = {"readOnlyHint": True, "idempotentHint": True}
            names = ("echo", "together", "admin")
            tools = [{"name": name, "inputSchema": schema, "annotations": hints} for name in names]
            result = {"tools": [*tools, {"name": "write", "inputSchema": schema}]}
        elif method == "tools/call":
            name, body = message["params"]["name"], message["params"].get("arguments") or {}
            if name == "admin" and "admin" not in scopes:
                challenge = 'Bearer error="insufficient_scope", scope="read admin"'
                self._send(403, {"error": "insufficient_scope"}, WWW_Authenticate=challenge)
                return
            STATE.called.append(name)
            if name == "together":
                with STATE.lock:
                    barrier = STATE.barriers.setdefault(body["n"], threading.Barrier(body["n"], timeout=PATIENCE_S))
                barrier.wait()
            result = {"content": [{"type": "text", "text": f"{name}: I was given {token}"}]}
        else:
            error = {"code": -32601, "message": "Method not found"}
            self._send(200, {"jsonrpc": "2.0", "id": message["id"], "error": error})
            return
        self._send(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args().port
    Handler.issuer = f"http://127.0.0.1:{port}"
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    print("ready", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
