"""Server configurations, the tools they listed (pinned by hash, with policies), and declarations that wait."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models
from django.db.models.functions import Lower

from backend.accounts.models import Team, User
from backend.database.ids import new_id
from backend.database.rows import QuickJSONField, QuickRow
from backend.registry.program_hash import program_of
from backend.secrets.fields import EncryptedJSONField


def server_id() -> str:
    """Public id of a server."""
    return new_id("srv")


def approval_id() -> str:
    """Public id of an operator's decision about a program."""
    return new_id("apv")


class Server(QuickRow):
    """A registered MCP server. Everything secret lives in `secrets`; the rest is shown as it stands.

    `secrets` = {"api_key", "headers": {name: value}, "env": {name: value}, "url"}; `url` there when `url_secret`.
    `revision` grows with every change of configuration or secrets: connections of older revisions are dropped.
    `tool_rules` = {"deny": [pattern], "only": [pattern]}: what an import said of tools that are not listed yet.
    At most `max_runs` runs that name the server go on at once; null = no limit (`runs.queue.server_slots`).
    One connection carries at most `max_calls` calls at once; null = 64.
    A program is started in a box that shows it `folders` = [{"path", "write"}] (null = those plain in its arguments)
    and, with `network`, the network. `box` "undecided" = as before there were boxes, until somebody decides.
    `package` = the exact version of what `npx` or `uvx` names, see `packages`; empty until it is first installed.
    Of an API (`openapi`): `url` = where its operations are, `document_url` = where its document is read, empty where
    that was given as a text (`ApiDocument`). Of an external agent (`a2a`): `url` = the address that was entered for
    it, on whose host its messages go, `document_url` = where its card is read, empty where that follows from `url`; the
    card is kept as an `ApiDocument`, its skills are the tools. `api_key_header` = the key's name, `api_key_in` where it
    goes; of basic authentication the key is "name:password".
    `modelscope_id` = what ModelScope calls a server that it hosts: by it the address is looked up again.
    """

    class Transport(models.TextChoices):
        """How messages travel."""

        STDIO = "stdio"
        HTTP = "http"
        SSE = "sse"
        OPENAPI = "openapi"
        A2A = "a2a"

    class Kind(models.TextChoices):
        """What it is to people: a server with tools, or an agent with skills."""

        SERVER = "server"
        AGENT = "agent"

    class AuthType(models.TextChoices):
        """How Patchbay proves itself to the server."""

        NONE = "none"
        API_KEY = "api_key"
        BEARER = "bearer"
        BASIC = "basic"
        OAUTH = "oauth"

    class KeyPlace(models.TextChoices):
        """Where an API key goes."""

        HEADER = "header"
        QUERY = "query"
        COOKIE = "cookie"

    class Visibility(models.TextChoices):
        """Who sees the server."""

        TEAM = "team"
        PRIVATE = "private"

    class Session(models.TextChoices):
        """Whether runs share a connection."""

        SHARED = "shared"
        RUN = "run"

    class Credentials(models.TextChoices):
        """Whose credentials are used."""

        SHARED = "shared"
        USER = "user"

    class Box(models.TextChoices):
        """What a program is started in."""

        BOXED = "boxed"
        OPEN = "open"
        UNDECIDED = "undecided"

    id = models.CharField(primary_key=True, max_length=40, default=server_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="servers", db_index=False)
    name = models.CharField(max_length=200)
    slug = models.CharField(max_length=63)
    description = models.TextField(blank=True)
    transport = models.CharField(max_length=7, choices=Transport.choices)
    url = models.TextField(blank=True)
    document_url = models.TextField(blank=True, default="", db_default="")
    url_secret = models.BooleanField(default=False)
    expires_at = models.DateTimeField(null=True)
    command = models.TextField(blank=True)
    args = QuickJSONField(default=list)
    env = QuickJSONField(default=dict)
    cwd = models.TextField(blank=True)
    auth_type = models.CharField(max_length=7, choices=AuthType.choices, default=AuthType.NONE)
    api_key_header = models.CharField(max_length=100, default="X-API-Key")
    api_key_in = models.CharField(
        max_length=6, choices=KeyPlace.choices, default=KeyPlace.HEADER, db_default=KeyPlace.HEADER
    )
    headers = QuickJSONField(default=dict)
    secrets = EncryptedJSONField(default=dict)
    timeout_ms = models.PositiveIntegerField(default=30_000)
    preset = models.CharField(max_length=80, blank=True)
    modelscope_id = models.CharField(max_length=210, blank=True, default="", db_default="")
    visibility = models.CharField(max_length=7, choices=Visibility.choices, default=Visibility.TEAM)
    enabled = models.BooleanField(default=True)
    session = models.CharField(max_length=6, choices=Session.choices, default=Session.SHARED)
    credentials = models.CharField(max_length=6, choices=Credentials.choices, default=Credentials.SHARED)
    asks = models.BooleanField(default=False)
    trust_annotations = models.BooleanField(default=False)
    max_runs = models.PositiveIntegerField(null=True)
    max_calls = models.PositiveIntegerField(null=True)
    tool_rules = QuickJSONField(default=dict, db_default={})
    box = models.CharField(max_length=9, choices=Box.choices, default=Box.BOXED, db_default=Box.BOXED)
    folders = QuickJSONField(null=True)
    network = models.BooleanField(default=True, db_default=True)
    revision = models.PositiveIntegerField(default=1)
    program_hash = models.CharField(max_length=64, blank=True, default="", db_default="")  # of stdio, see `programs`
    package = QuickJSONField(default=dict, db_default={})
    status = QuickJSONField(default=dict)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    sent_document: Any = None
    """The document that came with what is not saved yet (`configuration.documents.ReadDocument`)."""

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "slug"], name="server_slug_once_per_team")]
        indexes: ClassVar = [  # every claim of a run asks for the limits
            models.Index(fields=["id", "max_runs"], name="server_limits", condition=models.Q(max_runs__isnull=False)),
            models.Index(fields=["team", "-created_at", "-id"], name="server_newest"),
            models.Index(models.F("team"), Lower("name"), models.F("id"), name="server_by_name"),
        ]

    def __str__(self) -> str:
        return self.slug

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save, with the hash of the program that it starts now: an approval is for exactly that one."""
        fields = kwargs.get("update_fields")
        if fields is None or not _OF_PROGRAM.isdisjoint(fields):
            self.program_hash = program_of(self).hash if self.transport == self.Transport.STDIO else ""
            if fields is not None:
                kwargs["update_fields"] = {*fields, "program_hash"}
        super().save(*args, **kwargs)

    @property
    def kind(self) -> Kind:
        """What it is to people, which its transport says."""
        return self.Kind.AGENT if self.transport == self.Transport.A2A else self.Kind.SERVER


_OF_PROGRAM = frozenset({"transport", "command", "args", "env", "secrets", "cwd"})


class ApiDocument(models.Model):
    """The OpenAPI document of a server, or the card of an agent, as JSON; `digest` = its SHA-256.

    `etag` and `modified` = what its address said of this version, so that it is sent again only when there is another;
    empty where it was pasted.
    """

    server = models.OneToOneField(Server, on_delete=models.CASCADE, primary_key=True, related_name="+")
    content = models.TextField()
    digest = models.CharField(max_length=64)
    etag = models.CharField(max_length=200, default="", db_default="")
    modified = models.CharField(max_length=40, default="", db_default="")
    read_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"document of {self.server_id}"


class ServerCheck(models.Model):
    """When a server that a person has tested is looked at again (`servers.checks`): this revision of it alone.

    `looked_at` = when the last look was kept, null before the first. `quiet` = looks in a row that changed nothing,
    of a server that nobody used in between. `list_until` = until when the server said that its tools stay as they were
    listed last; they are not asked for before that.
    """

    server = models.OneToOneField(Server, on_delete=models.CASCADE, primary_key=True, related_name="+")
    revision = models.PositiveIntegerField()
    list_until = models.DateTimeField(null=True)
    next_at = models.DateTimeField(db_index=True)
    looked_at = models.DateTimeField(null=True)
    quiet = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.server_id} at {self.next_at}"


LONGEST_TITLE = 200
CHANGED = ~models.Q(definition_hash=models.F("pinned_hash"))
"""A tool is not as it was pinned."""


class Tool(QuickRow):
    """One tool as the server last listed it, the definition that was pinned, and what admins decided about it.

    `definition` = {name, title, description, input_schema, output_schema, annotations}; `changed` = its hash differs
    from `pinned_hash`. `title` = the beginning of the definition's, for searches; `tokens` = about what offering it to
    a model costs. `policy`, `risk`, `effect` are
    overrides; empty = by the rules. `approvers` = who must agree where a call asks (`tools.approvers`); empty = anyone.
    """

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="tools", db_index=False)
    name = models.CharField(max_length=255)
    title = models.CharField(max_length=LONGEST_TITLE, blank=True, default="", db_default="")
    tokens = models.PositiveIntegerField(default=0, db_default=0)
    position = models.PositiveIntegerField(default=0)
    definition = QuickJSONField()
    definition_hash = models.CharField(max_length=64)
    pinned_definition = QuickJSONField()
    pinned_hash = models.CharField(max_length=64)
    pinned_at = models.DateTimeField(auto_now_add=True)
    listed_at = models.DateTimeField()
    gone = models.BooleanField(default=False)
    policy = models.CharField(max_length=5, blank=True)
    risk = models.CharField(max_length=6, blank=True)
    effect = models.CharField(max_length=10, blank=True)
    approvers = models.CharField(max_length=11, blank=True, default="", db_default="")

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["server", "name"], name="tool_name_once_per_server")]
        indexes: ClassVar = [
            models.Index(fields=["server", "gone", "name", "title"], name="tool_words"),
            models.Index(fields=["server"], name="tool_changed", condition=CHANGED),
        ]
        ordering: ClassVar = ["position", "name"]

    def __str__(self) -> str:
        return f"{self.server}/{self.name}"


class ContentList(models.Model):
    """What a server's resources (with their templates) or prompts were when somebody accepted them, and last.

    Both are {key: definition}, the key as in `contents.changes`. `person` = whose list it is, where members use
    credentials of their own; null = the team's.
    """

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="+", db_index=False)
    person = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    kind = models.CharField(max_length=9)
    accepted = models.JSONField()
    listed = models.JSONField()
    accepted_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["server", "kind", "person"], name="contents_once_per_person"),
            models.UniqueConstraint(
                fields=["server", "kind"], name="contents_once_per_team", condition=models.Q(person__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.server_id}"


class Grant(models.Model):
    """A remembered approval: "always for this tool in this workflow" or "always for exactly these arguments".

    Bound to the hash of the definition and the server's revision; a change of either voids it. `workflow` holds a
    run's id where the approval is "for this run". `expressions` = the digest of what the document wrote for the
    arguments when the tool was allowed, "" where a model wrote them; NULL = whatever they are (others, older ones).
    `people` = who agreed, where there were several; it covers a call only where they are enough for its rule.
    """

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="grants")
    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="grants")
    tool = models.CharField(max_length=255)
    workflow = models.CharField(max_length=40)
    definition_hash = models.CharField(max_length=64)
    server_revision = models.PositiveIntegerField()
    arguments_hash = models.CharField(max_length=64, blank=True)
    expressions = models.CharField(max_length=64, null=True)  # noqa: DJ001 - NULL and "" differ
    people = models.JSONField(default=list, db_default=[])
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["server", "-created_at", "-id"], name="grant_newest")]

    def __str__(self) -> str:
        return f"grant for {self.tool}"


class RunGrant(models.Model):
    """An approval "for this run" of a tool whose source has no row: a declared server, a workflow used as a tool.

    Bound to the hashes of the definition and of the source's configuration, like a `Grant`.
    """

    run = models.CharField(max_length=40)
    source = models.CharField(max_length=255)
    tool = models.CharField(max_length=255)
    definition_hash = models.CharField(max_length=64)
    server_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["run", "source", "tool", "definition_hash", "server_hash"], name="approved_once_for_a_run"
            )
        ]

    def __str__(self) -> str:
        return f"grant for {self.tool}"


class Declaration(models.Model):
    """A server declared inside a document or node, by the hash of its configuration; works only once approved.

    `pinned` = {tool: hash of its definition when first listed or accepted}, `package` as of a server. Of an agent
    `card` is as `connecting.declared_cards` keeps it, up to megabytes of JSON, so it is read only where it is wanted;
    `changed` = how many of its skills are not as they were accepted. Deciding anew forgets all of them.
    """

    class State(models.TextChoices):
        """What an admin said."""

        WAITING = "waiting"
        APPROVED = "approved"
        REJECTED = "rejected"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="declarations")
    hash = models.CharField(max_length=64)
    name = models.CharField(max_length=63)
    config = models.JSONField()
    pinned = models.JSONField(default=dict)
    package = models.JSONField(default=dict, db_default={})
    card = models.JSONField(default=dict, db_default={})
    changed = models.PositiveIntegerField(default=0, db_default=0)
    workflow = models.CharField(max_length=40, blank=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    decided_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "hash"], name="declaration_once_per_team")]

    def __str__(self) -> str:
        return self.name


class ProgramApproval(QuickRow):
    """An operator's decision about a program that a team wants started here, by the hash of its whole configuration.

    `config` = {command, args, env: names, cwd} as they may be shown, and `package` where it is about a new version of
    what an approved program is started from. `server` = the server that asks, empty for an
    unsaved test or a declaration. `basis` = whose word an approval is.
    """

    class State(models.TextChoices):
        """What an operator said."""

        WAITING = "waiting"
        APPROVED = "approved"
        REJECTED = "rejected"

    class Asked(models.TextChoices):
        """For what it was asked."""

        SERVER = "server"
        TEST = "test"
        DECLARATION = "declaration"

    class Basis(models.TextChoices):
        """An operator's word; there before approvals were asked for; came along with Patchbay."""

        OPERATOR = "operator"
        EARLIER = "earlier"
        INCLUDED = "included"

    id = models.CharField(primary_key=True, max_length=40, default=approval_id, editable=False)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="program_approvals")
    hash = models.CharField(max_length=64)
    name = models.CharField(max_length=200)
    config = models.JSONField()
    asked_for = models.CharField(max_length=11, choices=Asked.choices)
    server = models.CharField(max_length=40, blank=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    basis = models.CharField(max_length=8, choices=Basis.choices, default=Basis.OPERATOR)
    requested_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    decided_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "hash"], name="approval_once_per_team")]

    def __str__(self) -> str:
        return self.name
