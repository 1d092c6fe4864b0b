"""A small HTTP API with an OpenAPI document, as a process of its own; what came is told at `/_came`.

Everything below `/v1` wants `X-API-Key: pet-secret-key`. `/v1/pets` is a small store; `/v1/busy` says 429 with
`Retry-After: 7`, `/v1/echo` tells the key back, `/v1/photo` is a picture, `/v1/drop` closes the connection after it has
read the request. `/v2` is the same store, but its own address refuses everybody. `/openapi.json` is the document,
`/moved.json` the same for another host, `/page` a web page. `/_version/N` makes the document another; how it was
answered is at `/_read`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.request import urlopen

KEY = "pet-secret-key"
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452") + bytes(64)
_PET = {"$ref": "#/components/schemas/Pet"}
_ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}


def _answers(schema: Any) -> dict[str, Any]:
    return {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}}


def document(base: str = "/v1") -> dict[str, Any]:
    """The API's own."""
    body = {"required": True, "content": {"application/json": {"schema": _PET}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "1.4"},
        "servers": [{"url": base}],
        "security": [{"key": []}],
        "paths": {
            "/pets": {
                "get": {"operationId": "listPets", "summary": "All pets", "responses": _answers({"type": "array"})},
                "post": {
                    "operationId": "addPet",
                    "summary": "Add a pet",
                    "requestBody": body,
                    "responses": _answers(_PET),
                },
            },
            "/pets/{id}": {
                "get": {"operationId": "getPet", "parameters": [_ID], "responses": _answers(_PET)},
                "delete": {"operationId": "deletePet", "parameters": [_ID], "responses": {"204": {}}},
            },
            "/busy": {"get": {"operationId": "busy"}},
            "/echo": {"get": {"operationId": "echo"}},
            "/photo": {"get": {"operationId": "photo"}},
            "/drop": {"post": {"operationId": "drop"}},
            "/far": {"get": {"operationId": "far", "parameters": [{"$ref": "https://elsewhere.example/p.json"}]}},
        },
        "components": {
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-API-Key"}},
            "schemas": {
                "Pet": {
                    "type": "object",
                    "required": ["id", "name"],
                    "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "age": {"type": "integer"}},
                }
            },
        },
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    pets: ClassVar[dict[str, Any]] = {"p1": {"id": "p1", "name": "Rex"}}
    came: ClassVar[list[Any]] = []
    read: ClassVar[list[int]] = []
    version: ClassVar[list[str]] = ["1.4"]

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def _answer(self, status: int, value: Any = None, mime: str = "application/json", **headers: str) -> None:
        data = value if isinstance(value, bytes) else b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", mime)
        self.send_header("Content-Length", str(len(data)))
        for name, text in headers.items():
            self.send_header(name.replace("_", "-"), text)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _go(self) -> None:
        path = self.path.partition("?")[0]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        open_ones: dict[str, Callable[[], None]] = {
            "/_came": lambda: self._answer(200, self.came),
            "/_read": lambda: self._answer(200, self.read),
            "/openapi.json": self._document,
            "/moved.json": lambda: self._answer(200, document("https://elsewhere.example/v1")),
            "/page": lambda: self._answer(200, b"<!doctype html><title>Docs</title>", "text/html"),
        }
        if path.startswith("/_version/"):
            self.version[:] = [path.rsplit("/", 1)[1]]
            self._answer(200)
            return
        if path in open_ones:
            open_ones[path]()
            return
        self.came.append([self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body.decode()])
        if self.headers.get("X-API-Key") != KEY or path == "/v2":
            self._answer(401, {"error": "who are you?"})
        elif path == "/v1/drop":
            self.close_connection = True
        else:
            self._of_api(path.replace("/v2/", "/v1/", 1), body)

    def _document(self) -> None:
        etag = f'"version-{self.version[0]}"'
        known = self.headers.get("If-None-Match") == etag
        self.read.append(304 if known else 200)
        whole = document()
        whole["info"]["version"] = self.version[0]
        self._answer(self.read[-1], None if known else whole, ETag=etag)

    def _of_api(self, path: str, body: bytes) -> None:
        key = path.removeprefix("/v1/pets/")
        if path == "/v1/pets" and self.command == "POST":
            pet = json.loads(body)
            self.pets[pet["id"]] = pet
            self._answer(200, pet)
        elif path == "/v1/pets":
            self._answer(200, list(self.pets.values()))
        elif path == "/v1/busy":
            self._answer(429, {"error": "slow down"}, Retry_After="7")
        elif path == "/v1/echo":
            self._answer(400, {"key": self.headers["X-API-Key"]})
        elif path == "/v1/photo":
            self._answer(200, PNG, "image/png")
        elif key in self.pets:
            if self.command == "DELETE":
                del self.pets[key]
                self._answer(204)
            else:
                self._answer(200, self.pets[key])
        else:
            self._answer(404, {"error": "no such pet"})

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = _go


class PetApi:
    """The process."""

    def __enter__(self) -> PetApi:
        self._process = subprocess.Popen([sys.executable, "-m", "tests.pet_api"], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}"
        return self

    def __exit__(self, *exc: object) -> None:
        self._process.terminate()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    @property
    def base(self) -> str:
        """Where its operations are."""
        return f"{self.url}/v1"

    def read(self) -> list[int]:
        """How requests for the document were answered."""
        with urlopen(f"{self.url}/_read") as answer:
            return list(json.load(answer))

    def came(self) -> list[Any]:
        """The requests below `/v1`: [method, path, headers, body]."""
        with urlopen(f"{self.url}/_came") as answer:
            return list(json.load(answer))


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
