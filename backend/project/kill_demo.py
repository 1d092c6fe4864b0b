"""`make kill-demo`: start a long run, end the process with SIGKILL in the middle, start it again, watch it go on.

Uses a data directory of its own below the configured one, and the configured port. Open the printed link before the
kill to see the page go on by itself. Options: `--kills N` (1), `--keep` (leave it running at the end until Ctrl-C).
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from typing import Any

from backend.project.environment import ROOT, environment

ENDED = {"SUCCESS", "ERROR", "CANCELLED"}
EMAIL = "demo@example.org"
PAUSE = threading.Event()


class Process:
    """The installation as `make run` starts it."""

    def __init__(self) -> None:
        env = environment()
        self.url = f"http://localhost:{env.port}"
        self._variables = {**os.environ, "PATCHBAY_DATA_DIR": str(env.data / "kill-demo")}
        self._process: subprocess.Popen[str] | None = None
        self._cookies = CookieJar()
        self._open = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies)).open

    def start(self) -> float:
        """Start and wait until it takes work; gives the seconds that took."""
        began = time.monotonic()
        command = [sys.executable, "-m", "backend.project.cli", "run"]
        self._process = subprocess.Popen(command, cwd=ROOT, env=self._variables, text=True)
        while True:
            if self._process.poll() is not None:
                sys.exit("The process did not start.")
            try:
                if self.request("GET", "/api/health")["status"] == "ok":
                    return time.monotonic() - began
            except (urllib.error.URLError, ConnectionError):
                PAUSE.wait(0.1)

    def prepare(self) -> None:
        """Make database and owner before the start, so that the link printed there signs the owner in."""
        self._command("migrate", "--verbosity", "0")
        self._command("token", EMAIL)

    def sign_in(self) -> None:
        """As the owner with a link: the demo approves what its run asks, and no token may."""
        link = self._command("sign_in_link", EMAIL)
        self.request("POST", "/api/setup", {"token": link.rpartition("/")[2]})

    def _command(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "backend.project.cli", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self._variables, text=True, stdout=subprocess.PIPE, check=True)
        return done.stdout.strip()

    def kill(self) -> None:
        """End the process as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """End it as Ctrl-C would."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(20)

    def wait(self) -> None:
        """Until it ends by itself."""
        if self._process is not None:
            self._process.wait()

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON answer to one request."""
        headers = {"content-type": "application/json", "Origin": self.url}
        headers["X-CSRFToken"] = next((cookie.value or "" for cookie in self._cookies if "csrf" in cookie.name), "")
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)  # noqa: S310 - our own address
        with self._open(request, timeout=30) as answer:
            return json.loads(answer.read())


class Follower:
    """Prints a run's events as they come, answers its question, and checks that none is missing or doubled."""

    def __init__(self, process: Process, run: str) -> None:
        self._process, self._run = process, run
        self.seq = 0

    def follow(self, until: float | None = None) -> str:
        """Until the run ended or `until` (monotonic) came; gives the run's state."""
        while True:
            for event in self._process.request("GET", f"/api/runs/{self._run}/events?after={self.seq}")["results"]:
                if event["seq"] != self.seq + 1:
                    sys.exit(f"Event {self.seq + 1} is missing: {event}")
                self.seq = event["seq"]
                print(f"  {event['seq']:4}  {event['type']:24} {event['node'] or ''}", flush=True)
            self._answer()
            state = str(self._process.request("GET", f"/api/runs/{self._run}")["state"])
            if state in ENDED or (until is not None and time.monotonic() >= until):
                return state
            PAUSE.wait(0.2)

    def _answer(self) -> None:
        for question in self._process.request("GET", f"/api/interactions?state=open&run={self._run}")["results"]:
            print(f"        (approving: {question['title']})", flush=True)
            self._process.request("POST", f"/api/interactions/{question['id']}/answer", {"action": "accept"})


def demonstrate(process: Process, kills: int) -> int:
    """Run, kill, start again; the exit code says whether the run came through whole."""
    process.prepare()
    process.start()
    process.sign_in()
    workflows = process.request("GET", "/api/workflows")["results"]
    tour = next(workflow for workflow in workflows if workflow["slug"] == "a-tour")
    body = {"version": "draft", "inputs": {"city": "Cairo", "steps": 12, "step_seconds": 0.5}}
    run = process.request("POST", f"/api/workflows/{tour['id']}/runs", body)["id"]
    print(f"\nRun {run} of “{tour['name']}” is going; its page is {process.url}/runs/{run}.\n", flush=True)
    follower = Follower(process, run)
    for _ in range(kills):
        follower.follow(until=time.monotonic() + 4)
        print("\n*** SIGKILL ***", flush=True)
        process.kill()
        print(f"*** started again after {process.start():.1f} s; the run goes on ***\n", flush=True)
    state = follower.follow()
    print(f"\nThe run ended {state} with {follower.seq} events, none missing, none doubled.", flush=True)
    return 0 if state == "SUCCESS" else 1


def main() -> None:
    """The entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1)
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    process = Process()
    try:
        code = demonstrate(process, options.kills)
        if options.keep:
            print("It stays up until Ctrl-C.", flush=True)
            process.wait()
    except KeyboardInterrupt:
        code = 130
    finally:
        process.stop()
    sys.exit(code)


if __name__ == "__main__":
    main()
