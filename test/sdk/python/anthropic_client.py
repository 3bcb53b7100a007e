"""The official Python `anthropic` SDK against a running gateway. GATEWAY_URL is the egress listener."""

import os
import re

import anthropic

URL = os.environ["GATEWAY_URL"]
UUID = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
client = anthropic.Anthropic(base_url=URL, api_key="any-key", max_retries=0, timeout=20)
WEATHER = {
    "name": "weather",
    "description": "The weather of a place",
    "input_schema": {"type": "object", "properties": {"place": {"type": "string"}}},
}


def request(text, model="careful", **more):
    return {
        "model": model,
        "max_tokens": 2000,
        "messages": [{"role": "user", "content": text}],
        **more,
    }


def ask(text, using=client, **more):
    return using.messages.create(**request(text, **more))


def raises(kind, call, status=None):
    try:
        call()
    except kind as error:
        if status is not None:
            assert error.status_code == status, error.status_code
        return error
    raise AssertionError(f"{kind} was not raised")


def limited_error():
    """The error of the second request within a second: on a busy machine not always of the first two."""
    for _ in range(100):
        try:
            ask("hi", extra_headers={"x-limited": "yes"})
        except anthropic.RateLimitError as error:
            return error
    raise AssertionError("no request was limited")


def test_a_rate_limit_of_the_gateway():
    error = limited_error()
    assert error.status_code == 429, error.status_code
    assert error.response.headers["retry-after"] == "1"
    retrying = client.with_options(max_retries=1).messages.with_raw_response
    for _ in range(100):
        raw = retrying.create(**request("hi"), extra_headers={"x-limited": "yes"})
        if raw.retries_taken == 1:
            return
    raise AssertionError("no request was sent again")


def test_text():
    reply = ask("hello é 😀")
    assert reply.content[0].text == "You said: hello é 😀"
    assert reply.stop_reason == "end_turn"
    assert reply.model.startswith("claude-test")
    assert reply.usage.output_tokens > 0


def test_older_key_header():
    older = anthropic.Anthropic(
        base_url=URL, api_key="any-key", default_headers={"x-api-key": "any-key"}
    )
    assert older.messages.create(**request("hi")).content[0].text == "You said: hi"


def test_stream():
    with client.messages.stream(**request("hello é 😀")) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert text == "You said: hello é 😀"
    assert final.content[0].text == text
    assert final.stop_reason == "end_turn"
    assert final.usage.output_tokens > 1


def test_raw_stream_events():
    kinds = [event.type for event in ask("hi", stream=True)]
    assert kinds[0] == "message_start" and kinds[-1] == "message_stop"
    assert kinds.count("message_start") == 1


def test_thinking_and_tools_in_a_loop():
    more = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "tools": [WEATHER]}
    text = 'call weather({"place":"Paris"}) call weather({"place":"Rome"})'
    with client.messages.stream(**request(text, **more)) as stream:
        turn = stream.get_final_message()
    assert [block.type for block in turn.content] == ["thinking", "tool_use", "tool_use"]
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": block.input["place"]}
        for block in turn.content
        if block.type == "tool_use"
    ]
    again = request(text, **more)
    again["messages"] += [
        {"role": "assistant", "content": turn.content},
        {"role": "user", "content": results},
    ]
    end = client.messages.create(**again)
    assert end.content[-1].text == "The tools said: Paris; Rome"


def test_images():
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    content = [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": pixel}},
        {"type": "text", "text": "what is it?"},
    ]
    assert "sent 1 images" in ask(content).content[0].text


def test_system_and_caching_pass():
    system = [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}]
    assert ask("hi", system=system).content[0].text == "You said: hi"


def test_beta_namespace():
    reply = client.beta.messages.create(**request("hi"), betas=["context-1m-2025-08-07"])
    assert reply.content[0].text == "You said: hi"


def test_unknown_model_is_not_found():
    error = raises(anthropic.NotFoundError, lambda: ask("hi", model="nobody"), 404)
    assert error.body["error"]["type"] == "not_found_error"
    assert "nobody" in error.body["error"]["message"]
    assert error.request_id == error.body["request_id"]


def test_invalid_requests():
    raises(anthropic.BadRequestError, lambda: ask("hi", extra_body={"n": 2}), 400)
    raises(anthropic.BadRequestError, lambda: ask("hi", model=""), 400)


def test_errors_by_class():
    raises(anthropic.AuthenticationError, lambda: ask("[error 401]"), 401)
    raises(anthropic.PermissionDeniedError, lambda: ask("[error 403]"), 403)
    raises(anthropic.RateLimitError, lambda: ask("[error 429]"), 429)
    raises(anthropic.InternalServerError, lambda: ask("[error 500]"), 500)
    error = raises(anthropic.APIStatusError, lambda: ask("[error 529]"), 529)
    assert error.body["error"]["type"] == "overloaded_error"
    raises(anthropic.APIStatusError, lambda: ask("[html 502]"), 502)
    raises(anthropic.RateLimitError, lambda: list(ask("[error 429]", stream=True)), 429)


def test_the_providers_silence_is_504():
    error = raises(anthropic.APIStatusError, lambda: ask("[hang]"), 504)
    assert error.body["error"]["type"] == "timeout_error"


def test_an_error_inside_a_stream():
    error = raises(anthropic.APIStatusError, lambda: list(ask("[error event 3]", stream=True)))
    assert error.body["error"]["type"] == "overloaded_error"


def test_a_broken_stream_is_an_error():
    try:
        list(ask("[reset 3]", stream=True))
    except Exception:
        return
    raise AssertionError("the stream ended as if it were whole")


def test_cancel_in_mid_stream():
    with client.messages.stream(**request("[pieces 1000 pace 20] cancelled by python")) as stream:
        for _ in stream.text_stream:
            break


def test_raw_response_headers():
    raw = client.messages.with_raw_response.create(**request("hi"))
    assert raw.headers["request-id"].startswith("req_")
    # The id of the access logs is there beside the provider's.
    assert re.match(UUID, raw.headers["x-gateway-request-id"])
    assert raw.headers["anthropic-ratelimit-requests-remaining"] == "49"
    assert raw.parse().content[0].text == "You said: hi"


def test_models():
    page = client.models.list(limit=1000)
    ids = [model.id for model in page]
    assert "anthropic/claude-test" in ids and "careful" in ids
    assert all(model.display_name for model in page.data)
