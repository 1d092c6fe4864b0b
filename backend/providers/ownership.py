"""What becomes of a person's own providers when they leave a team: as with servers, keys are never handed over."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet

from backend.accounts.models import Team, User
from backend.accounts.teams.deletion_hooks import Private
from backend.notifications.clients import notify_shared
from backend.providers.connections import drop_endpoint
from backend.providers.models import Provider
from backend.secrets import user_credentials


def private_of(team: Team, user: User) -> QuerySet[Provider]:
    """The providers of a team that one person alone sees."""
    return Provider.objects.filter(team=team, created_by=user, visibility=Provider.Visibility.PRIVATE)


def held(team: Team, user: User) -> int:
    """How many private providers a person has in a team."""
    return private_of(team, user).count()


@transaction.atomic
def released(team: Team, user: User, private: Private) -> dict[str, list[str]]:
    """Delete a person's private providers, or hand them to the team; delete what the person entered for themself.

    Gives `{"deleted": [slug], "handed_over": [slug]}`.
    """
    done: dict[str, list[str]] = {"deleted": [], "handed_over": []}
    for provider in private_of(team, user).select_for_update():
        _afterwards(provider, "updated" if private == "hand_over" else "deleted")
        if private == "hand_over":
            provider.secrets, _ = user_credentials.extract(provider.secrets)
            provider.visibility, provider.created_by = Provider.Visibility.TEAM, None
            provider.revision, provider.status = provider.revision + 1, {}
            provider.save()
            done["handed_over"].append(provider.slug)
        else:
            done["deleted"].append(provider.slug)
            user_credentials.forget(provider.id)
            provider.delete()
    user_credentials.released(team.id, user.id)
    return done


def _afterwards(provider: Provider, change: str) -> None:
    key = provider.id
    notify_shared("provider", provider, change)
    transaction.on_commit(lambda: drop_endpoint(key))


def close_all(team: Team) -> None:
    """End this process's connections to the providers of a team that is being deleted, once it is."""
    for provider in team.providers.all():
        _afterwards(provider, "deleted")
