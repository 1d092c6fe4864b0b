"""What requests about one's own account may hold: password, second factor, its end."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


def _password(**kwargs: Any) -> serializers.CharField:
    return serializers.CharField(max_length=200, trim_whitespace=False, allow_blank=True, **kwargs)


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


class AccountEndSerializer(ProofSerializer):
    """Ending one's account: the e-mail typed, and the password."""

    email = serializers.CharField(max_length=254)
