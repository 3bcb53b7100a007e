"""The official Python `anthropic` SDK on a provider of another dialect. GATEWAY_URL is the egress listener."""

import os

import anthropic
import pydantic

URL = os.environ["GATEWAY_URL"]
MODEL = os.environ["MODEL"]
CACHED = {"fast": 5, "deep": 6}[MODEL]
client = anthropic.Anthropic(base_url=URL, api_key="any-key", max_retries=0, timeout=20)
TWO_CALLS = 'call weather({"place":"Paris é"}) call weather({"place":"Rome"})'


class City(pydantic.BaseModel):
    name: str


def request(text, **more):
    messages = [{"role": "user", "content": text}]
    return {"model": MODEL, "max_tokens": 2000, "messages": messages, **more}


def ask(text, **more):
    return client.messages.create(**request(text, **more))


def raises(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind} was not raised")


def test_text_and_usage():
    reply = ask("hello é 😀")
    assert reply.content[0].text == "You said: hello é 😀"
    assert reply.stop_reason == "end_turn"
    assert reply.usage.cache_read_input_tokens == CACHED
    assert reply.usage.input_tokens > 0


def test_stream_helper():
    with client.messages.stream(**request("hello é 😀")) as stream:
        assert "".join(stream.text_stream) == "You said: hello é 😀"
        final = stream.get_final_message()
    assert final.stop_reason == "end_turn"
    assert final.usage.cache_read_input_tokens == CACHED


def tool_runner(**more):
    asked = []

    @anthropic.beta_tool
    def weather(place: str) -> str:
        """The weather of a place.

        Args:
            place: Its name.
        """
        asked.append(place)
        return "sunny"

    runner = client.beta.messages.tool_runner(**request(TWO_CALLS), tools=[weather], **more)
    final = runner.until_done()
    assert asked == ["Paris é", "Rome"], asked
    assert final.content[0].text == "The tools said: sunny; sunny"


def test_tool_runner():
    tool_runner()


def test_tool_runner_by_streams():
    tool_runner(stream=True)


def test_parse():
    reply = client.messages.parse(**request('[say {"name":"Paris"}]'), output_format=City)
    assert reply.parsed_output == City(name="Paris")


def test_errors_by_class():
    assert raises(anthropic.BadRequestError, lambda: ask("[error 400]")).status_code == 400
    error = raises(anthropic.RateLimitError, lambda: ask("[error 429]", stream=True))
    assert error.body["error"]["type"] == "rate_limit_error"
    assert error.response.headers["retry-after"] == "0"
    assert raises(anthropic.APIStatusError, lambda: ask("[html 502]")).status_code == 502
    error = raises(anthropic.APIStatusError, lambda: ask("[error 529]"))
    assert error.body["error"]["type"] == "overloaded_error"


def test_an_error_inside_a_stream():
    raises(anthropic.APIStatusError, lambda: list(ask("[error event 3]", stream=True)))


def test_a_broken_stream_is_an_error():
    raises(Exception, lambda: list(ask("[reset 3]", stream=True)))


def test_cancel_in_mid_stream():
    text = f"[pieces 1000 pace 20] cancelled by python on {MODEL}"
    with client.messages.stream(**request(text)) as stream:
        for _ in stream.text_stream:
            break


def test_dropped_members_are_told():
    raw = client.messages.with_raw_response.create(**request("hi", extra_body={"top_k": 3}))
    assert raw.headers["x-gateway-dropped"] == "top_k"
