"""What signing in to servers of others keeps: the sign-in with its tokens, clients we are there, flows on their way.

Tokens, client secrets and verifiers are encrypted; of a state only its hash is kept. `target` is the server's id.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from backend.accounts.models import Team, User
from backend.database.ids import new_id
from backend.secrets.fields import EncryptedJSONField


def sign_in_id() -> str:
    """Public id of a sign-in at a server."""
    return new_id("sgn")


class SignIn(models.Model):
    """How a team (`user` NULL), or one member, is signed in at a server.

    `held` = {"access", "refresh", "resource", "client": {"id", "secret", "method"}}: an address may be secret, too.
    `facts` = {"token_endpoint", "revocation_endpoint", "client_kind", "client_id"}. `version` grows with every new pair
    of tokens, `stamp` is new with every sign-in and none in between, so connections outlive a renewal. `needs` =
    scopes that the server asked for since. `problem` = {"code", "reason", …}: what went wrong last, as an error's
    params. `steps` = the requests of the flow, masked. Who holds `renewing_by` until `renewing_until` is the one
    process that renews.
    """

    class State(models.TextChoices):
        """Whether there are tokens that may work."""

        NONE = "none"
        GOOD = "good"
        ENDED = "ended"

    id = models.CharField(primary_key=True, max_length=40, default=sign_in_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    target = models.CharField(max_length=40)
    state = models.CharField(max_length=5, choices=State.choices, default=State.NONE)
    issuer = models.TextField(blank=True)
    facts = models.JSONField(default=dict)
    held = EncryptedJSONField(default=dict)
    version = models.PositiveIntegerField(default=0)
    stamp = models.CharField(max_length=40, blank=True)
    scopes = models.JSONField(default=list)
    needs = models.JSONField(default=list)
    expires_at = models.DateTimeField(null=True)
    refreshed_at = models.DateTimeField(null=True)
    signed_in_at = models.DateTimeField(null=True)
    signed_in_as = models.CharField(max_length=200, blank=True)
    signed_in_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    problem = models.JSONField(default=dict)
    steps = models.JSONField(default=list)
    renewing_by = models.CharField(max_length=40, blank=True)
    renewing_until = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["target", "user"], name="sign_in_once_per_person"),
            models.UniqueConstraint(
                fields=["target"], condition=models.Q(user__isnull=True), name="sign_in_once_per_team"
            ),
        ]

    def __str__(self) -> str:
        return f"sign-in at {self.target}"


class KnownClient(models.Model):
    """Who we are at an authorization server, for one server: by registration, or entered by a person.

    `held` = {"secret"}. One that was entered is bound to the authorization server it was first used at, so that a
    server which names another one later does not get its secret.
    """

    class Kind(models.TextChoices):
        """How we are known."""

        REGISTERED = "registered"
        ENTERED = "entered"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    target = models.CharField(max_length=40, db_index=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    issuer = models.TextField()
    redirect_uri = models.CharField(max_length=500)
    client_id = models.TextField()
    method = models.CharField(max_length=30, default="none")
    held = EncryptedJSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.client_id


class Pending(models.Model):
    """A person who was sent to sign in and has not come back: once, in the same browser, within minutes.

    `held` = {"verifier", "resource", "client"}; `facts` = what was found out on the way and is needed when they return.
    """

    state_hash = models.CharField(primary_key=True, max_length=64)
    browser = models.CharField(max_length=64)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    by = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    sign_in = models.ForeignKey(SignIn, on_delete=models.CASCADE, related_name="pending")
    held = EncryptedJSONField(default=dict)
    facts = models.JSONField(default=dict)
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"on the way to {self.sign_in_id}"
