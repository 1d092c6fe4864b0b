"""Shapes of one's own account on the wire: sessions, password, second factor, its end."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from backend.accounts.models import Role


def _password(**kwargs: Any) -> serializers.CharField:
    return serializers.CharField(max_length=200, trim_whitespace=False, allow_blank=True, **kwargs)


class TwoFactorSerializer(serializers.Serializer[Any]):
    """The second factor."""

    on = serializers.BooleanField()
    since = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)
    codes_left = serializers.IntegerField()


class SecuritySerializer(serializers.Serializer[Any]):
    """How one signs in; `asks_password` = whether changes ask for the present password (not right after a link)."""

    password_set = serializers.BooleanField()
    asks_password = serializers.BooleanField()
    identity_provider = serializers.CharField(
        allow_null=True, help_text="The name of the identity provider where it is the only way in, else null."
    )
    two_factor = TwoFactorSerializer()


class PasswordChangeSerializer(serializers.Serializer[Any]):
    """A new password, with the present one where there is one."""

    current_password = _password(required=False, default="")
    new_password = _password()
    keep_tokens = serializers.BooleanField(
        required=False, default=False, help_text="Else one's API tokens, of all teams, end with the old password."
    )


class ProofSerializer(serializers.Serializer[Any]):
    """One's password, as proof."""

    password = _password(required=False, default="")


class CodeSerializer(serializers.Serializer[Any]):
    """A code of the authenticator app."""

    code = serializers.CharField(max_length=20)


class TwoFactorSetupSerializer(serializers.Serializer[Any]):
    """What the authenticator app needs: the secret to type, the same as an address, and as a QR picture (SVG)."""

    secret = serializers.CharField()
    uri = serializers.CharField()
    svg = serializers.CharField()


class RecoveryCodesSerializer(serializers.Serializer[Any]):
    """Codes that each sign in once in place of the app's; never shown again."""

    codes = serializers.ListField(child=serializers.CharField())


class SessionSerializer(serializers.Serializer[Any]):
    """Where one is signed in."""

    id = serializers.CharField()
    user_agent = serializers.CharField(allow_blank=True)
    ip = serializers.CharField()
    created_at = serializers.DateTimeField()
    last_seen_at = serializers.DateTimeField()
    current = serializers.BooleanField()


class SessionListSerializer(serializers.Serializer[Any]):
    """One's sessions: the present one, then last used first."""

    results = SessionSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class EndedSerializer(serializers.Serializer[Any]):
    """How many sessions ended."""

    ended = serializers.IntegerField()


class FateSerializer(serializers.Serializer[Any]):
    """What becomes of a team when one's account goes: "blocked" = it would be without an owner."""

    id = serializers.CharField()
    name = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.choices)
    fate = serializers.ChoiceField(choices=["left", "deleted", "blocked"])


class FateListSerializer(serializers.Serializer[Any]):
    """One's teams and what becomes of each."""

    results = FateSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class AccountEndSerializer(ProofSerializer):
    """Ending one's account: the e-mail typed, and the password."""

    email = serializers.CharField(max_length=254)
