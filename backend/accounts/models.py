"""People, teams and what was done: users, memberships, invitations, tokens, sign-in links, audit rows, their chain."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models

from backend.database.ids import new_id
from backend.database.rows import QuickRow


def user_id() -> str:
    """Public id of a user."""
    return new_id("usr")


def team_id() -> str:
    """Public id of a team."""
    return new_id("team")


def membership_id() -> str:
    """Public id of a membership."""
    return new_id("mem")


def invitation_id() -> str:
    """Public id of an invitation."""
    return new_id("inv")


def token_id() -> str:
    """Public id of an API token."""
    return new_id("tok")


def allowance_id() -> str:
    """Public id of something that operators allow in the whole installation."""
    return new_id("alw")


def audit_id() -> str:
    """Public id of an audit row."""
    return new_id("aud")


class UserManager(BaseUserManager["User"]):
    """Creates users by e-mail."""

    def create_user(self, email: str, password: str | None = None, **extra: Any) -> User:
        """A user who signs in with `email`; without a password only by link."""
        user = self.model(email=self.normalize_email(email).lower(), **extra)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **extra: Any) -> User:
        """A user with every Django permission."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **extra)


class User(QuickRow, AbstractBaseUser, PermissionsMixin):
    """A person. Signs in by e-mail."""

    id = models.CharField(primary_key=True, max_length=40, default=user_id, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=200, blank=True)
    language = models.CharField(max_length=10, default="en")
    theme = models.CharField(max_length=10, default="system")
    auto_execute = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    is_operator = models.BooleanField(default=False, db_default=False)  # of the installation, see `operators`
    date_joined = models.DateTimeField(auto_now_add=True)

    objects = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.email


class Team(QuickRow):
    """The owner of everything else: servers, secrets, workflows, runs."""

    id = models.CharField(primary_key=True, max_length=40, default=team_id, editable=False)
    name = models.CharField(max_length=200)
    slug = models.SlugField(max_length=80, unique=True)
    currency = models.CharField(max_length=3, default="USD", db_default="USD")  # of prices and costs (ISO 4217)
    second_factor = models.BooleanField(default=False, db_default=False)  # members need one, see `factor_demands`
    request_hosts = models.JSONField(default=list, db_default=[])  # to which requests go unasked, see `request_hosts`
    budget = models.JSONField(default=dict)  # {tokens_per_day?, cost_per_day?} of what models use, by day (UTC)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    """What a member may do; each role may all that the ones before it may."""

    VIEWER = "viewer"
    EDITOR = "editor"
    ADMIN = "admin"
    OWNER = "owner"


class Membership(models.Model):
    """A person in a team, with a role."""

    id = models.CharField(primary_key=True, max_length=40, default=membership_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    servers_off = models.JSONField(null=True)  # ids of servers that models in runs of this member may not choose from
    managed = models.BooleanField(default=False, db_default=False)  # given, and taken away, by the identity provider
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "user"], name="one_membership_each")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}: {self.role}"


class Allowance(models.Model):
    """Something that operators allow in the whole installation, beside what its environment allows (`allowances`).

    `value` = a command or command line, a host, address or network; empty for loopback.
    """

    class Kind(models.TextChoices):
        """What is allowed."""

        COMMAND = "command"
        HOST = "host"
        LOOPBACK = "loopback"

    id = models.CharField(primary_key=True, max_length=40, default=allowance_id, editable=False)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    value = models.CharField(max_length=1000, blank=True)
    added_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["kind", "value"], name="allowed_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.value}"


class Invitation(models.Model):
    """A link that makes its bearer a member once, until it expires."""

    id = models.CharField(primary_key=True, max_length=40, default=invitation_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Role.choices)
    email = models.EmailField(blank=True)
    token_hash = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"invitation to {self.team}"


class ApiToken(QuickRow):
    """A program's key: belongs to one member in one team; only its hash is kept.

    `workflows` (ids) and `networks` (CIDR) bind it: it reaches nothing but these, and works from nowhere else; empty =
    not bound. `collection` = the id of the collection whose address alone it opens (`auth.audiences`); empty = none.
    Until `approves_until` it answers every question as its member would: tokens from before people alone could approve.
    `audience` = the one path that it opens (`/mcp`), "" = the whole API: tokens that a client was given by OAuth have
    one, and a text that is good until `text_until`, which the client renews (`oauth`).
    """

    id = models.CharField(primary_key=True, max_length=40, default=token_id, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=200)
    prefix = models.CharField(max_length=16)
    token_hash = models.CharField(max_length=64, unique=True)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    approves_until = models.DateTimeField(null=True)
    workflows = models.JSONField(default=list, db_default=[])
    networks = models.JSONField(default=list, db_default=[])
    collection = models.CharField(max_length=40, blank=True, default="", db_default="")
    audience = models.CharField(max_length=200, default="", db_default="", blank=True)
    text_until = models.DateTimeField(null=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["collection"], name="token_of_collection", condition=models.Q(collection__gt=""))
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class SignInLink(models.Model):
    """A one-time sign-in link printed on the terminal; consumed by POST. `user` absent = sets up the first owner."""

    token_hash = models.CharField(primary_key=True, max_length=64)
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return "sign-in link"


