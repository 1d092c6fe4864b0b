"""The shapes of the registry's API: what requests may hold, and how answers are described to OpenAPI."""

from __future__ import annotations

import re
from typing import Any

from rest_framework import serializers

from backend.registry.models import Server
from backend.registry.serializers_operator import ApprovalSerializer
from backend.registry.switches import MOST
from backend.registry.tool_serializers import ToolSerializer
from backend.secrets.own_shapes import OwnCredentialsSerializer, OwnKeysSerializer
from backend.web.fields import (
    HEADER_NAME,
    HEADER_VALUE,
    LONGEST_TEXT,
    SLUG,
    NamedTexts,
    SecretStateSerializer,
    StageSerializer,
    Text,
    WordsSerializer,
    secret_texts,
)

ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class FolderSerializer(serializers.Serializer[Any]):
    """A file or folder that a box shows."""

    path = Text(help_text="Absolute.")
    write = serializers.BooleanField(required=False, default=False)

    def validate_path(self, value: str) -> str:
        """Somewhere on this machine, whatever the folder a program is started in."""
        if not value.startswith("/") or "\0" in value:
            raise serializers.ValidationError("must be an absolute path")
        return value


class BoxSerializer(serializers.Serializer[Any]):
    """What a program is started in here."""

    kind = serializers.ChoiceField(
        ["bwrap", "launcher", "limits", "open"],
        help_text="bwrap, launcher: a box. limits: this machine gives none. open: the program is started in none.",
    )
    reason = serializers.ChoiceField(
        ["", "decided", "undecided", "trusted_command", "machine"], help_text="Why there is no box."
    )
    folders = FolderSerializer(many=True, help_text="What it sees besides the system, its own files and its home.")
    broad = serializers.ListField(
        child=serializers.CharField(), help_text="Paths of its arguments that are too much to show unasked."
    )
    network = serializers.BooleanField()
    memory_mb = serializers.IntegerField()
    processes = serializers.IntegerField()
    files = serializers.IntegerField()
    file_mb = serializers.IntegerField()
    home_mb = serializers.IntegerField(help_text="Its home in all; it is ended soon after it holds more. 0 = no limit.")
    cpu_s = serializers.IntegerField()
    as_a_whole = serializers.BooleanField(
        help_text="Memory and processes are counted over everything it starts; else for each process by itself."
    )


class PackageSerializer(serializers.Serializer[Any]):
    """The package that `npx` or `uvx` names, at the exact version that is started."""

    managed = serializers.BooleanField(
        help_text="Installed in a step of its own, and started by itself. Off: npx or uvx runs at every start."
    )
    name = serializers.CharField(allow_blank=True)
    version = serializers.CharField(allow_blank=True, help_text="Empty = not installed yet.")
    integrity = serializers.CharField(
        allow_blank=True, help_text="Digest of its archive (npm), or those of its files (PyPI)."
    )
    pinned_at = serializers.DateTimeField(allow_null=True)
    looked_at = serializers.DateTimeField(allow_null=True, help_text="When it was last asked for a newer version.")
    offered = serializers.CharField(allow_blank=True, help_text="A newer version; used once an admin accepts it.")


class NewPackageSerializer(serializers.Serializer[Any]):
    """A version to be used from now on."""

    version = Text(max_length=200, help_text="The one that is offered.")


