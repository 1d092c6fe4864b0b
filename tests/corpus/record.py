"""Record the corpus of this version: `python -m tests.corpus.record NAME`, in a clone at `outside.CHECKOUT`.

Runs are brought to where `graphs` says, one is killed in the middle of a write and asks about it, a backup is made,
and the process is killed. What it leaves is kept; then this version goes on from that, and what it makes of each run
is what later versions are measured by.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.corpus import graphs, outside
from tests.corpus.api_user import FOLDER, ApiUser, from_data, seed, start
from tests.instance import ROOT, Instance, until


def main(name: str) -> None:
    """Record into the folder of that name."""
    assert outside.CHECKOUT == ROOT, f"record in a clone at {outside.CHECKOUT}: its paths are part of what is recorded"
    target = FOLDER / name
    target.mkdir(exist_ok=True)
    with outside.outside(), tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "var"
        instance = Instance(data, extra=outside.environment())
        try:
            user = ApiUser(instance, instance.start().token())
            runs = bring_about(user)
            backup(instance, target / "backup.tar.gz")
            logs = {key: user.log(run) for key, run in runs.items()}
        finally:
            instance.kill()
        keep(data, target / "var.tar.xz")
        left = {"token": user.token, "runs": runs, "logs": logs, "ledger": outside.LEDGER.read_text()}
        (target / "left.json").write_text(json.dumps(left, indent=1, sort_keys=True) + "\n")
    with outside.outside(), tempfile.TemporaryDirectory() as folder:
        user = from_data(name, Path(folder))
        try:
            user.finish(user.left["runs"])
            result = user.collect(user.left["runs"])
        finally:
            user.instance.kill()
        (target / "expected.json").write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")


def bring_about(user: ApiUser) -> dict[str, str]:
    """Runs by name, each where it shall be when the process is killed."""
    workflows = seed(user)
    runs = {key: start(user, workflows[key], key) for key in graphs.ENDED}
    until(lambda: all(user.state(runs[key]) in {"SUCCESS", "ERROR"} for key in graphs.ENDED))
    runs["retried"] = user.ask("POST", f"/api/runs/{runs['failed']}/retry", {})["id"]
    user.ask("POST", f"/api/workflows/{workflows['good']}/tests", {"run": runs["good"], "name": "as it was"})
    unknown = start(user, workflows["writing"], "unknown")
    until(lambda: outside.calls()["pay unknown/hold_pay"])
    instance = user.instance
    assert isinstance(instance, Instance)
    instance.kill()
    instance.start()
    runs["unknown"] = unknown
    until(lambda: user.get(f"/api/interactions?state=open&run={unknown}")["results"])
    runs |= {key: start(user, workflows[key], key) for key in graphs.WAITING}
    wait_for(user, {key: runs[key] for key in graphs.WAITING}, "WAITING")
    runs["paused"] = start(user, workflows["pure"], "paused")
    until(lambda: user.state(runs["paused"]) == "WAITING")
    user.ask("POST", f"/api/runs/{runs['paused']}/pause", {})
    until(lambda: user.state(runs["paused"]) == "PAUSED")
    runs |= {key: start(user, workflows[key], key) for key in graphs.UNDER_WAY}
    try:
        until(lambda: all(under_way(user, runs[key]) for key in graphs.UNDER_WAY))
    except AssertionError:
        missing = {key: user.events(runs[key])[-3:] for key in graphs.UNDER_WAY if not under_way(user, runs[key])}
        raise AssertionError(f"not under way: {missing}") from None
    return runs


def wait_for(user: ApiUser, runs: dict[str, str], state: str) -> None:
    """Wait until all of them are in that state; says which are not."""
    try:
        until(lambda: all(user.state(run) == state for run in runs.values()))
    except AssertionError:
        wholes = {key: user.get(f"/api/runs/{run}") for key, run in runs.items()}
        other = {key: (run["state"], run["error"]) for key, run in wholes.items() if run["state"] != state}
        raise AssertionError(f"not {state}: {other}") from None


def under_way(user: ApiUser, run: str) -> bool:
    """Whether the log of the run says that its held call has left."""
    log = user.events(run)
    children = [event["data"]["run"] for event in log if event["type"] == "STEP_LOG" and "run" in event["data"]]
    events = [event for each in (log, *map(user.events, children)) for event in each]
    calls = {"TOOL_REQUEST": 1, "LLM_REQUEST": 1, "TOOL_RESPONSE": -1, "LLM_RESPONSE": -1}
    return user.state(run) in {"RUNNING", "WAITING"} and sum(calls.get(event["type"], 0) for event in events) > 0


def backup(instance: Instance, target: Path) -> None:
    """A backup beside the running instance."""
    command = [sys.executable, "manage.py", "backup", str(target)]
    subprocess.run(command, cwd=ROOT, env=instance.environment(), check=True, capture_output=True)


def keep(data: Path, target: Path) -> None:
    """The data directory as one compressed file."""
    with tarfile.open(target, "w:xz") as archive:
        archive.add(data, "var")


if __name__ == "__main__":
    main(sys.argv[1])
