"""What the API answers operators about programs."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from backend.accounts.described import Choices, Help, Timestamp
from backend.registry.models import ProgramApproval
from backend.registry.programs.rules import stdio_rules
from backend.registry.programs.serializers import FolderSerializer


class ApprovalJson(TypedDict):
    """What an operator said about the program that a server starts, by the hash of its whole configuration."""

    state: Annotated[
        Annotated[str, Choices(["free", "waiting", "approved", "rejected"])], Help("free = nobody is asked.")
    ]
    hash: str
    basis: Annotated[
        Annotated[str, Choices(["operator", "earlier", "included"])] | None,
        Help("earlier = there before approvals were asked for; included = came along with Patchbay."),
    ]
    decided_by: str | None
    decided_at: Timestamp | None


class ProgramTeamJson(TypedDict):
    """The team that asks."""

    id: str
    name: str


class ConcernJson(TypedDict):
    """What an operator should look at."""

    kind: Annotated[
        Literal["arguments", "variable", "cwd"],
        Help(
            "arguments = they may run code that they carry; variable = not plainly the server's own; "
            "cwd = a folder outside the program's own home."
        ),
    ]
    name: str


class ProgramJson(TypedDict):
    """A program that a team wants started on this machine."""

    id: str
    hash: Annotated[str, Help("Of the whole configuration; the decision is about exactly that.")]
    name: str
    team: ProgramTeamJson
    command: str
    args: Annotated[list[str], Help("Secrets in them are hidden.")]
    env: Annotated[list[str], Help("Names of the variables that it sets.")]
    cwd: str
    box: Annotated[
        Any, Help("What was decided about its box: {box, folders, network}, as far as it differs from what all get.")
    ]
    package: Annotated[str, Help("Where a new version is asked about: the package and that version, else empty.")]
    concerns: list[ConcernJson]
    asked_for: Annotated[str, Choices(ProgramApproval.Asked.choices)]
    state: Annotated[str, Choices(ProgramApproval.State.choices)]
    basis: Annotated[str, Choices(ProgramApproval.Basis.choices)] | None
    requested_by: str | None
    decided_by: str | None
    decided_at: Timestamp | None
    created_at: Timestamp


class ProgramCountsJson(TypedDict):
    """How many programs there are, whatever is searched for; `decided`: by a person; `teams`: that ask."""

    waiting: int
    approved: int
    rejected: int
    decided: int
    teams: int


class ProgramListJson(TypedDict):
    """A page of programs."""

    results: list[ProgramJson]
    next: str | None
    counts: Annotated[ProgramCountsJson | None, Help("null on the pages that follow the first.")]


class BoxJson(TypedDict):
    """What a program is started in here."""

    kind: Annotated[
        Annotated[str, Choices(["bwrap", "launcher", "limits", "open"])],
        Help("bwrap, launcher: a box. limits: this machine gives none. open: the program is started in none."),
    ]
    reason: Annotated[
        Annotated[str, Choices(["", "decided", "undecided", "trusted_command", "machine"])],
        Help("Why there is no box."),
    ]
    folders: Annotated[
        Annotated[list[dict[str, Any]], FolderSerializer],
        Help("What it sees besides the system, its own files and its home."),
    ]
    broad: Annotated[list[str], Help("Paths of its arguments that are too much to show unasked.")]
    network: bool
    memory_mb: int
    processes: int
    files: int
    file_mb: int
    home_mb: Annotated[int, Help("Its home in all; it is ended soon after it holds more. 0 = no limit.")]
    cpu_s: int
    as_a_whole: Annotated[
        bool, Help("Memory and processes are counted over everything it starts; else for each process by itself.")
    ]


class PackageJson(TypedDict):
    """The package that `npx` or `uvx` names, at the exact version that is started."""

    managed: Annotated[
        bool, Help("Installed in a step of its own, and started by itself. Off: npx or uvx runs at every start.")
    ]
    name: str
    version: Annotated[str, Help("Empty = not installed yet.")]
    integrity: Annotated[str, Help("Digest of its archive (npm), or those of its files (PyPI).")]
    pinned_at: Timestamp | None
    looked_at: Annotated[Timestamp | None, Help("When it was last asked for a newer version.")]
    offered: Annotated[str, Help("A newer version; used once an admin accepts it.")]


def program_json(row: ProgramApproval) -> ProgramJson:
    """A program that a team wants started, as an operator sees it: what it is and who asks; no more of the team."""
    config = row.config
    concerns = stdio_rules().concerns(config["command"], config["args"], config["env"], config["cwd"])
    return {
        "id": row.id,
        "hash": row.hash,
        "name": row.name,
        "team": {"id": row.team.id, "name": row.team.name},
        "command": config["command"],
        "args": config["args"],
        "env": config["env"],
        "cwd": config["cwd"],
        "box": config.get("box") or {},
        "package": config.get("package", ""),
        "concerns": [{"kind": concern.kind, "name": concern.name} for concern in concerns],
        "asked_for": row.asked_for,
        "state": row.state,
        "basis": row.basis if row.state == ProgramApproval.State.APPROVED else None,
        "requested_by": row.requested_by.email if row.requested_by else None,
        "decided_by": row.decided_by.email if row.decided_by else None,
        "decided_at": row.decided_at,
        "created_at": row.created_at,
    }
