"""An HTTP server on loopback that answers in the ways a request can meet, and remembers what came.

/echo           what came, as JSON: method, path, query, headers, body
/json /text /png /big /empty    bodies of these kinds; /big is 2 MB of text
/status/N       an error with a JSON body; 429 and 503 say Retry-After: 1 the first time and answer 200 after
/slow           answers once `let_go` is set
/drop           reads the request and closes the connection
/there          a redirect to /json; /away to another host
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452") + bytes(64)


@dataclass(frozen=True)
class Came:
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    def as_json(self) -> dict[str, Any]:
        """For `/echo`."""
        body = self.body.decode("utf-8", "replace")
        return {"method": self.method, "path": self.path, "query": self.query, "headers": self.headers, "body": body}


class WebServer:
    """Runs in threads of this process."""

    def __init__(self) -> None:
        self.came: list[Came] = []
        self.changed = threading.Condition()
        self.let_go = threading.Event()
        self.gone = threading.Event()
        """A client went away while /slow was held."""
        outer = self

        class Handler(_Handler):
            web = outer

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """Without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> WebServer:
        """Listen."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """End; what is held is let go."""
        self.let_go.set()
        self._server.shutdown()
        self._server.server_close()

    def note(self, came: Came) -> int:
        """Keep a request; gives how many of its path came before."""
        with self.changed:
            before = sum(other.path == came.path for other in self.came)
            self.came.append(came)
            self.changed.notify_all()
            return before

    def wait_for(self, path: str, seconds: float = 15) -> Came:
        """The first request of a path."""
        with self.changed:
            assert self.changed.wait_for(lambda: any(came.path == path for came in self.came), seconds), path
            return next(came for came in self.came if came.path == path)

    def last(self) -> Came:
        """The newest request."""
        return self.came[-1]


class _Handler(BaseHTTPRequestHandler):
    web: WebServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def answer(self, status: int, body: bytes = b"", kind: str = "application/json", **headers: str) -> None:
        """Send an answer."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_any(self) -> None:
        """One request."""
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("transfer-encoding") == "chunked":
            body = self._chunks()
        headers = {name.lower(): value for name, value in self.headers.items()}
        came = Came(self.command, parts.path, dict(parse_qsl(parts.query, keep_blank_values=True)), headers, body)
        before = self.web.note(came)
        match parts.path.strip("/").split("/"):
            case ["echo"]:
                self.answer(200, json.dumps(came.as_json()).encode())
            case ["json"]:
                self.answer(200, b'{"items": [{"name": "pear", "price": 3}, {"name": "fig", "price": 1}], "n": 1.5}')
            case ["text"]:
                self.answer(200, "grüezi".encode("latin-1"), "text/plain; charset=iso-8859-1")
            case ["png"]:
                self.answer(200, PNG, "image/png", Content_Disposition='attachment; filename="chart.png"')
            case ["big"]:
                self.answer(200, b"x" * (2 * 1024 * 1024), "text/plain")
            case ["empty"]:
                self.answer(204)
            case ["status", number] if int(number) in (429, 503) and before:
                self.answer(200, b'{"after": %d}' % before)
            case ["status", number]:
                self.answer(int(number), b'{"why": "no"}', Retry_After="1")
            case ["slow"]:
                self._hold()
            case ["drop"]:
                self.close_connection = True
            case ["there"]:
                self.answer(302, Location="/json")
            case ["away"]:
                self.answer(302, Location="http://elsewhere.example/")
            case _:
                self.answer(404, b'{"why": "not here"}')

    def _hold(self) -> None:
        self.connection.settimeout(0.05)
        while not self.web.let_go.is_set():
            try:
                if self.connection.recv(1) == b"":
                    self.web.gone.set()
                    return
            except TimeoutError:
                continue
            except OSError:
                self.web.gone.set()
                return
        self.connection.settimeout(None)
        self.answer(200, b'{"slow": true}')

    def _chunks(self) -> bytes:
        out = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            out += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return out

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = handle_any
