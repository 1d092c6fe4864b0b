"""One class per error code of the contract, with its HTTP status and whether trying again can help."""

from typing import Any, ClassVar

from backend.errors.catalogue import field_text, text_for


class PatchbayError(Exception):
    """An error with a code that its reader can look up.

    `params` are JSON values for the catalogue's sentence (`reason` selects a more precise one), `detail` is JSON for
    the curious (raw answers, stderr lines, problems), `fields` names bad input: `{"inputs.n": ["must be an integer"]}`.
    """

    code: ClassVar[str] = "INTERNAL"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        *,
        params: dict[str, Any] | None = None,
        detail: Any = None,
        fields: dict[str, list[str]] | None = None,
    ) -> None:
        self.params = params or {}
        self.detail = detail
        self.fields = fields or {}
        super().__init__(f"{self.code}: {self.text('en')[0]}")

    def text(self, language: str) -> tuple[str, str]:
        """(message, hint) in `language` ("en" or "zh")."""
        return text_for(self.code, self.params, language)

    def as_json(self, language: str) -> dict[str, Any]:
        """The API's error body: `{code, message, detail, hint, fields}`.

        `fields` are in English where they are raised; what the catalogue knows of them is said in `language`.
        """
        message, hint = self.text(language)
        english = self.text("en")[0]

        def word(sentence: str) -> str:
            return message if sentence == english else field_text(sentence, language)

        fields = {path: [word(sentence) for sentence in sentences] for path, sentences in self.fields.items()}
        return {"code": self.code, "message": message, "detail": self.detail, "hint": hint, "fields": fields}


class McpError(PatchbayError):
    """A server or one of its tools failed. A call made directly over the API answers with `status`."""

    code, status = "MCP_PROTOCOL_ERROR", 502


class McpUnreachable(McpError):
    """The server gave no answer at all."""

    code, status, retryable = "MCP_UNREACHABLE", 502, True


class McpAuthFailed(McpError):
    """The server refused the credentials, or wants some and got none."""

    code, status = "MCP_AUTH_FAILED", 502


class McpProtocolError(McpError):
    """What answered does not speak MCP as it should."""

    code, status = "MCP_PROTOCOL_ERROR", 502


class McpTimeout(McpError):
    """The server did not answer in time; the call may have happened."""

    code, status, retryable = "MCP_TIMEOUT", 504, True


class McpToolNotFound(McpError):
    """The server has no tool of this name."""

    code, status = "MCP_TOOL_NOT_FOUND", 404


class McpInvalidParams(McpError):
    """The arguments do not fit the tool's input schema."""

    code, status = "MCP_INVALID_PARAMS", 400


class McpExecutionError(McpError):
    """The tool ran and answered with an error."""

    code, status = "MCP_EXECUTION_ERROR", 502


class McpParseError(McpError):
    """The answer is not readable; `detail` holds its beginning."""

    code, status = "MCP_PARSE_ERROR", 502


class McpPolicyDenied(McpError):
    """The tool's policy or a person refused the call."""

    code, status = "MCP_POLICY_DENIED", 403


class NetworkBlocked(PatchbayError):
    """The outbound guard refused an address."""

    code, status = "NETWORK_BLOCKED", 403


class LlmError(PatchbayError):
    """A model endpoint failed."""

    code, status = "LLM_BAD_RESPONSE", 502


class LlmAuthFailed(LlmError):
    """The endpoint refused the key."""

    code = "LLM_AUTH_FAILED"


class LlmRateLimited(LlmError):
    """The endpoint asks to slow down."""

    code, retryable = "LLM_RATE_LIMITED", True


class LlmUnreachable(LlmError):
    """The endpoint gave no answer at all."""

    code, retryable = "LLM_UNREACHABLE", True


class LlmTimeout(LlmError):
    """The endpoint did not answer in time."""

    code, status, retryable = "LLM_TIMEOUT", 504, True


class LlmBadResponse(LlmError):
    """The endpoint's answer cannot be used."""

    code = "LLM_BAD_RESPONSE"


class RunError(PatchbayError):
    """A step or a run failed for a reason other than a server or a model."""

    code, status = "INTERNAL", 500


class TemplateError(RunError):
    """An expression cannot be read or has no value."""

    code, status = "TEMPLATE_ERROR", 400


class GraphInvalid(RunError):
    """The graph has problems that keep it from running; `detail["problems"]` lists them."""

    code, status = "GRAPH_INVALID", 400


class BudgetExceeded(RunError):
    """A budget of tokens, cost, seconds or calls is used up."""

    code, status = "BUDGET_EXCEEDED", 409


class NodeTimeout(RunError):
    """The node worked longer than its `timeout_s`."""

    code, status = "NODE_TIMEOUT", 504


class WorkerLost(RunError):
    """The worker ended in the middle of a call, and nobody knows whether it happened (`unknown_outcome`); without a
    reason only in runs that earlier versions gave up."""

    code = "WORKER_LOST"


class ReplayMismatch(RunError):
    """What runs now is not what the journal says was started, or leaves out what it holds (`unasked`)."""

    code, status = "REPLAY_MISMATCH", 409


