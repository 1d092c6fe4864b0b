"""What requests about servers may hold."""

from __future__ import annotations

import re
from typing import Any

from rest_framework import serializers

from backend.registry.configuration.documents import MOST_CHARACTERS, ReadDocument, read_document
from backend.registry.configuration.oauth_client import AUTH_METHODS, BY_MACHINE, BY_PERSON
from backend.registry.models import Server
from backend.registry.programs.serializers import FolderSerializer
from backend.secrets.serializers import OwnKeysSerializer
from backend.server_signin.assertions import algorithm_of
from backend.web.fields import HEADER_NAME, HEADER_VALUE, LONGEST_TEXT, SLUG, NamedTexts, Text, secret_texts

MOST = 1000
"""Servers that one member may switch off."""
CLIENT = re.compile(r"\A[\x20-\x7e]+\Z")
"""A client's id or secret (RFC 6749, appendix A)."""
MODELSCOPE_ID = re.compile(r"\A@?[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}\Z")
"""What ModelScope calls a server: whose it is and its name."""
ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ServerInputSerializer(serializers.Serializer[Any]):
    """A server as a person writes it. On PATCH an absent field is unchanged and null removes it."""

    name = serializers.CharField(max_length=200, required=False)
    slug = serializers.RegexField(SLUG, max_length=63, required=False, allow_null=True, help_text="Only on creation.")
    description = Text(required=False, allow_blank=True, allow_null=True)
    transport = serializers.ChoiceField(Server.Transport.choices, required=False)
    url = serializers.CharField(max_length=LONGEST_TEXT, required=False, allow_blank=True, allow_null=True)
    url_secret = serializers.BooleanField(required=False, allow_null=True)
    document = serializers.CharField(
        max_length=MOST_CHARACTERS,
        required=False,
        write_only=True,
        help_text="Of an API: its OpenAPI document (3.0, 3.1, Swagger 2.0) as JSON or YAML.",
    )
    document_url = serializers.CharField(
        max_length=LONGEST_TEXT,
        required=False,
        allow_blank=True,
        allow_null=True,
        help_text="Instead: where it is read, without credentials, when the tools are listed. "
        "Of an agent: where its card is read; empty = at the usual path below its address.",
    )
    expires_at = serializers.DateTimeField(required=False, allow_null=True)
    command = serializers.CharField(max_length=LONGEST_TEXT, required=False, allow_blank=True, allow_null=True)
    args = serializers.ListField(child=Text(allow_blank=True), max_length=200, required=False, allow_null=True)
    env = NamedTexts(ENV_NAME, "a name of an environment variable", required=False, allow_null=True)
    secret_env = secret_texts(ENV_NAME, "a name of an environment variable")
    cwd = Text(required=False, allow_blank=True, allow_null=True)
    auth_type = serializers.ChoiceField(Server.AuthType.choices, required=False, allow_null=True)
    api_key = serializers.CharField(max_length=LONGEST_TEXT, required=False, allow_blank=True, allow_null=True)
    api_key_header = serializers.RegexField(HEADER_NAME, max_length=100, required=False, allow_null=True)
    api_key_in = serializers.ChoiceField(
        Server.KeyPlace.choices, required=False, allow_null=True, help_text="Elsewhere than in a header only of an API."
    )
    oauth_client_id = serializers.RegexField(
        CLIENT,
        max_length=2000,
        required=False,
        allow_null=True,
        allow_blank=True,
        help_text="Only where the authorization server lets no client register itself.",
    )
    oauth_client_secret = serializers.RegexField(
        CLIENT, max_length=2000, required=False, allow_null=True, allow_blank=True, write_only=True
    )
    oauth_grant = serializers.ChoiceField(
        [BY_PERSON, BY_MACHINE],
        required=False,
        allow_null=True,
        help_text="Who signs in: a person (authorization_code), or Patchbay itself (client_credentials).",
    )
    oauth_client_auth = serializers.ChoiceField(
        AUTH_METHODS,
        required=False,
        allow_null=True,
        allow_blank=True,
        help_text="How Patchbay itself proves who it is; empty = a secret, sent as the authorization server takes it.",
    )
    oauth_private_key = Text(
        required=False,
        allow_null=True,
        allow_blank=True,
        write_only=True,
        help_text="For private_key_jwt, as PEM: an EC key on P-256 (ES256) or an RSA key (RS256).",
    )
    oauth_key_id = serializers.RegexField(
        CLIENT,
        max_length=200,
        required=False,
        allow_null=True,
        allow_blank=True,
        help_text="What the authorization server calls the key (kid), where it has several.",
    )
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

    def validate_document(self, value: str) -> ReadDocument:
        """Read here, before any transaction: a large one takes a while."""
        return read_document(value)

    def validate_oauth_private_key(self, value: str | None) -> str | None:
        """One that Patchbay can sign with."""
        try:
            if value and value.strip():
                algorithm_of(value)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from None
        return (value or "").strip()

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


