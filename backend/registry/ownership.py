"""What becomes of a person's own servers and credentials when they leave a team.

A private server that is handed over keeps its configuration and loses its secrets: the team gets no key that somebody
kept for themself. One whose address is itself a secret has nothing left to hand over, so it is deleted.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from backend.accounts.audit.erasing import erase
from backend.accounts.models import Team, User
from backend.accounts.teams.deletion_hooks import Private
from backend.notifications.clients import notify_shared
from backend.registry.approvals import forget as forget_approvals
from backend.registry.connections import drop_connections
from backend.registry.models import Server
from backend.registry.program_home_dirs import sweep_after_commit
from backend.secrets import user_credentials


def private_of(team: Team, user: User) -> QuerySet[Server]:
    """The servers of a team that one person alone sees."""
    return Server.objects.filter(team=team, created_by=user, visibility=Server.Visibility.PRIVATE)


def held(team: Team, user: User) -> int:
    """How many private servers a person has in a team."""
    return private_of(team, user).count()


@transaction.atomic
def released(team: Team, user: User, private: Private) -> dict[str, list[str]]:
    """Delete a person's private servers, or hand them to the team; delete what the person entered for themself.

    Gives `{"deleted": [slug], "handed_over": [slug]}`.
    """
    done: dict[str, list[str]] = {"deleted": [], "handed_over": []}
    for server in private_of(team, user).select_for_update():
        if private == "hand_over" and not server.url_secret:
            _hand_over(server)
            done["handed_over"].append(server.slug)
            _afterwards(server, "updated")
        else:
            done["deleted"].append(server.slug)
            _afterwards(server, "deleted")
            user_credentials.forget(server.id)
            forget_approvals(server)
            erase("server", [server.id])
            server.delete()
    sweep_after_commit()
    user_credentials.released(team.id, user.id)
    return done


def _hand_over(server: Server) -> None:
    """Make a private server the team's. Names of secrets stay, so that an admin sees what is to be entered."""
    server.secrets, _ = user_credentials.extract(server.secrets)
    server.secrets.pop("args", None)
    server.visibility, server.created_by = Server.Visibility.TEAM, None
    server.revision, server.status = server.revision + 1, {}
    server.save()


def _afterwards(server: Server, change: str) -> None:
    notify_shared("server", server, change)
    gone = Server(id=server.id)  # the row may lose its id on the way
    transaction.on_commit(lambda: drop_connections(gone, deleted=True))


def close_all(team: Team) -> None:
    """End this process's connections to the servers of a team that is being deleted, once it is."""
    for server in team.servers.all():
        _afterwards(server, "deleted")
    sweep_after_commit()
