"""From a provider's row to a live model: who may use it, one client per revision, nothing after a change."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from backend.errors import LlmAuthFailed, NotFound, SecretMissing, ValidationFailed
from backend.llm.types import ChatReply, ChatRequest
from backend.providers.connections import chat_model
from backend.providers.models import Provider
from backend.secrets.models import Secret
from backend.tools.loop import LOOP
from tests.llm_server import Gate, LlmServer
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)
HI = ChatRequest(messages=[{"role": "user", "content": "hi"}])


@pytest.fixture(autouse=True)
def loop() -> Iterator[None]:
    """Connections end with the test."""
    yield
    LOOP.stop()


@pytest.fixture
def provider(adam: Person, llm: LlmServer) -> Provider:
    """The scripted endpoint, registered by Adam."""
    llm.key = "sk-right-0123456789"
    return Provider.objects.create(
        team=adam.team,
        name="Scripted",
        slug="scripted",
        base_url=llm.url,
        secrets={"api_key": llm.key, "headers": {"X-Hush": "hush-hush"}},
        models=[{"id": "scripted-1", "context": None, "input_price": 1.0, "output_price": 2.0, "features": ["tools"]}],
        created_by=adam.user,
    )


def ask(person: Person, name: str = "scripted", model: str = "scripted-1") -> ChatReply:
    """A round as a run would make it."""

    async def work() -> ChatReply:
        result = await chat_model(person.team.id, name, model, user_id=person.user.id)
        return await result.chat(HI, lambda channel, text: None)

    return LOOP.run(work(), 20)


def test_a_round_with_key_header_and_price(provider: Provider, llm: LlmServer, bob: Person) -> None:
    llm.say("hello")
    reply = ask(bob)
    assert reply.text == "hello"
    assert reply.usage.cost == pytest.approx((11 * 1.0 + 7 * 2.0) / 1_000_000)
    assert llm.requests[0].headers["x-hush"] == "hush-hush"
    llm.say("by id")
    assert ask(bob, provider.id).text == "by id"


def test_features_and_names(provider: Provider, bob: Person) -> None:
    async def work() -> list[Any]:
        models = [await chat_model(bob.team.id, "scripted", name) for name in ("scripted-1", "unlisted")]
        return [(model.provider, model.model, model.features) for model in models]

    assert LOOP.run(work(), 20) == [
        ("scripted", "scripted-1", frozenset({"tools"})),
        ("scripted", "unlisted", None),
    ]


def test_a_new_key_is_used_at_once_and_old_rounds_end_in_peace(provider: Provider, llm: LlmServer, bob: Person) -> None:
    gate = Gate()
    llm.say("to the end", gate=gate)

    async def first() -> ChatReply:
        model = await chat_model(bob.team.id, "scripted", "m")
        return await model.chat(HI, lambda channel, text: None)

    old = LOOP.submit(first())
    llm.wait_for_request(1)
    Provider.objects.filter(pk=provider.pk).update(secrets={"api_key": "sk-wrong-0123456789"}, revision=2)
    with pytest.raises(LlmAuthFailed):
        ask(bob)
    gate.open()
    assert old.result(10).text == "to the end"


def test_who_may_not(provider: Provider, bob: Person, charlie: Person, adam: Person) -> None:
    with pytest.raises(NotFound) as caught:
        ask(charlie)
    assert caught.value.params == {"reason": "provider", "provider": "scripted"}
    with pytest.raises(NotFound):
        ask(bob, "no\x00such")
    with pytest.raises(ValidationFailed):
        ask(bob, model="")
    Provider.objects.filter(pk=provider.pk).update(visibility="private")
    with pytest.raises(NotFound):
        ask(bob)
    Provider.objects.filter(pk=provider.pk).update(enabled=False)
    with pytest.raises(ValidationFailed) as off:
        ask(adam)
    assert off.value.params["reason"] == "provider_off"


def test_a_named_secret_as_key(provider: Provider, llm: LlmServer, bob: Person) -> None:
    Provider.objects.filter(pk=provider.pk).update(secrets={"api_key": "${secret:models}"})
    with pytest.raises(SecretMissing):
        ask(bob)
    secret = Secret.objects.create(team=bob.team, name="models", value=llm.key, hosts=["elsewhere.example.org"])
    with pytest.raises(SecretMissing):
        ask(bob)
    secret.hosts = ["127.0.0.1"]
    secret.save()
    llm.say("with the secret")
    assert ask(bob).text == "with the secret"
    secret.value = "sk-other-0123456789"
    secret.save()
    with pytest.raises(LlmAuthFailed):
        ask(bob)


def test_many_at_once_share_one_client(provider: Provider, llm: LlmServer, bob: Person) -> None:
    for _ in range(30):
        llm.say("fine")

    async def work() -> list[str]:
        async def one() -> str:
            model = await chat_model(bob.team.id, "scripted", "m")
            return (await model.chat(HI, lambda channel, text: None)).text

        return await asyncio.gather(*(one() for _ in range(30)))

    assert LOOP.run(work(), 30) == ["fine"] * 30
