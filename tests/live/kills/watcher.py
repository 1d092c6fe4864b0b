"""A page that loses its connection all the time; whatever happens, it must see every event once and in order."""

from __future__ import annotations

import contextlib
import json
import random
import threading
import time
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

ASKS = {"STEP_WAITING_FOR_START", "STEP_WAITING_FOR_PARAM", "STEP_WAITING_FOR_INPUT"}
LASTS = {"FLOW_SUCCESS", "FLOW_FAILED", "FLOW_CANCEL"}


class Watcher:
    """Follows runs on one socket after the other, each from the last event it has (`after`)."""

    def __init__(self, urls: list[str], token: str, seed: int, *, fickle: bool = True) -> None:
        """`fickle`: hangs up by itself now and then, too."""
        self._urls, self._token, self._fickle = urls, token, fickle
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self._open: list[str] = []  # runs whose last event it has not seen
        self._questions = 0
        self._stopping = threading.Event()
        self.seen: dict[str, list[dict[str, Any]]] = {}
        self.at: dict[str, list[float]] = {}  # when each of these came
        self.wrong: list[str] = []
        self.connections = 0
        self._thread = threading.Thread(target=self._follow, name="watcher", daemon=True)
        self._thread.start()

    def follow(self, run: str) -> None:
        """Watch this run, too."""
        with self._lock:
            self.seen[run], self.at[run] = [], []
            self._open.append(run)

    def ended(self, run: str) -> bool:
        """Whether it saw the run's last event."""
        seen = self.seen[run]
        return bool(seen) and seen[-1]["node"] is None and seen[-1]["type"] in LASTS

    def questions_seen(self) -> int:
        """How many questions it saw put."""
        return self._questions

    def stop(self) -> None:
        """Hang up for good."""
        self._stopping.set()
        self._thread.join(30)

    def _follow(self) -> None:
        while not self._stopping.is_set():
            with contextlib.suppress(OSError, WebSocketException, EOFError):
                self._connected()
            self._stopping.wait(self._chance.uniform(0.0, 0.1))

    def _connected(self) -> None:
        url = self._chance.choice(self._urls)
        headers = {"Authorization": f"Bearer {self._token}"}
        with connect(url, additional_headers=headers, max_size=None, open_timeout=10, close_timeout=1) as socket:
            self.connections += 1
            requests: set[str] = set()
            left = self._chance.randint(1, 40) if self._fickle else -1
            while not self._stopping.is_set() and left:
                with self._lock:
                    self._open = [run for run in self._open if not self.ended(run)]
                    new = [run for run in self._open if run not in requests]
                for run in [run for run in requests if self.ended(run)]:
                    requests.remove(run)
                    socket.send(json.dumps({"action": "unsubscribe", "topic": f"run:{run}"}))
                for run in new:
                    requests.add(run)
                    after = len(self.seen[run])
                    socket.send(json.dumps({"action": "subscribe", "topic": f"run:{run}", "after": after}))
                with contextlib.suppress(TimeoutError):
                    self._take(json.loads(socket.recv(0.2)))
                    left -= 1

    def _take(self, frame: dict[str, Any]) -> None:
        for event in frame.get("events", ()):
            seen = self.seen[event["run"]]
            if event["seq"] != len(seen) + 1:
                self.wrong.append(f"{event['run']}: {event['seq']} after {len(seen)}")
            self.at[event["run"]].append(time.time())
            seen.append(event)
            self._questions += event["type"] in ASKS
        if "error" in frame:
            self.wrong.append(str(frame))