class ServerNotApproved(RunError):
    """A server declared inside a document waits for an admin."""

    code, status = "SERVER_NOT_APPROVED", 400


class SecretMissing(RunError):
    """A secret that the document names does not exist or may not go there."""

    code, status = "SECRET_MISSING", 400


class ResultTooLarge(RunError):
    """A result is larger than a blob may be."""

    code, status = "RESULT_TOO_LARGE", 502


class RunOverBudget(RunError):
    """A run holds more values, or computed longer, than one run may (`memory`, `cpu`)."""

    code = "RUN_OVER_BUDGET"


class HttpError(RunError):
    """An HTTP node got an answer that counts as an error."""

    code, status = "HTTP_ERROR", 502


class HttpUnreachable(RunError):
    """The host of an HTTP node did not answer; `params["sent"]` False = nothing of the request left."""

    code, status, retryable = "HTTP_UNREACHABLE", 502, True


class HttpTimeout(RunError):
    """The answer to an HTTP node did not come in time; the request may have happened."""

    code, status, retryable = "HTTP_TIMEOUT", 504, True


class CodeError(RunError):
    """A code node's source failed."""

    code = "CODE_ERROR"


class DocumentError(RunError):
    """A document node's file could not be read."""

    code, status = "DOCUMENT_ERROR", 400


class Cancelled(RunError):
    """A person cancelled the run."""

    code, status = "CANCELLED", 409


class RequestError(PatchbayError):
    """A request was refused."""

    code, status = "VALIDATION_ERROR", 400


class ValidationFailed(RequestError):
    """Bad input; `fields` names what and why."""

    code, status = "VALIDATION_ERROR", 400


class Unauthenticated(RequestError):
    """Nobody is signed in."""

    code, status = "UNAUTHENTICATED", 401


class SignatureInvalid(RequestError):
    """A webhook's caller did not prove that it knows the secret."""

    code, status = "SIGNATURE_INVALID", 401


class UnsupportedBody(RequestError):
    """A body of a kind that is not read."""

    code, status = "UNSUPPORTED_BODY", 415


class Forbidden(RequestError):
    """The person may not do this."""

    code, status = "FORBIDDEN", 403


class NotFound(RequestError):
    """It does not exist, or not for this person."""

    code, status = "NOT_FOUND", 404


class Conflict(RequestError):
    """The object's state does not allow this."""

    code, status = "CONFLICT", 409


class WorkflowBusy(RequestError):
    """As many runs of the workflow go on as may, and it refuses more; `detail` = `{run, limit}`, one that goes on."""

    code, status, retryable = "WORKFLOW_BUSY", 409, True


class StaleDraft(RequestError):
    """Somebody saved the draft in between; `detail` = `{revision, by, at}`."""

    code, status = "STALE_DRAFT", 409


class FailingTests(RequestError):
    """The workflow demands that its saved tests pass, and some do not; `detail` = `{tests: [{id, name, nodes}]}`."""

    code, status = "TESTS_FAILED", 409


class NotPublished(RequestError):
    """The workflow has no published version."""

    code, status = "NOT_PUBLISHED", 409


class AlreadyAnswered(RequestError):
    """Somebody answered this question before."""

    code, status = "ALREADY_ANSWERED", 409


class ApprovalRequired(RequestError):
    """The tool would ask a person first; `detail` holds the risk."""

    code, status = "APPROVAL_REQUIRED", 409


class ApprovalNeedsOthers(RequestError):
    """Somebody else must approve this: whoever started the run may not, or two people must."""

    code, status = "APPROVAL_NEEDS_OTHERS", 403


class TooLarge(RequestError):
    """The request or document is above the limit."""

    code, status = "TOO_LARGE", 413


class RateLimited(RequestError):
    """Too many requests; `params["retry_after"]` is in seconds."""

    code, status = "RATE_LIMITED", 429


class StorageFull(RequestError):
    """There is no room to keep what was asked for; nothing of it was begun."""

    code, status, retryable = "STORAGE_FULL", 503, True


class StorageReadOnly(RequestError):
    """The database takes no writes now, such as a standby; nothing of what was asked for was begun."""

    code, status, retryable = "STORAGE_READ_ONLY", 503, True


class StorageUnreachable(RequestError):
    """The database does not answer; whether a write that was under way was kept is not known."""

    code, status, retryable = "STORAGE_UNREACHABLE", 503, True


class InternalError(PatchbayError):
    """A defect of ours. The message says so and nothing about its inside."""

    code, status = "INTERNAL", 500


def _leaves(cls: type[PatchbayError]) -> list[type[PatchbayError]]:
    below = cls.__subclasses__()
    return [leaf for sub in below for leaf in _leaves(sub)] if below else [cls]


CODES: dict[str, type[PatchbayError]] = {leaf.code: leaf for leaf in _leaves(PatchbayError)}
"""Code → class, for errors that come back from storage."""


def error_for(code: str, params: dict[str, Any] | None = None, detail: Any = None) -> PatchbayError:
    """The error object for a stored `{code, params, detail}`; an unknown code becomes INTERNAL."""
    return CODES.get(code, InternalError)(params=params, detail=detail)
