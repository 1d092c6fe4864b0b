"""What requests about members, invitations and teams may hold."""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from rest_framework import serializers

from backend.accounts.models import Invitation, Membership, Role

PRIVATE = ["delete", "hand_over"]


class MemberChangeSerializer(serializers.Serializer[Any]):
    """What may be changed about a member."""

    role = serializers.ChoiceField(choices=Role.choices)


class PrivateSerializer(serializers.Serializer[Any]):
    """What becomes of the member's private servers and providers."""

    private = serializers.ChoiceField(choices=PRIVATE, default="delete")


class TransferSerializer(serializers.Serializer[Any]):
    """Who is to own the team."""

    member = serializers.CharField(max_length=40)


class TeamNewSerializer(serializers.Serializer[Any]):
    """A team to make."""

    name = serializers.CharField(max_length=200)


class InvitationNewSerializer(serializers.Serializer[Any]):
    """An invitation to make; with `email` only that person may use it."""

    role = serializers.ChoiceField(choices=Role.choices)
    email = serializers.EmailField(required=False, allow_blank=True, default="")
    expires_in_days = serializers.IntegerField(required=False, min_value=1, max_value=30, default=7)


class InvitationTextSerializer(serializers.Serializer[Any]):
    """The text of an invitation's link."""

    token = serializers.CharField(max_length=200)


class InvitationAcceptSerializer(InvitationTextSerializer):
    """Accepting an invitation; all but `token` only for who is not signed in."""

    email = serializers.CharField(required=False, allow_blank=True, max_length=254)
    name = serializers.CharField(required=False, allow_blank=True, max_length=200)
    password = serializers.CharField(required=False, allow_blank=True, max_length=200, trim_whitespace=False)
    language = serializers.ChoiceField(required=False, choices=["en", "zh"])


def member_shape(row: Membership, factors: set[str] | None = None) -> dict[str, Any]:
    """A membership as a member. `factors` = the users with a second factor, None where that is not to be told."""
    return {
        "id": row.id,
        "user": row.user.id,
        "email": row.user.email,
        "name": row.user.name,
        "role": row.role,
        "joined_at": row.created_at,
        "two_factor": None if factors is None else row.user_id in factors,
    }


def with_factor(team: str) -> set[str]:
    """The members of a team who sign in with a second factor."""
    rows = Authenticator.objects.filter(type__in=["totp", "webauthn"], user__memberships__team=team)
    return set(rows.values_list("user_id", flat=True))


def belongings_shape(counts: dict[str, int]) -> dict[str, int]:
    """Counts by kind, 0 for kinds that no room tells of."""
    return {"tokens": 0, "servers": 0, "providers": 0, "running": 0} | counts


def invitation_shape(row: Invitation, text: str | None = None) -> dict[str, Any]:
    """An invitation without its link, or with it in the answer that makes it."""
    shape = {
        "id": row.id,
        "role": row.role,
        "email": row.email,
        "created_by": row.created_by.email if row.created_by else None,
        "created_at": row.created_at,
        "expires_at": row.expires_at,
    }
    return shape | {"url": f"{settings.PUBLIC_URL}/join#{text}"} if text else shape