class ServerInputSerializer(serializers.Serializer[Any]):
    """A server as a person writes it. On PATCH an absent field is unchanged and null removes it."""

    name = serializers.CharField(max_length=200, required=False)
    slug = serializers.RegexField(SLUG, max_length=63, required=False, allow_null=True, help_text="Only on creation.")
    description = Text(required=False, allow_blank=True, allow_null=True)
    transport = serializers.ChoiceField(Server.Transport.choices, required=False)
    url = serializers.CharField(max_length=LONGEST_TEXT, required=False, allow_blank=True, allow_null=True)
    url_secret = serializers.BooleanField(required=False, allow_null=True)
    expires_at = serializers.DateTimeField(required=False, allow_null=True)
    command = serializers.CharField(max_length=LONGEST_TEXT, required=False, allow_blank=True, allow_null=True)
    args = serializers.ListField(child=Text(allow_blank=True), max_length=200, required=False, allow_null=True)
    env = NamedTexts(ENV_NAME, "a name of an environment variable", required=False, allow_null=True)
    secret_env = secret_texts(ENV_NAME, "a name of an environment variable")
    cwd = Text(required=False, allow_blank=True, allow_null=True)
    auth_type = serializers.ChoiceField(Server.AuthType.choices, required=False, allow_null=True)
    api_key = serializers.CharField(max_length=LONGEST_TEXT, required=False, allow_blank=True, allow_null=True)
    api_key_header = serializers.RegexField(HEADER_NAME, max_length=100, required=False, allow_null=True)
    headers = NamedTexts(HEADER_NAME, "a name of a header", HEADER_VALUE, required=False, allow_null=True)
    secret_headers = secret_texts(HEADER_NAME, "a name of a header", HEADER_VALUE)
    timeout_ms = serializers.IntegerField(min_value=1, max_value=3_600_000, required=False, allow_null=True)
    visibility = serializers.ChoiceField(Server.Visibility.choices, required=False, allow_null=True)
    enabled = serializers.BooleanField(required=False, allow_null=True)
    session = serializers.ChoiceField(Server.Session.choices, required=False, allow_null=True)
    credentials = serializers.ChoiceField(Server.Credentials.choices, required=False, allow_null=True)
    asks = serializers.BooleanField(required=False, allow_null=True)
    trust_annotations = serializers.BooleanField(required=False, allow_null=True)
    max_runs = serializers.IntegerField(
        min_value=1,
        max_value=1_000_000,
        required=False,
        allow_null=True,
        help_text="So many runs use it at once at most; further ones wait in the queue. null = no limit.",
    )
    max_calls = serializers.IntegerField(
        min_value=1,
        max_value=1000,
        required=False,
        allow_null=True,
        help_text="One connection carries so many calls at once at most; further ones wait. null = 64.",
    )
    box = serializers.ChoiceField(
        [Server.Box.BOXED, Server.Box.OPEN],
        required=False,
        allow_null=True,
        help_text="What a program is started in; open = in no box, it may do what Patchbay itself may.",
    )
    folders = serializers.ListField(
        child=FolderSerializer(),
        required=False,
        allow_null=True,
        max_length=100,
        help_text="What its box shows of the disk. null = the folders that are plain in its arguments.",
    )
    network = serializers.BooleanField(
        required=False, allow_null=True, help_text="Off: its box has no network, this machine's own included."
    )

    def validate_auth_type(self, value: str | None) -> str | None:
        """OAuth needs a person's sign-in at the server, which this version does not offer."""
        if value == Server.AuthType.OAUTH:
            raise serializers.ValidationError("oauth is not available in this version; use a bearer token")
        return value

    def validate_api_key(self, value: str | None) -> str | None:
        """A key travels in a header."""
        if value and not HEADER_VALUE.fullmatch(value):
            raise serializers.ValidationError("must be printable ASCII without line breaks")
        return value


class OwnServerKeysSerializer(OwnKeysSerializer):
    """One's own credentials at a server. Absent is unchanged, null or empty removes."""

    secret_env = secret_texts(ENV_NAME, "a name of an environment variable")


class NewServerSerializer(ServerInputSerializer):
    """A new server: its own fields, or `{preset, values: {NAME: value}}` with fields that differ from the preset."""

    preset = serializers.CharField(max_length=80, required=False, allow_null=True)
    values = serializers.DictField(child=Text(allow_blank=True), required=False, write_only=True)


class TrialServerSerializer(NewServerSerializer):
    """An unsaved configuration to test. With `server` it is laid over that saved server, secrets included."""

    server = serializers.CharField(max_length=80, required=False, write_only=True)


