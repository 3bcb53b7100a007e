"""The official Python `openai` SDK against a running gateway. GATEWAY_URL is the egress listener."""

import os
import re
from pathlib import Path

import openai

URL = os.environ["GATEWAY_URL"]
UUID = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
client = openai.OpenAI(base_url=f"{URL}/v1", api_key="any-key", max_retries=0, timeout=20)
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a place",
        "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
    },
}


def ask(text, model="fast", using=client, **more):
    return using.chat.completions.create(
        model=model, messages=[{"role": "user", "content": text}], **more
    )


def raises(kind, call, status=None):
    try:
        call()
    except kind as error:
        assert type(error) is kind, f"{type(error)} is not {kind}"
        if status is not None:
            assert error.status_code == status, error.status_code
        return error
    raise AssertionError(f"{kind} was not raised")


def limited_error():
    """The error of the second request within a second: on a busy machine not always of the first two."""
    for _ in range(100):
        try:
            ask("hi", extra_headers={"x-limited": "yes"})
        except openai.RateLimitError as error:
            return error
    raise AssertionError("no request was limited")


def test_a_rate_limit_of_the_gateway():
    error = limited_error()
    assert error.status_code == 429, error.status_code
    assert error.response.headers["retry-after"] == "1"
    retrying = client.with_options(max_retries=1).chat.completions.with_raw_response
    for _ in range(100):
        raw = retrying.create(model="fast", messages=[{"role": "user", "content": "hi"}], extra_headers={"x-limited": "yes"})
        if raw.retries_taken == 1:
            return
    raise AssertionError("no request was sent again")


def test_text():
    reply = ask("hello é 😀")
    assert reply.choices[0].message.content == "You said: hello é 😀"
    assert reply.choices[0].message.role == "assistant"
    assert reply.model.startswith("gpt-4o")
    assert reply.usage.total_tokens > 0


def test_model_none_takes_the_default():
    assert ask("hi", model="none").model.startswith("gpt-4o")


def test_hint_header_overrides_the_model():
    reply = ask("hi", model="nobody", extra_headers={"x-gateway-llm-provider-hint": "gpt-4o"})
    assert reply.model.startswith("gpt-4o")


def test_stream():
    text = ""
    chunks = list(ask("hello é 😀", stream=True))
    for chunk in chunks:
        assert chunk.choices, "the usage chunk was not asked for"
        text += chunk.choices[0].delta.content or ""
    assert text == "You said: hello é 😀"
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-1].choices[0].finish_reason == "stop"


def test_stream_with_usage():
    chunks = list(ask("hi", stream=True, stream_options={"include_usage": True}))
    assert chunks[-1].choices == []
    assert chunks[-1].usage.total_tokens > 0


def test_stream_helper():
    with client.chat.completions.stream(
        model="fast", messages=[{"role": "user", "content": "hello"}]
    ) as stream:
        for _ in stream:
            pass
        final = stream.get_final_completion()
    assert final.choices[0].message.content == "You said: hello"


def test_tools_in_parallel():
    messages = [
        {"role": "user", "content": 'call weather({"place":"Paris"}) call weather({"place":"Rome"})'}
    ]
    turn = client.chat.completions.create(model="fast", messages=messages, tools=[WEATHER])
    calls = turn.choices[0].message.tool_calls
    assert [call.function.arguments for call in calls] == ['{"place":"Paris"}', '{"place":"Rome"}']
    messages.append(turn.choices[0].message)
    for call in calls:
        messages.append({"role": "tool", "tool_call_id": call.id, "content": "sunny"})
    end = client.chat.completions.create(model="fast", messages=messages, tools=[WEATHER])
    assert end.choices[0].message.content == "The tools said: sunny; sunny"


def test_tools_streamed():
    arguments = {}
    for chunk in ask('call weather({"place":"Paris"})', tools=[WEATHER], stream=True):
        for call in chunk.choices[0].delta.tool_calls or []:
            arguments[call.index] = arguments.get(call.index, "") + (call.function.arguments or "")
    assert arguments == {0: '{"place":"Paris"}'}


