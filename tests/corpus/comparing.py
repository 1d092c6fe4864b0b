"""What must be true of runs that an older version left, when this one has finished them.

Compared are states, errors and outputs with what the older version itself came to; every write that reached the tools
(each once); reads at least once; and each log begins with what it held when the older version was killed.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from tests.corpus import graphs
from tests.corpus.api_user import FOLDER, ApiUser, start

VERSIONS = sorted(path.parent.name for path in FOLDER.glob("*/expected.json"))
WRITES = ("pay ", "wire ", "erase ", "book ")


def expected(name: str) -> Any:
    """What the older version came to."""
    return json.loads((FOLDER / name / "expected.json").read_text())


def writes(calls: dict[str, int]) -> Counter[str]:
    """Those that must not happen twice."""
    return Counter({call: count for call, count in calls.items() if call.startswith(WRITES)})


def finish_and_compare(user: ApiUser, name: str) -> None:
    """Finish everything and compare."""
    runs = user.left["runs"]
    user.finish(runs)
    result, expected_value = user.collect(runs), expected(name)
    assert result["runs"] == expected_value["runs"]
    assert writes(result["calls"]) == writes(expected_value["calls"])
    assert set(result["calls"]) == set(expected_value["calls"])
    for key, run in runs.items():
        before = user.left["logs"][key]
        assert user.log(run)[: len(before)] == before, key


def everything_else_is_there(user: ApiUser) -> None:
    """Beside runs: the draft, its versions, a saved test that plays, servers, secrets, new runs."""
    workflows = {each["slug"]: each["id"] for each in user.get("/api/workflows?limit=200")["results"]}
    good = workflows["good"]
    assert user.get(f"/api/workflows/{good}")["draft"]["revision"] == 2
    assert [version["version"] for version in user.get(f"/api/workflows/{good}/versions")["results"]] == [1]
    (saved,) = user.get(f"/api/workflows/{good}/tests")["results"]
    assert user.ask("POST", f"/api/workflows/{good}/tests/{saved['id']}/run", {})["ok"]
    servers = {each["slug"]: each for each in user.get("/api/mcp/servers?limit=200")["results"]}
    assert {"ledger", "local", "time", "demo"} <= set(servers)
    tools = user.get(f"/api/mcp/servers/{servers['ledger']['id']}/tools")["results"]
    assert {tool["name"]: (tool["policy"], tool["changed"]) for tool in tools}["pay"] == ("allow", False)
    assert [secret["name"] for secret in user.get("/api/secrets")["results"]] == ["corpus"]
    new = {key: start(user, workflows[key], f"new-{key}") for key in (*graphs.ENDED, "agent", "below")}
    user.finish(new)
    result = user.collect(new)["runs"]
    assert {key: run["state"] for key, run in result.items()} == {
        **dict.fromkeys(new, "SUCCESS"),
        "failed": "ERROR",
    }