class ServerStatusSerializer(serializers.Serializer[Any]):
    """What the last test, refresh or connection found."""

    state = serializers.ChoiceField(["ok", "error", "unknown"])
    code = serializers.CharField(allow_null=True)
    message = serializers.CharField()
    hint = serializers.CharField()
    checked_at = serializers.DateTimeField(allow_null=True)
    latency_ms = serializers.FloatField(allow_null=True)
    protocol = serializers.CharField(allow_null=True)
    server_name = serializers.CharField(allow_null=True)
    server_version = serializers.CharField(allow_null=True)
    tool_count = serializers.IntegerField(allow_null=True)


class ServerSerializer(serializers.Serializer[Any]):
    """A registered MCP server. Secrets are never read back."""

    id = serializers.CharField()
    name = serializers.CharField()
    slug = serializers.CharField()
    description = serializers.CharField()
    transport = serializers.ChoiceField(Server.Transport.choices)
    url = serializers.CharField(help_text="Masked where url_secret is on.")
    url_secret = serializers.BooleanField()
    expires_at = serializers.DateTimeField(allow_null=True)
    command = serializers.CharField()
    args = serializers.ListField(child=serializers.CharField())
    env = serializers.DictField(child=serializers.CharField())
    secret_env = serializers.DictField(child=SecretStateSerializer())
    cwd = serializers.CharField()
    auth_type = serializers.ChoiceField(Server.AuthType.choices)
    api_key_set = serializers.BooleanField()
    api_key_hint = serializers.CharField()
    api_key_header = serializers.CharField()
    headers = serializers.DictField(child=serializers.CharField())
    secret_headers = serializers.DictField(child=SecretStateSerializer())
    timeout_ms = serializers.IntegerField()
    preset = serializers.CharField()
    visibility = serializers.ChoiceField(Server.Visibility.choices)
    enabled = serializers.BooleanField()
    session = serializers.ChoiceField(Server.Session.choices)
    credentials = serializers.ChoiceField(Server.Credentials.choices)
    own_credentials = OwnCredentialsSerializer(
        allow_null=True, help_text="What you entered for yourself; null where credentials are shared."
    )
    asks = serializers.BooleanField()
    trust_annotations = serializers.BooleanField()
    max_runs = serializers.IntegerField(
        allow_null=True, help_text="So many runs use it at once at most; null = no limit."
    )
    max_calls = serializers.IntegerField(
        allow_null=True, help_text="One connection carries so many calls at once at most; null = 64."
    )
    approval = ApprovalSerializer(allow_null=True, help_text="null where it starts no program.")
    box = serializers.ChoiceField(
        Server.Box.choices, help_text="undecided: as before there were boxes, until somebody decides."
    )
    folders = FolderSerializer(many=True, allow_null=True)
    network = serializers.BooleanField()
    boxed_as = BoxSerializer(allow_null=True, help_text="What comes of it here; null where nothing is started.")
    package = PackageSerializer(allow_null=True, help_text="null where neither npx nor uvx starts it.")
    status = ServerStatusSerializer()
    workflows = serializers.IntegerField(help_text="How many workflows name this server.")
    changed_tools = serializers.IntegerField(help_text="Tools whose definition changed and waits to be accepted.")
    created_by = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()


class ServerListSerializer(serializers.Serializer[Any]):
    """A page of servers."""

    results = ServerSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ExchangeSerializer(serializers.Serializer[Any]):
    """Status and headers of one HTTP answer, and of what was asked, without secrets."""

    method = serializers.CharField()
    url = serializers.CharField()
    sent = serializers.DictField(child=serializers.CharField(), help_text="Headers of the request.")
    status = serializers.IntegerField()
    headers = serializers.DictField(child=serializers.CharField(), help_text="Headers of the answer.")


class MessageSerializer(serializers.Serializer[Any]):
    """One message on the wire, masked."""

    at_ms = serializers.FloatField(allow_null=True, help_text="Milliseconds since the beginning.")
    direction = serializers.ChoiceField(["out", "in"])
    message = serializers.JSONField(required=False)
    raw = serializers.CharField(required=False, help_text="What was no message, or one too long to show whole.")
    http = ExchangeSerializer(required=False, help_text="Instead of both: how HTTP answered what went out before.")


