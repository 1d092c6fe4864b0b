"""Agents of others as one process: one made with A2A's own kit, and bad ones; what reached them is told at `/_log`.

`/kit` speaks A2A 1.0, `/old` 0.3, `/locked` wants `Authorization: Bearer agent-secret-key`, for its card too.
`/signed-{how}` want a token of the authorization server `issuer` (`tests.oauth_mcp_server`), of which they tell as
`how` says. Their skills: `echo` answers at once, `work` is a task that ends at `/_finish`, `ask` asks how many, `sign`
wants a sign-in until `/_finish`, `fail` fails, `things` gives files and data, `big` a large answer. All cards but those
of 0.3 have an `ETag`. `/odd/{mode}` are agents whose card or answers are no good, each as its mode says. `/_change`
changes the cards, `/_move` has them name another host, `/_forget` loses the tasks.
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from tests import forkserver

KEY = "agent-secret-key"
SKILLS = ("echo", "work", "ask", "sign", "fail", "things", "big")
PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452") + bytes(64)
ODD_CARDS = ("moved", "huge", "page", "words", "list", "grpc", "later", "nameless", "many")
"""Modes whose card is no good."""
SIGNED = ("challenge", "metadata", "openid", "flow", "split", "silent", "hidden", "old")
"""How one learns where to sign in: by the 401's metadata; by the card's address of metadata or of OpenID Connect, its
flow, a flow on two hosts; by nothing but the usual places; where the card is hidden, too; by a card of 0.3."""
FORBIDDEN = ("http://169.254.169.254/latest/meta-data", "file:///etc/passwd", "javascript:alert(1)")
"""Where the files of an answer of `/odd/links` are said to be, besides one of its own that tells when it is fetched."""


class SampleAgents:
    """The process, at a `port` of its own where it is to come back to the same address."""

    def __init__(self, port: int = 0, issuer: str = "") -> None:
        self._port, self._issuer = port, issuer

    def __enter__(self) -> SampleAgents:
        self._process = forkserver.double("-m", "tests.sample_agents", str(self._port), self._issuer)
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}"
        return self

    def __exit__(self, *exc: object) -> None:
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()

    def log(self, what: str) -> list[dict[str, Any]]:
        """What reached them of one kind: "send" (to a skill), "answer" (to a task), "get", "cancel", "card"."""
        with urlopen(f"{self.url}/_log") as answer:
            return [entry for entry in json.load(answer) if entry["what"] == what]

    def do(self, what: str) -> None:
        """Have them `finish`, `forget`, `change` or `move` (the card), or `reset` (the log, and all of that)."""
        with urlopen(f"{self.url}/_{what}") as answer:
            answer.read()


def card(url: str, *, old: bool = False, **more: Any) -> dict[str, Any]:
    """A card as JSON."""
    skills = [
        {
            "id": name,
            "name": name.title(),
            "description": f"It can {name}.",
            "tags": ["sample"],
            "examples": [f"Please {name}"],
        }
        for name in SKILLS
    ]
    common = {
        "name": "Sample agent",
        "description": "Shows what agents can do.",
        "version": "1.4",
        "capabilities": {"streaming": True},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": skills,
    }
    if old:
        return {**common, "url": url, "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0", **more}
    spoken = [{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]
    return {**common, "supportedInterfaces": spoken, **more}


def signing_in(how: str, issuer: str) -> dict[str, Any]:
    """What a card says of that, in a way of `SIGNED`."""
    page = issuer.replace("127.0.0.1", "localhost") if how == "split" else issuer
    flow = {"authorizationUrl": f"{page}/authorize", "tokenUrl": f"{issuer}/token", "scopes": {"read": "Use it"}}
    oauth: dict[str, Any] = {"flows": {"authorizationCode": flow}}
    if how == "metadata":
        oauth = {
            "flows": {"authorizationCode": flow, "clientCredentials": {"tokenUrl": flow["tokenUrl"], "scopes": {}}}
        }
        oauth["oauth2MetadataUrl"] = f"{issuer}/.well-known/oauth-authorization-server"
    scheme: dict[str, Any] = {"oauth2SecurityScheme": oauth}
    if how == "openid":
        at = f"{issuer}/.well-known/openid-configuration"
        scheme = {"openIdConnectSecurityScheme": {"openIdConnectUrl": at}}
    if how == "old":
        return {"securitySchemes": {"o": {"type": "oauth2", **oauth}}, "security": [{"o": ["read"]}]}
    if how not in ("metadata", "openid", "flow", "split"):
        return {}
    key = {"httpAuthSecurityScheme": {"scheme": "Bearer"}}
    wants = [{"schemes": {"k": {"list": []}}}, {"schemes": {"o": {"list": ["read"]}}}]
    return {"securitySchemes": {"k": key, "o": scheme}, "securityRequirements": wants}


def main() -> None:
    """Serve."""
    import uvicorn
    from a2a.server.agent_execution import AgentExecutor, RequestContext
    from a2a.server.events import EventQueue
    from a2a.server.request_handlers import DefaultRequestHandlerV2
    from a2a.server.routes import create_jsonrpc_routes
    from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
    from a2a.types.a2a_pb2 import AgentCard, Message, Part, Role, Task, TaskState, TaskStatus
    from a2a.utils.proto_utils import parse_lenient
    from google.protobuf.json_format import MessageToDict
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse, PlainTextResponse, Response
    from starlette.routing import Mount, Route

    log: list[dict[str, Any]] = []
    odd_asked: dict[str, int] = {}
    state: dict[str, Any] = {"finish": asyncio.Event(), "changed": 0, "moved": False}

    class Executor(AgentExecutor):
        async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
            message = context.message
            assert message is not None
            skill = str(MessageToDict(message.metadata).get("skillId") or "")
            text = context.get_user_input()
            if context.current_task is not None:
                log.append({"what": "answer", "text": text, "task": message.task_id, "id": message.message_id})
                await self.go_on(context, event_queue, text)
                return
            log.append({"what": "send", "skill": skill, "message": MessageToDict(message)})
            if skill == "echo":
                data = [part for part in message.parts if part.WhichOneof("content") != "text"]
                answer = Message(
                    message_id=f"answer-{len(log)}",
                    role=Role.ROLE_AGENT,
                    context_id=context.context_id or "",
                    parts=[Part(text=f"You said: {text}"), *data],
                )
                await event_queue.enqueue_event(answer)
                return
            submitted = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
            await event_queue.enqueue_event(
                Task(id=context.task_id, context_id=context.context_id, status=submitted, history=[message])
            )
            updater = TaskUpdater(event_queue, context.task_id or "", context.context_id or "")

            def words(said: str) -> Message:
                return updater.new_agent_message([Part(text=said)])

            if skill == "ask":
                await updater.requires_input(words("How many?"))
                return
            if skill == "sign":
                await updater.requires_auth(words("Sign in at https://login.example.org first."))
                await state["finish"].wait()
            elif skill == "work":
                await updater.start_work(words("half of it"))
                await state["finish"].wait()
            elif skill == "fail":
                await updater.failed(words("No room left."))
                return
            parts = [Part(text="42")]
            if skill == "things":
                link = Part(url="https://files.example.org/report.pdf", filename="report.pdf")
                parts += [Part(raw=PNG, media_type="image/png", filename="dot.png"), link]
                parts.append(parse_lenient({"data": {"count": 3, "ratio": 0.5}}, Part()))
            if skill == "big":
                parts = [Part(text="x" * 3_000_000)]
            await updater.add_artifact(parts, name="result")
            await updater.complete()

        async def go_on(self, context: RequestContext, event_queue: EventQueue, text: str) -> None:
            updater = TaskUpdater(event_queue, context.task_id or "", context.context_id or "")
            if text == "more":
                await updater.requires_input(updater.new_agent_message([Part(text="How many more?")]))
                return
            await updater.add_artifact([Part(text=f"You want {text}.")], name="result")
            await updater.complete()

        async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
            updater = TaskUpdater(event_queue, context.task_id or "", context.context_id or "")
            await updater.cancel()

    class Store(InMemoryTaskStore):
        """Tells who asked."""

    stores: list[Store] = []

    def handler() -> DefaultRequestHandlerV2:
        store = Store()
        stores.append(store)
        served = parse_lenient(card("http://agent"), AgentCard())
        return DefaultRequestHandlerV2(agent_executor=Executor(), task_store=store, agent_card=served)

    issuer = sys.argv[2]

    async def refusal(which: str, request: Request) -> Response | None:
        """What somebody is told who may not come in."""
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if which == "locked":
            return None if token == KEY else PlainTextResponse("who are you?", 401)
        if not which.startswith("signed-"):
            return None

        def holds() -> bool:
            with urlopen(f"{issuer}/introspect", urlencode({"token": token}).encode()) as answer:
                return bool(json.load(answer)["active"])

        if await asyncio.to_thread(holds):
            return None
        where = f"{base(request, whole=False)}/.well-known/oauth-protected-resource/{which}"
        named = f' resource_metadata="{where}"' if which in ("signed-challenge", "signed-hidden") else ""
        return PlainTextResponse("who are you?", 401, headers={"WWW-Authenticate": f"Bearer{named}"})

    async def resource(request: Request) -> Response:
        """The metadata of those that have some."""
        which = request.path_params["which"]
        if which.partition("/")[0] not in ("signed-challenge", "signed-hidden", "signed-silent"):
            return PlainTextResponse("none", 404)
        reply = {"resource": f"{base(request)}/{which.removesuffix('/rpc')}", "authorization_servers": [issuer]}
        return JSONResponse({**reply, "scopes_supported": ["read"]})

    class Door:
        """Before the kit: notes what is asked, wants the key where it is locked, and knows no task that it lost."""

        def __init__(self, app: Any, which: str) -> None:
            self.app, self.which = app, which

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            request = Request(scope, receive)
            refused = await refusal(self.which, request)
            if refused is not None:
                await refused(scope, receive, send)
                return
            body = await request.body()
            sent_request = json.loads(body or b"{}")
            name = {"GetTask": "get", "tasks/get": "get", "CancelTask": "cancel", "tasks/cancel": "cancel"}.get(
                sent_request.get("method")
            )
            if name:
                log.append(
                    {"what": name, "task": sent_request["params"]["id"], "version": request.headers.get("a2a-version")}
                )
            if name and sent_request["params"]["id"] in state.setdefault("lost", set()):
                error = {"code": -32001, "message": "Task not found"}
                await JSONResponse({"jsonrpc": "2.0", "id": sent_request["id"], "error": error})(scope, receive, send)
                return
            sent = False

            async def again() -> dict[str, Any]:
                nonlocal sent
                if sent:
                    return dict(await receive())
                sent = True
                return {"type": "http.request", "body": body, "more_body": False}

            await self.app(scope, again, send)

    def base(request: Request, *, whole: bool = True) -> str:
        """The address of all of them, or where it is not the `whole` app that was asked."""
        return str(request.base_url).rstrip("/") if whole else f"{request.url.scheme}://{request.url.netloc}"

    async def of_kit(request: Request) -> Response:
        which = request.path_params["which"]
        payload: dict[str, Any] = {"what": "card", "which": which, "status": 200}
        log.append({**payload, "authorization": request.headers.get("authorization")})
        refused = await refusal(which, request) if which in ("locked", "signed-hidden") else None
        if refused is not None:
            return refused
        old = which in ("old", "signed-old")
        more = signing_in(which.removeprefix("signed-"), issuer) if which.startswith("signed-") else {}
        value = card(f"{base(request)}/{which}/rpc", old=old, **more)
        if state["changed"]:
            value["skills"][0]["description"] = f"It can echo, as of day {state['changed']}."
        if old:
            return JSONResponse(value)
        if state["moved"]:
            value["supportedInterfaces"][0]["url"] = "https://elsewhere.example/a2a"
            return JSONResponse(value)
        headers = {"ETag": f'"day-{state["changed"]}"'}
        if request.headers.get("if-none-match") == headers["ETag"]:
            log[-1]["status"] = 304
            return Response(status_code=304, headers=headers)
        return JSONResponse(value, headers=headers)

    async def odd_card(request: Request) -> Response:
        mode = request.path_params["mode"]
        value = card(f"{base(request)}/odd/{mode}/rpc")
        if mode == "moved":
            value["supportedInterfaces"][0]["url"] = "https://elsewhere.example/a2a"
        elif mode == "huge":
            value["description"] = "x" * 10_000_000
        elif mode == "page":
            return Response("<html><body>Welcome</body></html>", media_type="text/html")
        elif mode == "words":
            return PlainTextResponse("an agent")
        elif mode == "list":
            return JSONResponse([value])
        elif mode == "grpc":
            value["supportedInterfaces"][0]["protocolBinding"] = "GRPC"
        elif mode == "later":
            value["supportedInterfaces"][0]["protocolVersion"] = "2.0"
        elif mode == "nameless":
            value["name"] = ""
        elif mode == "many":
            value["skills"] = [{"id": f"s{n}", "name": "s", "description": "d", "tags": []} for n in range(1000)]
        return JSONResponse(value)

    async def odd_rpc(request: Request) -> Response:
        mode, sent_request = request.path_params["mode"], json.loads(await request.body())
        method, odd_asked[mode] = sent_request["method"], odd_asked.get(mode, 0) + 1
        log.append({"what": "get" if method == "GetTask" else method, "mode": mode})
        working = {"id": "t1", "contextId": "c1", "status": {"state": "TASK_STATE_WORKING"}}
        answers: dict[str, Response] = {
            "html": Response("<html></html>", media_type="text/html"),
            "nojson": Response("{", media_type="application/json"),
            "array": JSONResponse([1, 2]),
            "nothing": JSONResponse({"jsonrpc": "2.0", "id": sent_request["id"]}),
            "down": PlainTextResponse("down", 503),
        }
        if mode in answers:
            return answers[mode]
        result: Any = {"task": working} if method == "SendMessage" else working
        if mode == "refuses" and method == "SendMessage":
            error = {"code": -32602, "message": "No such thing."}
            return JSONResponse({"jsonrpc": "2.0", "id": sent_request["id"], "error": error})
        if mode == "otherid" and method == "GetTask":
            result = {**working, "id": "t2"}
        elif mode == "noid":
            result = {"task": {**working, "id": ""}}
        elif mode == "shape":
            result = {"task": {"id": 1, "status": "fine"}}
        elif mode == "stateless" and method == "GetTask":
            result = {"id": "t1"}
        elif mode == "stopped" and method == "GetTask":
            result = {**working, "status": {"state": "TASK_STATE_CANCELED"}}
        elif mode == "steals" and method == "SendMessage":
            stolen = next(entry["task"] for entry in reversed(log) if "task" in entry)
            result = {"task": {**working, "id": stolen}}
        elif mode == "steals" and method == "GetTask":
            error = {"code": -32001, "message": "Task not found"}
            return JSONResponse({"jsonrpc": "2.0", "id": sent_request["id"], "error": error})
        elif mode == "links" and method == "SendMessage":
            links = [f"{base(request)}/odd/links/file", *FORBIDDEN]
            result = {"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"url": link} for link in links]}}
        elif mode == "parts" and method == "SendMessage":
            parts = [{"text": str(number)} for number in range(1000)]
            result = {"message": {"messageId": "m", "role": "ROLE_AGENT", "parts": parts}}
        elif mode == "comes" and method == "GetTask" and odd_asked[mode] in (2, 3):
            return PlainTextResponse("down", 503)
        elif mode == "comes" and method == "GetTask":
            result = {**working, "status": {"state": "TASK_STATE_COMPLETED"}}
            result["artifacts"] = [{"artifactId": "a", "parts": [{"text": "came back"}]}]
        return JSONResponse({"jsonrpc": "2.0", "id": sent_request["id"], "result": result})

    async def odd_file(request: Request) -> Response:
        log.append({"what": "fetched"})
        return PlainTextResponse("a file")

    async def told(request: Request) -> Response:
        return JSONResponse(log)

    async def does(request: Request) -> Response:
        what = request.path_params["what"]
        if what == "finish":
            state["finish"].set()
        elif what == "change":
            state["changed"] += 1
        elif what == "move":
            state["moved"] = True
        elif what == "forget":
            state.setdefault("lost", set()).update(entry["task"] for entry in log if entry["what"] == "get")
        else:
            log.clear()
            odd_asked.clear()
            state.update(finish=asyncio.Event(), changed=0, moved=False, lost=set())
        return PlainTextResponse("ok")

    kits = [
        Mount(
            f"/{which}",
            Door(Starlette(routes=create_jsonrpc_routes(handler(), "/rpc", enable_v0_3_compat=True)), which),
        )
        for which in ("kit", "old", "locked", *(f"signed-{how}" for how in SIGNED))
    ]
    app = Starlette(
        routes=[
            Route("/_log", told),
            Route("/_{what}", does),
            Route("/.well-known/oauth-protected-resource/{which:path}", resource),
            Route("/odd/{mode}/.well-known/agent-card.json", odd_card),
            Route("/odd/{mode}/rpc", odd_rpc, methods=["POST"]),
            Route("/odd/{mode}/file", odd_file),
            Route("/{which}/.well-known/agent-card.json", of_kit),
            *kits,
        ]
    )
    listening = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])


if __name__ == "__main__":
    main()
