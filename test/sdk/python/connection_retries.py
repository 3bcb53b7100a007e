"""The official Python SDKs with their default retries, each at a front of its own (FRONTS) that breaks its first connections."""

import json
import os

import anthropic
import openai

FRONTS = json.loads(os.environ["FRONTS"])
MESSAGES = [{"role": "user", "content": "hello"}]


def openai_at(name):
    return openai.OpenAI(base_url=f"{FRONTS[name]}/v1", api_key="any-key").chat.completions


def anthropic_at(name):
    return anthropic.Anthropic(base_url=FRONTS[name], api_key="any-key").messages


def test_openai():
    reply = openai_at("openai").create(model="fast", messages=MESSAGES)
    assert reply.choices[0].message.content == "You said: hello"


def test_openai_stream():
    stream = openai_at("openai_stream").create(model="fast", messages=MESSAGES, stream=True)
    text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert text == "You said: hello"


def test_anthropic():
    reply = anthropic_at("anthropic").create(model="careful", max_tokens=100, messages=MESSAGES)
    assert reply.content[0].text == "You said: hello"


def test_anthropic_stream():
    request = {"model": "careful", "max_tokens": 100, "messages": MESSAGES}
    with anthropic_at("anthropic_stream").stream(**request) as stream:
        assert stream.get_final_text() == "You said: hello"
