"""Python programs in processes forked from one that has the libraries imported: a start costs half.

`python -m tests.forkserver` imports libraries, and nothing of Patchbay, then forks for every program it is asked for.
The child imports all of Patchbay anew, with the environment and the arguments of its own, as `python -m …` does. What
is about the start itself, or about what a process's environment shows, starts Python.

`popen(arguments, …)` asks the one of this process; what it gives is used as a `subprocess.Popen`. `double(arguments)`
starts a program of the tests themselves (a server of MCP, agents of others) from another one, with the libraries of
those: of its second of CPU a tenth is left. The servers end with the process that asked.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import importlib
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[1]
PR_SET_PDEATHSIG = 1
LONGEST = 1 << 18
LIBRARIES = (
    *("django.contrib.auth.hashers", "django.core.management", "django.core.serializers.json", "django.db.models"),
    *("django.contrib.postgres.fields", "django.db.backends.sqlite3.base", "django.db.migrations.executor"),
    *("django.http", "django.template.defaulttags", "django.test.signals", "django.urls", "django.forms"),
    *("django.core.handlers.asgi", "django.contrib.staticfiles.finders", "django.views.debug"),
    *("twisted.internet.tcp", "twisted.internet.posixbase", "twisted.protocols.tls", "twisted.web.http"),
    *("autobahn.websocket.protocol", "autobahn.wamp.types", "zope.interface", "OpenSSL.SSL"),
    *(
        "psycopg",
        "cryptography.fernet",
        "cryptography.hazmat.primitives.asymmetric.rsa",
        "fido2.webauthn",
        "fido2.server",
    ),
    *("celery", "celery.app.base", "celery.app.amqp", "kombu", "amqp", "channels.layers", "channels.generic.websocket"),
    *("pydantic", "pydantic.deprecated", "pydantic_settings", "ruamel.yaml", "yaml", "markdown_it", "pygments.lexers"),
    *("requests", "urllib3", "httpx2", "httpcore2", "h11", "anyio", "sqlparse", "dateutil.parser", "jsonschema"),
    *("jwt", "argon2", "xml.etree.ElementTree", "multiprocessing.connection", "concurrent.futures.process"),
    *("openai.resources.chat.completions", "mcp.client.stdio", "mcp.client.streamable_http", "rest_framework.settings"),
    *("jsonschema_rs", "uritemplate", "inflection", "whitenoise.responders", "txaio", "autobahn.util", "getpass"),
)
"""What a start imports, or a program's first use: of these, what needs no settings. One that is missing costs time."""
OF_DOUBLES = (
    *("mcp.server.mcpserver", "mcp.server.extension", "mcp_types", "uvicorn", "uvicorn.protocols.http.h11_impl"),
    *("uvicorn.lifespan.on", "starlette.applications", "starlette.routing", "starlette.responses", "http.server"),
    *("a2a.server.agent_execution", "a2a.server.request_handlers", "a2a.server.routes", "a2a.server.tasks"),
    *("a2a.utils.proto_utils", "google.protobuf.json_format", "jwt", "urllib.request"),
    "cryptography.hazmat.primitives.asymmetric.rsa",
)
"""What the servers import that tests start."""
KINDS = {"patchbay": LIBRARIES, "doubles": OF_DOUBLES}


def main() -> None:
    """Fork a child per request that comes by the socket (its number is an argument); say when each has ended."""
    here = socket.socket(fileno=int(sys.argv[2]))
    for name in KINDS[sys.argv[1]]:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    gc.freeze()  # what is shared need not be walked through, and written to, by each child that imports
    assert "twisted.internet.reactor" not in sys.modules  # it would be shared
    assert not any(name.startswith("backend") for name in sys.modules)
    with selectors.DefaultSelector() as waiting:
        waiting.register(here, selectors.EVENT_READ)
        while True:
            for key, _ in waiting.select():
                if key.fileobj is here:
                    _fork(here, waiting)
                else:
                    waiting.unregister(key.fileobj)
                    os.close(key.fd)
                    _, status = os.waitpid(key.data, 0)
                    _say(here, {"pid": key.data, "code": os.waitstatus_to_exitcode(status)})


def _fork(here: socket.socket, waiting: selectors.BaseSelector) -> None:
    message, files, _, _ = socket.recv_fds(here, LONGEST, 1)
    if not message:
        os._exit(0)
    pid = os.fork()
    if pid == 0:
        waiting.close()
        here.close()
        _become(json.loads(message), files[0])
    os.close(files[0])
    waiting.register(os.pidfd_open(pid), selectors.EVENT_READ, pid)
    _say(here, {"pid": pid, "code": None})


