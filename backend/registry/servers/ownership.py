"""What becomes of a person's own servers when they leave a team.

One whose address is itself a secret has nothing left to hand over, so it is deleted.
"""

from __future__ import annotations

from backend.accounts.audit.erasing import erase
from backend.accounts.models import Team, User
from backend.accounts.teams.deletion_hooks import Private
from backend.registry.configuration.user_credentials import SERVERS
from backend.registry.connecting.connections import drop_connections
from backend.registry.contents import changes
from backend.registry.models import Server
from backend.registry.programs.approvals import forget as forget_approvals
from backend.registry.programs.home_dirs import sweep_after_commit
from backend.secrets.shared_items import Leaving
from backend.server_signin import sign_ins


def _before_delete(server: Server) -> None:
    forget_approvals(server)
    erase("server", [server.id])


_LEAVING = Leaving[Server](
    disconnect=lambda key: drop_connections(Server(id=key), deleted=True),
    has_something_to_hand_over=lambda server: not server.url_secret,
    before_delete=_before_delete,
    secrets_that_go=("args", "client"),
)


def released(team: Team, user: User, private: Private) -> dict[str, list[str]]:
    """Delete a person's private servers, or hand them to the team; delete what the person entered for themself.

    Gives `{"deleted": [slug], "handed_over": [slug]}`.
    """
    for key in SERVERS.private_of(team, user).values_list("pk", flat=True):
        sign_ins.forget(key)
    sign_ins.released(team.pk, user.pk)
    changes.forget(team.pk, user.pk)
    done = SERVERS.release(team, user, private, _LEAVING)
    sweep_after_commit()
    return done


def close_all(team: Team) -> None:
    """End this process's connections to the servers of a team that is being deleted, once it is."""
    for server in team.servers.all():
        SERVERS.tell(server, "deleted", _LEAVING)
    sweep_after_commit()