def test_unknown_model_is_not_found():
    error = raises(openai.NotFoundError, lambda: ask("hi", model="nobody"), 404)
    assert error.code == "model_not_found"
    assert error.param == "model"
    assert "nobody" in error.message and "openai/gpt-4o" in error.message
    assert error.request_id


def test_a_model_that_the_provider_does_not_have_is_not_found():
    raises(openai.NotFoundError, lambda: ask("hi", model="openai/gpt-4o-gone"), 404)


def test_invalid_requests():
    raises(openai.BadRequestError, lambda: ask("hi", temperature=9), 400)
    raises(openai.BadRequestError, lambda: ask("hi", model=""), 400)


def test_errors_by_class():
    raises(openai.AuthenticationError, lambda: ask("[error 401]"), 401)
    raises(openai.PermissionDeniedError, lambda: ask("[error 403]"), 403)
    raises(openai.ConflictError, lambda: ask("[error 409]"), 409)
    raises(openai.UnprocessableEntityError, lambda: ask("[error 422]"), 422)
    raises(openai.RateLimitError, lambda: ask("[error 429]"), 429)
    raises(openai.InternalServerError, lambda: ask("[error 500]"), 500)
    raises(openai.InternalServerError, lambda: ask("[error 503]"), 503)
    raises(openai.InternalServerError, lambda: ask("[html 502]"), 502)
    raises(openai.RateLimitError, lambda: list(ask("[error 429]", stream=True)), 429)


def test_the_providers_silence_is_504():
    raises(openai.InternalServerError, lambda: ask("[hang]"), 504)


def test_an_error_inside_a_stream():
    raises(openai.APIError, lambda: list(ask("[error event 2]", stream=True)))


def test_a_broken_stream_is_an_error():
    try:
        list(ask("[reset 2]", stream=True))
    except Exception:
        return
    raise AssertionError("the stream ended as if it were whole")


def test_retries_of_the_sdk():
    patient = client.with_options(max_retries=1)
    raises(
        openai.RateLimitError,
        lambda: patient.chat.completions.create(
            model="fast", messages=[{"role": "user", "content": "[error 429] retried"}]
        ),
    )


def test_cancel_in_mid_stream():
    stream = ask("[pieces 1000 pace 20] cancelled by python", stream=True)
    next(stream)
    next(stream)
    stream.close()


def test_raw_response_headers():
    raw = client.chat.completions.with_raw_response.create(
        model="fast", messages=[{"role": "user", "content": "hi"}]
    )
    assert raw.headers["x-ratelimit-remaining-requests"] == "9999"
    assert raw.headers["openai-version"] == "2020-10-01"
    assert raw.headers["x-request-id"].startswith("req_")
    # The id of the access logs is there beside the provider's.
    assert re.match(UUID, raw.headers["x-gateway-request-id"])
    assert "x-envoy-upstream-service-time" not in raw.headers
    assert raw.parse().choices[0].message.content == "You said: hi"


def test_compressed_replies():
    assert ask("[gzip]").choices[0].message.content.startswith("You said")
    assert ask("[br]").choices[0].message.content.startswith("You said")


def test_models():
    ids = [model.id for model in client.models.list()]
    assert "openai/gpt-4o" in ids and "anthropic/claude-test" in ids and "fast" in ids


def test_large_request():
    assert len(ask("x" * 3_000_000).choices[0].message.content) > 3_000_000


def test_lines_of_the_readme():
    readme = Path(__file__).parents[3] / "README.md"
    [lines] = re.findall(r"^```python\n(.*?)^```", readme.read_text(), re.S | re.M)
    assert "http://localhost:12000" in lines
    exec(lines.replace("http://localhost:12000", os.environ["GATEWAY_URL"]), {})