def _say(here: socket.socket, message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):
        here.send(json.dumps(message).encode())


def _become(program: dict[str, Any], output: int) -> NoReturn:
    """Be that program, with its output and errors to that file."""
    code = 1
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # no test leaves a server behind
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        if program["errors"]:
            os.dup2(output, 2)
        os.close(output)
        os.chdir(program["folder"])
        os.environ.clear()
        os.environ.update(program["environment"])
        sys.path[0] = program["folder"]
        flag, what, *arguments = program["arguments"]
        sys.argv = ["-c" if flag == "-c" else what, *arguments]
        if flag == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        elif flag == "-f":
            sys.path[0] = str(Path(what).parent)
            runpy.run_path(what, run_name="__main__")
        else:
            exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - as `python -c` does
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - what Python itself would print
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


class Forked:
    """A process that the fork server is the parent of, with what `subprocess.Popen` gives of one."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.args = list(arguments)
        self.pid = 0
        self.returncode: int | None = None
        self._over = threading.Event()
        reading, self.writing = os.pipe()
        self.stdout = os.fdopen(reading, encoding="utf-8", errors="replace")

    def ended(self, code: int) -> None:
        """It is over."""
        self.returncode = code
        self._over.set()

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        return self.returncode if self._over.is_set() else None

    def wait(self, timeout: float | None = None) -> int:
        """The exit code once it is over."""
        if not self._over.wait(timeout):
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, sig: int) -> None:
        """Send a signal, where it still runs."""
        if not self._over.is_set():
            with contextlib.suppress(ProcessLookupError):  # over, and we are not told yet
                os.kill(self.pid, sig)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.send_signal(signal.SIGKILL)

    def output(self) -> str:
        """All that it prints until it ends."""
        with self.stdout:
            return self.stdout.read()


class ForkServer:
    """A process that forks, and this side of its socket."""

    def __init__(self, kind: str) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket = ours
        self._asking = threading.Lock()
        self._known = threading.Condition()
        self._born: list[int] = []
        self._running: dict[int, Forked] = {}
        self._gone = False
        foreign = ("PATCHBAY_", "DJANGO_", "DATABASE_", "REDIS_")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.forkserver", kind, str(theirs.fileno())],
                cwd=ROOT,
                env=clean,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # its children have their own
                pass_fds=[theirs.fileno()],
            )
        self._listener = threading.Thread(target=self._listen, name="forkserver", daemon=True)
        self._listener.start()
        atexit.register(self.close)

    def close(self) -> None:
        """End it, with all that it forked."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self.process.wait(10)
        self._listener.join(10)
        self._socket.close()

    def fork(self, process: Forked, environment: dict[str, str], folder: Path, *, errors: bool) -> None:
        """Start a program; `errors` = in its output, not where those of this server are."""
        program = {"arguments": process.args, "environment": environment, "folder": str(folder), "errors": errors}
        with self._asking:
            socket.send_fds(self._socket, [json.dumps(program).encode()], [process.writing])
            os.close(process.writing)
            with self._known:
                self._known.wait_for(lambda: self._born or self._gone)
                assert self._born, "the fork server has ended"
                process.pid = self._born.pop()
                self._running[process.pid] = process
                self._known.notify_all()

    def _listen(self) -> None:
        while message := self._socket.recv(LONGEST):
            reply = json.loads(message)
            with self._known:
                if reply["code"] is None:
                    self._born.append(reply["pid"])
                    self._known.notify_all()
                else:
                    self._known.wait_for(lambda: reply["pid"] in self._running)  # noqa: B023 - called within this round
                    self._running.pop(reply["pid"]).ended(reply["code"])
        with self._known:
            self._gone = True
            self._known.notify_all()
            for process in self._running.values():
                process.ended(-signal.SIGKILL)  # they die with it


@cache
def _server(kind: str) -> ForkServer:
    return ForkServer(kind)


def popen(arguments: Sequence[str], environment: dict[str, str], folder: Path = ROOT) -> Forked:
    """Start `python ARGUMENTS` (`-m MODULE …` or `-c CODE …`), its errors in its output, which is a pipe."""
    process = Forked(arguments)
    _server("patchbay").fork(process, environment, folder, errors=True)
    return process


def double(*arguments: str) -> Forked:
    """Start `python ARGUMENTS` (`-m MODULE …` or `-f FILE …`), a program of the tests; its output is a pipe."""
    process = Forked(arguments)
    _server("doubles").fork(process, dict(os.environ), ROOT, errors=False)
    return process


if __name__ == "__main__":
    main()
