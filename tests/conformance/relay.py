"""A relay on loopback that adds a token to each request: the conformance suite sends no headers of its own.

What the suite says of host and origin reaches Patchbay as it is, but for the relay's own address, which becomes
Patchbay's, as behind any proxy.
"""

from __future__ import annotations

import contextlib
import http.client
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE_S = 120.0
HOP = {"connection", "transfer-encoding", "date", "server", "keep-alive"}


@contextlib.contextmanager
def relay(port: int, token: str) -> Iterator[str]:
    """Serve until the end of the block; gives the address before the path."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Quiet."""

        def go(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            own, theirs = f"localhost:{self.connection.getsockname()[1]}", f"localhost:{port}"
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
            for name in ("Host", "Origin"):
                if self.headers.get(name, "").removeprefix("http://") == own:
                    headers = {key: value for key, value in headers.items() if key.lower() != name.lower()}
                    headers[name] = theirs if name == "Host" else f"http://{theirs}"
            headers["Authorization"] = f"Bearer {token}"
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)) as there:
                there.request(self.command, self.path, body, headers)
                self.hand_on(there.getresponse())

        def hand_on(self, answer: http.client.HTTPResponse) -> None:
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in HOP:
                    self.send_header(name, value)
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            # the suite leaves while an answer still streams, Patchbay ends while one waits for news
            with contextlib.suppress(OSError, http.client.HTTPException):
                while data := answer.read1(65_536):
                    self.wfile.write(data)
                    self.wfile.flush()

        do_GET = do_POST = do_DELETE = go

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