class ApiDocumentSerializer(serializers.Serializer[Any]):
    """An OpenAPI document to look at: one of the two."""

    document = serializers.CharField(max_length=MOST_CHARACTERS, required=False, help_text="JSON or YAML.")
    url = serializers.CharField(max_length=LONGEST_TEXT, required=False, help_text="Where it is read.")

    def validate_document(self, value: str) -> ReadDocument:
        """As it is read."""
        return read_document(value)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Exactly one is given."""
        if len(attrs) != 1:
            raise serializers.ValidationError({"document": "give either a document or its address"})
        return attrs


class SignInAtSerializer(serializers.Serializer[Any]):
    """Where to sign in."""

    server = serializers.CharField(max_length=40, help_text="The server's id.")


class ReturnedSerializer(serializers.Serializer[Any]):
    """The parameters that an authorization server put into the address it sent a person back to."""

    state = serializers.CharField(max_length=200)
    code = serializers.CharField(max_length=LONGEST_TEXT, required=False, allow_blank=True, default="")
    iss = serializers.CharField(max_length=2000, required=False, allow_blank=True, default="")
    error = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")
    error_description = serializers.CharField(max_length=2000, required=False, allow_blank=True, default="")


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


class CardVersionSerializer(serializers.Serializer[Any]):
    """Which skills of an agent are accepted."""

    version = serializers.CharField(max_length=64, help_text="The `version` that was shown with them.")


class FindInputSerializer(serializers.Serializer[Any]):
    """What to look for in which MCP registry."""

    at = serializers.CharField(max_length=500, help_text="The registry's base address; its v0.1 API is asked.")
    q = serializers.CharField(max_length=200, required=False, allow_blank=True, default="", help_text="Words to find.")
    cursor = serializers.CharField(
        max_length=500, required=False, allow_blank=True, default="", help_text="`next` of the page before."
    )


class ModelScopeFindSerializer(serializers.Serializer[Any]):
    """What to look for in ModelScope's list."""

    q = serializers.CharField(max_length=200, required=False, allow_blank=True, default="", help_text="Words to find.")
    cursor = serializers.ChoiceField(
        ["", "2", "3", "4", "5"], required=False, default="", help_text="`next` of the page before."
    )


class ModelScopeServerSerializer(serializers.Serializer[Any]):
    """A server of ModelScope's list."""

    id = serializers.RegexField(MODELSCOPE_ID, max_length=210)


class ModelScopeTokenSerializer(serializers.Serializer[Any]):
    """A person's access token of ModelScope: used for this request, kept nowhere."""

    token = serializers.RegexField(r"\A[\x21-\x7e]+\Z", max_length=500, write_only=True)


class ModelScopeDeployedSerializer(ModelScopeTokenSerializer):
    """The same, with what of that person's servers is to be added."""

    only = serializers.ListField(
        child=serializers.RegexField(MODELSCOPE_ID, max_length=210),
        max_length=100,
        required=False,
        default=list,
        help_text="Ids of servers to add; none = look only.",
    )


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


class NewServersOffSerializer(serializers.Serializer[Any]):
    """The servers to switch off, by id or slug; all others are on."""

    servers = serializers.ListField(child=serializers.CharField(max_length=100), max_length=MOST)
