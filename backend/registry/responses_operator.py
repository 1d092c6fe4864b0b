"""What the API answers operators about programs."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from backend.accounts.described import Choices, Help, Timestamp
from backend.registry.models import ProgramApproval


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


class ProgramListJson(TypedDict):
    """A page of programs."""

    results: list[ProgramJson]
    next: str | None
