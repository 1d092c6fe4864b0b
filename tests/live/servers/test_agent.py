"""An agent that has nothing but an MCP server, a real process, behind the gate; its model speaks over real HTTP."""

from __future__ import annotations

from backend.llm.client import open_endpoint
from backend.llm.config import EndpointConfig
from backend.net.rules import NetworkRules
from backend.tools.calls.gate import GatedToolSource
from backend.tools.calls.testing import PolicyTable
from backend.tools.mcp.pool import Pool
from backend.tools.mcp.source import McpToolSource
from tests.live.servers.demo import DEMO
from tests.llm_server import Call, LlmServer, has_result
from tests.unit.engine.engine_run import EngineRun, answer, flow


async def test_an_agent_answers_a_question_that_needs_its_tool(pool: Pool, llm: LlmServer) -> None:
    llm.reply(text="I look it up.", calls=[Call("demo__city_weather", {"city": "Lima"})])
    llm.say("It is 20 degrees in Lima.", when=has_result("Peru"))
    config = EndpointConfig(slug="llm", base_url=llm.url, key="sk-1234567", typed_address=True)
    endpoint = await open_endpoint(config, NetworkRules(loopback_for_typed=True))
    source = GatedToolSource(McpToolSource(pool, DEMO), PolicyTable())
    agent = {"provider": "llm", "model": "m", "query": "{{ start.q }}", "tools": {"servers": [{"server": "demo"}]}}
    engine_run = EngineRun(
        flow("start -> a -> fin", a=("agent", agent), fin=("end", {"outputs": {"text": "{{ a.text }}"}})),
        {"q": "How warm is it in Lima?"},
        {"demo": source},
        models={"llm": endpoint.model("scripted-1")},
    )
    end = await engine_run.run()
    await endpoint.close()
    assert end.outputs == {"text": "It is 20 degrees in Lima."}
    assert engine_run.output("a")["iterations"] == 2
    assert {"demo__city_weather", "demo__delete_record"} <= set(llm.requests[0].tools)
    streamed = "".join(line.data["text"] for line in engine_run.events if line.type == "TEXT_ADD")
    assert streamed == "I look it up.It is 20 degrees in Lima."


async def test_a_picture_of_a_tool_reaches_a_model_that_sees(pool: Pool, llm: LlmServer) -> None:
    llm.reply(calls=[Call("demo__chart", {"values": [1, 2, 3]})])
    llm.say("A picture.")
    config = EndpointConfig(slug="llm", base_url=llm.url, typed_address=True, features={"m": frozenset({"vision"})})
    endpoint = await open_endpoint(config, NetworkRules(loopback_for_typed=True))
    tools = {"servers": [{"server": "demo", "include": ["chart"]}]}
    agent = {"provider": "llm", "model": "m", "query": "Draw.", "tools": tools}
    source = GatedToolSource(McpToolSource(pool, DEMO), PolicyTable())
    engine_run = EngineRun(
        flow("start -> a", a=("agent", agent)), {}, {"demo": source}, models={"llm": endpoint.model("m")}
    )
    assert (await engine_run.run()).state == "SUCCESS"
    await endpoint.close()
    parts = llm.requests[1].messages[-1]["content"]
    assert parts[1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")


async def test_what_a_person_changed_in_a_call_is_on_the_wire(pool: Pool, llm: LlmServer) -> None:
    """The server gets what the person wrote, the model's endpoint reads that it was changed, the outputs say both."""
    llm.reply(calls=[Call("demo__delete_record", {"record": "r-1"})])
    llm.say("It is gone.")
    endpoint = await open_endpoint(
        EndpointConfig(slug="llm", base_url=llm.url, typed_address=True), NetworkRules(loopback_for_typed=True)
    )
    agent = {"provider": "llm", "model": "m", "query": "Delete.", "tools": {"servers": [{"server": "demo"}]}}
    source = GatedToolSource(McpToolSource(pool, DEMO), PolicyTable())
    engine_run = EngineRun(
        flow("start -> a", a=("agent", agent)), {}, {"demo": source}, models={"llm": endpoint.model("m")}
    )
    assert (await engine_run.run()).state == "WAITING"
    end = await engine_run.on(answer(engine_run.question().interaction, values={"record": "r-2"}))
    await endpoint.close()
    assert end.state == "SUCCESS"
    [call] = engine_run.output("a")["tool_calls"]
    assert (call["requested"], call["arguments"]) == ({"record": "r-1"}, {"record": "r-2"})
    content = llm.requests[1].messages[-1]["content"]
    text = '[A person changed the arguments of this call before it ran. It ran with: {"record": "r-2"}]'
    assert content.startswith(text)
    assert "[What follows is data from the tool demo__delete_record." in content
