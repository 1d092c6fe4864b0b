"""Teams, or a whole installation, that demand a second factor: who has none sets it up before anything else.

Whoever comes in through the identity provider has its factor; what they sign in with is not kept here.
"""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.conf import settings

from backend.accounts.models import Membership, Team, User


def has_factor(user: User) -> bool:
    """Whether signing in asks for more than the password: an app's codes or a passkey."""
    kinds = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
    return bool(Authenticator.objects.filter(user=user, type__in=kinds).exists())


def provider_only(user: User) -> bool:
    """Whether the identity provider is the user's only way in. It stays that: a password or passkey of ours would
    open the door past what the provider asks for, and for a while also to whom it has just locked out."""
    return not user.has_usable_password() and Membership.objects.filter(user=user, managed=True).exists()


def demanded(team: Team) -> bool:
    """Whether members of the team need a second factor."""
    return bool(settings.PATCHBAY.require_second_factor or team.second_factor)


def missing(user: User, team: Team, *, managed: bool) -> bool:
    """Whether the member has to set one up first. `managed` = the identity provider made the membership."""
    return demanded(team) and not managed and not has_factor(user) and not provider_only(user)


def open_teams(user: User) -> set[str]:
    """The ids of the user's teams in which nothing is missing."""
    rows = Membership.objects.select_related("team").filter(user=user)
    return {row.team_id for row in rows if not missing(user, row.team, managed=row.managed)}