class ServerIdentitySerializer(serializers.Serializer[Any]):
    """What a server calls itself."""

    name = serializers.CharField(allow_null=True)
    version = serializers.CharField(allow_null=True)


class TestSerializer(serializers.Serializer[Any]):
    """A connection test: every stage with its time; the first that failed says why and what to do."""

    __test__ = False

    ok = serializers.BooleanField()
    stages = StageSerializer(many=True)
    code = serializers.CharField(allow_null=True)
    message = serializers.CharField(allow_blank=True)
    hint = serializers.CharField(allow_blank=True)
    messages = MessageSerializer(many=True)
    stderr = serializers.ListField(child=serializers.CharField(), help_text="Last lines of a program, masked.")
    ms = serializers.FloatField()
    protocol = serializers.CharField(allow_null=True)
    server = ServerIdentitySerializer()
    capabilities = serializers.JSONField()
    tools = ToolSerializer(many=True)
    tool_count = serializers.IntegerField(help_text="How many tools were found, also those that are not carried here.")


class CallInputSerializer(serializers.Serializer[Any]):
    """A direct call. `confirm` answers the question that the gate would ask."""

    server = serializers.CharField(max_length=80)
    tool = serializers.CharField(max_length=255)
    arguments = serializers.JSONField(required=False)
    confirm = serializers.BooleanField(required=False, default=False)

    def validate_arguments(self, value: Any) -> Any:
        """Arguments are an object."""
        if not isinstance(value, dict):
            raise serializers.ValidationError("must be an object")
        return value


class CallSerializer(serializers.Serializer[Any]):
    """A tool's answer and the raw messages around it."""

    content = serializers.ListField(child=serializers.JSONField())
    structured = serializers.JSONField(allow_null=True)
    text = serializers.CharField(allow_blank=True)
    is_error = serializers.BooleanField()
    ms = serializers.FloatField()
    messages = MessageSerializer(many=True)


class PresetFieldSerializer(serializers.Serializer[Any]):
    """A value that a preset asks for. `in` says where it goes; only `arg` is no secret."""

    name = serializers.CharField()
    placeholder = serializers.CharField(required=False)

    def get_fields(self) -> dict[str, Any]:
        """Some names are words of Python or of the base class, so they are added here."""
        more = {
            "label": WordsSerializer(),
            "required": serializers.BooleanField(),
            "in": serializers.ChoiceField(["env", "header", "url", "arg"]),
        }
        return {**super().get_fields(), **more}


class PresetSerializer(serializers.Serializer[Any]):
    """A ready configuration that lacks only what `secrets` and `inputs` name."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(["modelscope", "reference", "custom"])
    name = WordsSerializer()
    description = WordsSerializer()
    transport = serializers.ChoiceField(Server.Transport.choices)
    url = serializers.CharField(required=False)
    command = serializers.CharField(required=False)
    args = serializers.ListField(child=serializers.CharField(), required=False)
    modelscope_id = serializers.CharField(required=False)
    page = serializers.CharField(required=False, help_text="A page that says more.")
    secrets = PresetFieldSerializer(many=True)
    inputs = PresetFieldSerializer(many=True)
    tools = serializers.ListField(child=serializers.CharField())
    available = serializers.BooleanField(help_text="False where this installation starts no programs.")


class PresetListSerializer(serializers.Serializer[Any]):
    """All presets."""

    results = PresetSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ImportInputSerializer(serializers.Serializer[Any]):
    """Another client's configuration, as text or JSON; or that document itself as the whole body."""

    config = serializers.JSONField(
        help_text="The document, or any text that holds one: JSON (also a piece, with comments), TOML, YAML, "
        "an install link, `claude mcp add …`, an address."
    )
    only = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="Names to take; absent = all."
    )
    preview = serializers.BooleanField(
        required=False, default=False, help_text="Say what would be created; create nothing."
    )
    values = serializers.DictField(
        child=serializers.DictField(child=serializers.CharField(allow_blank=True)),
        required=False,
        write_only=True,
        help_text="Answers to questions: {server: {question: answer}}.",
    )


