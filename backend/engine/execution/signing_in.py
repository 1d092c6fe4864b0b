"""A call that meets a sign-in which is missing or over: the run waits until the person is back, and makes it then.

The call was not made, so what follows is the same call under the next name. What the journal holds of it: the end with
its error, a question of the kind `server`, and the answer. Whoever signs in answers it (`runs.interactions.sign_ins`);
a person may also let the step fail.
"""

from __future__ import annotations

from backend.errors import McpAuthFailed
from backend.tools.signing_in import NeededSignIn
from backend.tools.types import Question, ToolName

ACTING, TEAM, MACHINE = "waits_person", "waits_team", "waits_machine"


def sign_in_question(needed: NeededSignIn, tool: ToolName | None, language: str) -> Question:
    """What is asked of whoever's credentials they are."""
    return Question(
        "server",
        title=needed["slug"],
        message=waits_for(needed["slug"], reason_of(needed), language),
        tool=tool,
        assignees=[needed["user"]] if needed["user"] else [],
        evidence={"sign_in": needed},
    )


def reason_of(needed: NeededSignIn) -> str:
    """What a run waits for: one member, the team's admins, or that Patchbay's own credentials are put right."""
    return ACTING if needed["user"] else MACHINE if needed.get("machine") else TEAM


def waits_for(server: str, reason: str, language: str) -> str:
    """The sentence of such a question."""
    message, hint = McpAuthFailed(params={"reason": reason, "server": server}).text(language)
    return f"{message} {hint}"