class AuditEntries(models.QuerySet["AuditEntry"]):
    """Rows that are only ever added and read."""

    def update(self, **kwargs: Any) -> int:
        """Refused: what was done stays as it was done (`audit_erasing` takes content away with what it belongs to)."""
        raise TypeError("audit rows do not change")

    def delete(self) -> tuple[int, dict[str, int]]:
        """Refused: rows end by age alone, in `audit_erasing`."""
        raise TypeError("audit rows are not deleted")


class AuditEntry(models.Model):
    """One action: who, what, on what, when. Append only.

    Team, actor and token keep their ids when they themselves are gone, so nothing here refers to them in the database.
    `data` = facts that say what it was about (names, numbers, states). `content` = what people wrote, before and after
    ({"changes": {field: [before, after]}, …}), NULL once it was deleted with what it belongs to. Neither ever holds a
    secret.
    """

    id = models.CharField(primary_key=True, max_length=40, default=audit_id, editable=False)
    team = models.ForeignKey(
        Team, on_delete=models.DO_NOTHING, null=True, related_name="+", db_constraint=False, db_index=False
    )
    actor = models.ForeignKey(
        User, on_delete=models.DO_NOTHING, null=True, related_name="+", db_constraint=False, db_index=False
    )
    token = models.ForeignKey(ApiToken, on_delete=models.DO_NOTHING, null=True, related_name="+", db_constraint=False)
    action = models.CharField(max_length=80)
    target_kind = models.CharField(max_length=40, blank=True)
    target_id = models.CharField(max_length=40, blank=True)
    data = models.JSONField(default=dict)
    content = models.JSONField(default=dict, null=True)
    at = models.DateTimeField(auto_now_add=True)

    objects = AuditEntries.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["team", "-at"], name="audit_newest"),
            models.Index(fields=["team", "actor", "-at"], name="audit_by_actor"),
            models.Index(fields=["team", "action", "-at"], name="audit_of_action"),
            models.Index(fields=["team", "target_id", "-at"], name="audit_of_target"),
            models.Index(fields=["at"], name="audit_age"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.target_id}"


class AuditNote(models.Model):
    """An action whose audit row is written later, with others (`audit.batches`). `entry` = its fields as JSON."""

    entry = models.TextField()

    def __str__(self) -> str:
        return f"note {self.pk}"


class AuditChain(models.Model):
    """Where a team's chain begins, where it ends, and how far it was verified. Its row is the lock of who links.

    `start` = the last position that went by age (0 = none), with its digest: the rest is verified from there.
    """

    team = models.CharField(primary_key=True, max_length=40)  # an id alone: the chain outlives the team
    start = models.BigIntegerField(default=0)
    start_digest = models.CharField(max_length=64)
    head = models.BigIntegerField(default=0)
    head_digest = models.CharField(max_length=64)
    verified = models.BigIntegerField(default=0)
    verified_at = models.DateTimeField(null=True)
    broken = models.BigIntegerField(null=True)  # the first position that is not as it was linked
    problem = models.CharField(max_length=20, blank=True)

    def __str__(self) -> str:
        return f"{self.team}: {self.start} to {self.head}"


class AuditLink(models.Model):
    """The place of an audit row in its team's chain, written some time after the row (`audit_chain`).

    A digest of each part that can be erased, each with a salt of its own, which goes with what it salted; "" = the part
    was empty. `digest` = of the link before, the row and both parts.
    """

    team = models.CharField(max_length=40)
    position = models.BigIntegerField()
    entry = models.OneToOneField(
        AuditEntry, on_delete=models.DO_NOTHING, null=True, related_name="link", db_constraint=False
    )
    data_salt = models.CharField(max_length=32, null=True)  # noqa: DJ001 - null = erased
    data_digest = models.CharField(max_length=64, blank=True)
    content_salt = models.CharField(max_length=32, null=True)  # noqa: DJ001 - null = erased
    content_digest = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64)
    linked_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "position"], name="one_link_each")]

    def __str__(self) -> str:
        return f"{self.team} {self.position}"
