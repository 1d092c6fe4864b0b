"""An identity provider (OpenID Connect) as a process: discovery, authorization code with PKCE, signed tokens, refresh.

    with Provider() as idp:                           # a process of its own on loopback
        idp.person(sub="u1", email="nina@example.org", email_verified=True, groups=["engineering"])
        idp.does(token="unsigned")                    # from now on a mistake or an attack; `does()` = all is right
        idp.stop(); idp.start()                       # away, and there again with the same key

Whoever comes to its sign-in page is the person that was named last. As a program: `python -m tests.oidc_provider
--port 8500`.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import secrets
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.services import free_port

CLIENT, SECRET = "patchbay", "the client's secret: with a colon"
ROOT = Path(__file__).resolve().parents[1]


class Provider:
    """The process, seen from a test."""

    def __init__(self) -> None:
        self.port = free_port()
        self.issuer = f"http://localhost:{self.port}"
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Provider:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start, and wait until it listens."""
        command = [sys.executable, "-m", "tests.oidc_provider", "--port", str(self.port)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None and self._process.stdout.readline() == "ready\n"

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(10)
            if self._process.stdout is not None:
                self._process.stdout.close()

    def person(self, **claims: Any) -> None:
        """Who signs in next; with a `sub` that is known, what is true of this person from now on."""
        self._tell(person=claims)

    def does(self, **wrong: Any) -> None:
        """What it does wrong from now on (`token`, `authorize`, `refresh`)."""
        self._tell(wrong=wrong)

    def requests(self) -> list[str]:
        """What it was asked for since the last look, as "endpoint: what mattered"."""
        with urllib.request.urlopen(f"{self.issuer}/control", timeout=20) as answer:
            result: list[str] = json.load(answer)
        return result

    def _tell(self, **body: Any) -> None:
        request = urllib.request.Request(f"{self.issuer}/control", data=json.dumps(body).encode(), method="POST")
        urllib.request.urlopen(request, timeout=20).close()


def _number(value: int) -> str:
    return base64.urlsafe_b64encode(value.to_bytes((value.bit_length() + 7) // 8, "big")).rstrip(b"=").decode()


class State:
    """What the process knows."""

    issuer = ""
    key: ClassVar = rsa.generate_private_key(65537, 2048)
    other: ClassVar = rsa.generate_private_key(65537, 2048)
    people: ClassVar[dict[str, dict[str, Any]]] = {}
    present = ""
    wrong: ClassVar[dict[str, Any]] = {}
    codes: ClassVar[dict[str, dict[str, str]]] = {}
    tokens: ClassVar[dict[str, str]] = {}  # access and refresh tokens → sub
    log: ClassVar[list[str]] = []


def id_token(sub: str, nonce: str | None) -> str:
    """The ID token, with whatever is to be wrong about it."""
    wrong, now = State.wrong.get("token"), int(time.time())
    claims: dict[str, Any] = {"iss": State.issuer, "aud": CLIENT, "iat": now, "exp": now + 300} | State.people[sub]
    claims |= {"nonce": nonce} if nonce is not None else {}
    changes: dict[str, dict[str, Any]] = {
        "issuer": {"iss": "http://localhost:1"},
        "audience": {"aud": "another"},
        "many": {"aud": [CLIENT, "another"], "azp": "another"},
        "nonce": {"nonce": "of-another-sign-in"},
        "expired": {"iat": now - 7200, "exp": now - 3600},
        "future": {"iat": now + 7200, "nbf": now + 7200, "exp": now + 9000},
        "sub": {"sub": ""},
    }
    claims |= changes.get(str(wrong), {})
    for name in {"no-exp": ["exp"], "no-nonce": ["nonce"]}.get(str(wrong), []):
        claims.pop(name, None)
    if wrong == "unsigned":
        return jwt.encode(claims, "", algorithm="none")
    if wrong == "secret":
        return jwt.encode(claims, SECRET * 2, algorithm="HS256", headers={"kid": "k1"})
    key = State.other if wrong == "key" else State.key
    kid = "unknown" if wrong == "kid" else "k1"
    text = jwt.encode(claims, key, algorithm="RS256", headers={"kid": kid})
    return text[:-8] + "AAAAAAAA" if wrong == "signature" else text


class Handler(BaseHTTPRequestHandler):
    """One request."""

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on standard output but "ready"."""

    def _json(self, body: Any, status: int = 200) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def do_GET(self) -> None:
        """Discovery, keys, sign-in, userinfo."""
        path, at = urlsplit(self.path), State.issuer
        sent = {name: values[0] for name, values in parse_qs(path.query).items()}
        match path.path:
            case "/control":
                texts, State.log[:] = list(State.log), []
                self._json(texts)
            case "/.well-known/openid-configuration":
                ends = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
                ends |= {"userinfo_endpoint": "userinfo"}
                about = {name: f"{at}/{where}" for name, where in ends.items()}
                self._json({"issuer": at, **about, "scopes_supported": ["openid", "email", "offline_access"]})
            case "/keys":
                public = State.key.public_key().public_numbers()
                key = {"kty": "RSA", "kid": "k1", "use": "sig", "n": _number(public.n), "e": _number(public.e)}
                self._json({"keys": [key]})
            case "/authorize":
                self._authorize(sent)
            case "/userinfo":
                sub = State.tokens.get(self.headers.get("Authorization", "").removeprefix("Bearer "), "")
                self._json(State.people[sub] if sub else {"error": "invalid_token"}, 200 if sub else 401)
            case _:
                self._json({"error": "nothing here"}, 404)

    def _authorize(self, body: dict[str, str]) -> None:
        State.log.append(f"authorize: {body.get('code_challenge_method')} {body.get('scope')}")
        back = {"state": body.get("state", "")}
        if State.wrong.get("authorize") == "denied":
            back["error"] = "access_denied"
        else:
            back["code"] = code = secrets.token_urlsafe(16)
            State.codes[code] = body | {"sub": State.present}
        back |= {"state": "of-somebody-else"} if State.wrong.get("authorize") == "state" else {}
        back |= {"iss": "http://localhost:1"} if State.wrong.get("authorize") == "issuer" else {"iss": State.issuer}
        self.send_response(302)
        self.send_header("Location", f"{body['redirect_uri']}?{urlencode(back)}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        """Tokens, and what the test tells."""
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        if self.path == "/control":
            reply = json.loads(raw)
            if "person" in reply:
                State.present = reply["person"]["sub"]
                State.people[State.present] = reply["person"]
            State.wrong = reply.get("wrong", State.wrong)
            self._json({})
            return
        sent = {name: values[0] for name, values in parse_qs(raw).items()}
        State.log.append(f"token: {sent.get('grant_type')}")
        basic = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode()
        if tuple(map(unquote, basic.split(":", 1))) != (CLIENT, SECRET):
            self._json({"error": "invalid_client"}, 401)
        elif sent.get("grant_type") == "refresh_token":
            self._refresh(sent.get("refresh_token", ""))
        else:
            self._code(sent)

    def _code(self, body: dict[str, str]) -> None:
        known = State.codes.pop(body.get("code", ""), None)  # good once
        digest = hashlib.sha256(body.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if known is None or known["code_challenge"] != challenge or known["redirect_uri"] != body.get("redirect_uri"):
            self._json({"error": "invalid_grant"}, 400)
            return
        self._grant(known["sub"], known.get("nonce"))

    def _refresh(self, text: str) -> None:
        sub = State.tokens.get(text)
        if sub is None or State.wrong.get("refresh") == "declined":
            self._json({"error": "invalid_grant"}, 400)
        elif State.wrong.get("refresh") == "client":
            self._json({"error": "invalid_client"}, 401)
        elif State.wrong.get("refresh") == "broken":
            self._json({"error": "server_error"}, 500)
        else:
            self._grant(sub, None)

    def _grant(self, sub: str, nonce: str | None) -> None:
        access, refresh = secrets.token_urlsafe(16), secrets.token_urlsafe(16)
        State.tokens |= {access: sub, refresh: sub}
        answer = {"access_token": access, "token_type": "Bearer", "expires_in": 300, "refresh_token": refresh}
        if State.wrong.get("token") == "without-refresh":
            answer.pop("refresh_token")
        if State.wrong.get("token") != "missing":
            answer["id_token"] = id_token(sub, nonce)
        self._json(answer)


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    port = parser.parse_args().port
    State.issuer = f"http://localhost:{port}"
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever).start()
    print("ready", flush=True)


if __name__ == "__main__":
    main()
