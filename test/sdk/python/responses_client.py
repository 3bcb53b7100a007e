"""The Responses API by the official Python SDK, openai-agents and LangChain. MODEL is on a provider of any dialect."""

import asyncio
import json
import os

import agents
import openai
import pydantic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

URL = os.environ["GATEWAY_URL"]
MODEL = os.environ["MODEL"]
options = {"base_url": f"{URL}/v1", "api_key": "any-key", "max_retries": 0, "timeout": 20}
client = openai.OpenAI(**options)
TOOL = {
    "type": "function",
    "name": "weather",
    "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
    "strict": False,
}
TWO_CALLS = 'call weather({"place":"Paris é"}) call weather({"place":"Rome"})'
BOTH_RESULTS = "The tools said: sunny in Paris é; sunny in Rome"

agents.set_tracing_disabled(True)


class City(pydantic.BaseModel):
    name: str


def ask(text, **more):
    return client.responses.create(model=MODEL, input=text, **more)


def raises(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind} was not raised")


def test_text_and_usage():
    response = ask("hello é 😀")
    assert response.output_text == "You said: hello é 😀"
    assert response.status == "completed"
    usage = response.usage
    assert usage.input_tokens_details.cached_tokens > 0
    assert usage.total_tokens == usage.input_tokens + usage.output_tokens


def test_stream():
    events = list(ask("hello é 😀", stream=True))
    assert events[0].type == "response.created"
    assert events[-1].type == "response.completed"
    text = "".join(e.delta for e in events if e.type == "response.output_text.delta")
    assert text == "You said: hello é 😀"
    assert [event.sequence_number for event in events] == list(range(len(events)))


def test_reasoning_and_parallel_tools_over_two_turns():
    items = [{"role": "user", "content": TWO_CALLS}]
    more = {"model": MODEL, "tools": [TOOL], "store": False, "reasoning": {"effort": "low"}}
    more["include"] = ["reasoning.encrypted_content"]
    with client.responses.stream(input=items, **more) as stream:
        output = stream.get_final_response().output
    calls = [item for item in output if item.type == "function_call"]
    assert [json.loads(call.arguments)["place"] for call in calls] == ["Paris é", "Rome"]
    reasoning = [item for item in output if item.type == "reasoning"]
    assert [bool(item.encrypted_content) for item in reasoning] == ([] if MODEL == "fast" else [True])
    # The items go back as they came; the provider refuses reasoning that is not its own.
    for item in output:
        items.append(item.model_dump(exclude_none=True, exclude={"parsed_arguments"}))
    for call in calls:
        result = f"sunny in {json.loads(call.arguments)['place']}"
        items.append({"type": "function_call_output", "call_id": call.call_id, "output": result})
    assert client.responses.create(input=items, **more).output_text == BOTH_RESULTS


def test_parse():
    response = client.responses.parse(
        model=MODEL, input='[say {"name":"Paris"}]', text_format=City
    )
    assert response.output_parsed == City(name="Paris")


def test_errors_by_class():
    assert raises(openai.BadRequestError, lambda: ask("[error 400]")).status_code == 400
    error = raises(openai.RateLimitError, lambda: ask("[error 429]", stream=True))
    assert error.response.headers["retry-after"] == "0"
    assert raises(openai.InternalServerError, lambda: ask("[html 502]")).status_code == 502


def test_an_error_inside_a_stream():
    raises(openai.APIError, lambda: list(ask("[error event 3]", stream=True)))


def test_a_broken_stream_is_an_error():
    raises(Exception, lambda: list(ask("[reset 3]", stream=True)))


def test_cancel_in_mid_stream():
    with ask(f"[pieces 1000 pace 20] cancelled by python on {MODEL}", stream=True) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                break


@agents.function_tool
def weather(place: str) -> str:
    """The weather of a place."""
    return f"sunny in {place}"


def agent(**more):
    model = agents.OpenAIResponsesModel(model=MODEL, openai_client=openai.AsyncOpenAI(**options))
    return agents.Agent(name="Test", instructions="Help.", model=model, tools=[weather], **more)


def test_agents_run_a_tool_loop():
    assert agents.Runner.run_sync(agent(), TWO_CALLS).final_output == BOTH_RESULTS


def test_agents_stream_a_tool_loop():
    async def run():
        result = agents.Runner.run_streamed(agent(), TWO_CALLS)
        async for _ in result.stream_events():
            pass
        return result.final_output

    assert asyncio.run(run()) == BOTH_RESULTS


def test_agents_parse_an_output_type():
    result = agents.Runner.run_sync(agent(output_type=City), '[say {"name":"Paris"}]')
    assert result.final_output == City(name="Paris")


@tool("weather")
def langchain_weather(place: str) -> str:
    """The weather of a place."""
    return f"sunny in {place}"


langchain = ChatOpenAI(model=MODEL, use_responses_api=True, **options)


def test_langchain_invokes():
    reply = langchain.invoke("hello é 😀")
    assert reply.text == "You said: hello é 😀", reply
    assert reply.usage_metadata["output_tokens"] > 0


def test_langchain_streams():
    chunks = list(langchain.stream("hello é 😀"))
    whole = chunks[0]
    for chunk in chunks[1:]:
        whole = whole + chunk
    assert len(chunks) > 1
    assert whole.text == "You said: hello é 😀", whole


def test_langchain_calls_tools():
    bound = langchain.bind_tools([langchain_weather])
    question = HumanMessage(TWO_CALLS)
    answer = bound.invoke([question])
    results = [
        ToolMessage(langchain_weather.invoke(call["args"]), tool_call_id=call["id"])
        for call in answer.tool_calls
    ]
    final = bound.invoke([question, answer, *results])
    assert final.text == BOTH_RESULTS, final
