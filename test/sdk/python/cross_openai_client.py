"""The official Python `openai` SDK on a provider of another dialect. GATEWAY_URL is the egress listener."""

import json
import os

import openai
import pydantic

URL = os.environ["GATEWAY_URL"]
MODEL = os.environ["MODEL"]
# What the provider reports of its cache: only Anthropic counts what was written to it.
CACHED, WRITTEN = {"careful": (40, 7), "deep": (6, 0)}[MODEL]
client = openai.OpenAI(base_url=f"{URL}/v1", api_key="any-key", max_retries=0, timeout=20)
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
    },
}
THINKING = {
    "careful": {"thinking": {"type": "enabled", "budget_tokens": 1024}},
    "deep": {"reasoning_effort": "low"},
}[MODEL]
TWO_CALLS = 'call weather({"place":"Paris é"}) call weather({"place":"Rome"})'


class City(pydantic.BaseModel):
    name: str


def ask(text, **more):
    messages = [{"role": "user", "content": text}]
    return client.chat.completions.create(model=MODEL, messages=messages, **more)


def raises(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind} was not raised")


def test_text_and_usage():
    reply = ask("hello é 😀")
    assert reply.choices[0].message.content == "You said: hello é 😀"
    assert reply.choices[0].finish_reason == "stop"
    assert reply.model.startswith("claude-test" if MODEL == "careful" else "gpt-5.1")
    usage = reply.usage
    assert usage.prompt_tokens_details.cached_tokens == CACHED
    assert usage.prompt_tokens > CACHED + WRITTEN
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


def test_stream():
    chunks = list(ask("hello é 😀", stream=True))
    assert chunks[0].choices[0].delta.role == "assistant"
    assert "".join(c.choices[0].delta.content or "" for c in chunks) == "You said: hello é 😀"
    assert chunks[-1].choices[0].finish_reason == "stop"


def test_stream_with_usage():
    chunks = list(ask("hi", stream=True, stream_options={"include_usage": True}))
    assert chunks[-1].choices == []
    assert chunks[-1].usage.prompt_tokens_details.cached_tokens == CACHED


def test_parallel_tools_and_thinking_by_the_stream_helper():
    messages = [{"role": "user", "content": TWO_CALLS}]
    more = {
        "model": MODEL,
        "tools": [TOOL],
        "max_tokens": 4000,
        "extra_body": THINKING,
    }
    with client.chat.completions.stream(messages=messages, **more) as stream:
        message = stream.get_final_completion().choices[0].message
    assert [json.loads(c.function.arguments)["place"] for c in message.tool_calls] == [
        "Paris é",
        "Rome",
    ]
    # The message goes back as it came, with the signed thinking in it.
    messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
    for number, call in enumerate(message.tool_calls):
        messages[1]["tool_calls"][number]["function"].pop("parsed_arguments", None)
        messages.append({"role": "tool", "tool_call_id": call.id, "content": "sunny"})
    final = client.chat.completions.create(messages=messages, **more)
    assert final.choices[0].message.content == "The tools said: sunny; sunny"
    assert final.choices[0].message.reasoning_content


def test_parse():
    reply = client.chat.completions.parse(
        model=MODEL,
        messages=[{"role": "user", "content": '[say {"name":"Paris"}]'}],
        response_format=City,
    )
    assert reply.choices[0].message.parsed == City(name="Paris")


def test_errors_by_class():
    assert raises(openai.BadRequestError, lambda: ask("[error 400]")).status_code == 400
    assert raises(openai.RateLimitError, lambda: ask("[error 429]")).status_code == 429
    error = raises(openai.InternalServerError, lambda: ask("[error 529]", stream=True))
    assert error.status_code == 529
    assert error.response.headers["retry-after"] == "0"
    assert raises(openai.InternalServerError, lambda: ask("[html 502]")).status_code == 502


def test_an_error_inside_a_stream():
    raises(openai.APIError, lambda: list(ask("[error event 3]", stream=True)))


def test_a_broken_stream_is_an_error():
    raises(Exception, lambda: list(ask("[reset 3]", stream=True)))


def test_cancel_in_mid_stream():
    with ask(f"[pieces 1000 pace 20] cancelled by python on {MODEL}", stream=True) as stream:
        for _ in stream:
            break


def test_dropped_members_are_told():
    raw = client.chat.completions.with_raw_response.create(
        model=MODEL, messages=[{"role": "user", "content": "hi"}], seed=1
    )
    assert raw.headers["x-gateway-dropped"] == "seed"