class SkippedSerializer(serializers.Serializer[Any]):
    """An entry that was not taken, and why."""

    name = serializers.CharField()
    reason = serializers.CharField()


class ImportQuestionSerializer(serializers.Serializer[Any]):
    """A value that a configuration leaves open. Without it a secret stays unset, and anything else is not taken."""

    id = serializers.CharField()
    where = serializers.ChoiceField(["command", "args", "cwd", "env", "url", "headers"])
    description = serializers.CharField(allow_blank=True)
    secret = serializers.BooleanField()
    choices = serializers.ListField(child=serializers.CharField())
    multiple = serializers.BooleanField(help_text="Several values, one a line.")
    token = serializers.CharField(allow_blank=True, help_text="What stands in its place in the document.")

    def get_fields(self) -> dict[str, Any]:
        """Some names are words of the base class, so they are added here."""
        more = {
            "label": serializers.CharField(),
            "required": serializers.BooleanField(),
            "default": serializers.CharField(allow_blank=True),
        }
        return {**super().get_fields(), **more}


class FoundServerSerializer(serializers.Serializer[Any]):
    """A server that an import would create."""

    name = serializers.CharField()
    transport = serializers.ChoiceField(Server.Transport.choices)
    target = serializers.CharField(help_text="Its masked URL, or its command line.")
    secrets = serializers.ListField(child=serializers.CharField(), help_text="Names that are stored encrypted.")
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="Secrets whose value is still to be given."
    )
    questions = ImportQuestionSerializer(many=True, help_text="Placeholders; `values` answers them.")
    denied = serializers.ListField(
        child=serializers.CharField(), help_text="Patterns of tools that get the policy deny."
    )
    allowed = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="All other tools get the policy deny. null = no list."
    )
    notes = serializers.ListField(child=serializers.CharField(), help_text="What could not be taken over.")
    alternative = serializers.BooleanField(
        help_text="Another way to the server before it; taken only where `only` names it."
    )


class ImportSerializer(serializers.Serializer[Any]):
    """What an import did, or would do."""

    created = ServerSerializer(many=True)
    skipped = SkippedSerializer(many=True)
    found = FoundServerSerializer(many=True)
    dialect = serializers.CharField(help_text="Whose format it looks like.")


class DeclarationSerializer(serializers.Serializer[Any]):
    """A server declared inside a document, by the hash of its configuration."""

    hash = serializers.CharField()
    name = serializers.CharField()
    config = serializers.JSONField()
    workflow = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(["waiting", "approved", "rejected"])
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    approval = ApprovalSerializer(allow_null=True, help_text="null where it starts no program.")


class DeclarationListSerializer(serializers.Serializer[Any]):
    """A page of declarations."""

    results = DeclarationSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class ResourceListSerializer(serializers.Serializer[Any]):
    """A server's resources and templates, as it describes them."""

    results = serializers.ListField(child=serializers.JSONField())
    templates = serializers.ListField(child=serializers.JSONField())
    next = serializers.CharField(allow_null=True)


class PromptListSerializer(serializers.Serializer[Any]):
    """A server's prompts, as it describes them."""

    results = serializers.ListField(child=serializers.JSONField())
    next = serializers.CharField(allow_null=True)


class ServerOffSerializer(serializers.Serializer[Any]):
    """A server that is switched off for models."""

    id = serializers.CharField()
    slug = serializers.CharField()
    name = serializers.CharField()


class ServersOffSerializer(serializers.Serializer[Any]):
    """Servers that models in one's own runs may not choose tools from."""

    servers = ServerOffSerializer(many=True)


class NewServersOffSerializer(serializers.Serializer[Any]):
    """The servers to switch off, by id or slug; all others are on."""

    servers = serializers.ListField(child=serializers.CharField(max_length=100), max_length=MOST)
