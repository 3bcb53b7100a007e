"""The official Python SDKs at endpoints that pass by model. GATEWAY_URL is the egress listener."""

import io
import os

import anthropic
import openai

URL = os.environ["GATEWAY_URL"]
WIDTH = 1536
client = openai.OpenAI(base_url=f"{URL}/v1", api_key="any-key", max_retries=0, timeout=20)
claude = anthropic.Anthropic(base_url=URL, api_key="any-key", max_retries=0, timeout=20)
USER = [{"role": "user", "content": "Hello, how are you today?"}]


def test_embeddings_of_a_default_call_have_the_full_width():
    # The SDK requests base64 by itself.
    reply = client.embeddings.create(model="embed", input=["one", "two"])
    assert [len(item.embedding) for item in reply.data] == [WIDTH, WIDTH]
    assert reply.data[1].embedding[1] == 0.5, reply.data[1].embedding[:3]


def test_embeddings_as_floats():
    reply = client.embeddings.create(model="embed", input="one", encoding_format="float")
    assert len(reply.data[0].embedding) == WIDTH


def test_embeddings_of_a_messages_model():
    try:
        client.embeddings.create(model="careful", input="one")
    except openai.NotFoundError as error:
        assert "/v1/embeddings is not supported by" in error.message, error.message
        assert error.param == "model"
        return
    raise AssertionError("no error")


def test_transcription_of_a_file():
    sound = io.BytesIO(b"RIFF" + bytes(range(256)) * 4096)
    sound.name = "speech.wav"
    reply = client.audio.transcriptions.create(model="ears", file=sound)
    assert reply.text == f"{4 + 256 * 4096} bytes for whisper-1", reply.text


def test_speech():
    reply = client.audio.speech.create(model="voice", voice="alloy", input="Hello")
    assert reply.content == bytes(range(256)) * 100


def test_moderation_without_a_model():
    reply = client.moderations.create(input="one")
    assert reply.model == "omni-moderation-latest"


def test_models_are_retrieved():
    assert client.models.retrieve("openai/gpt-4o").owned_by == "openai"
    assert client.models.retrieve("embed").id == "embed"


def test_an_unknown_model_is_not_found():
    try:
        client.models.retrieve("nothing")
    except openai.NotFoundError as error:
        assert error.code == "model_not_found"
        return
    raise AssertionError("no error")


def test_a_file_is_uploaded_to_the_named_provider():
    reply = client.files.create(
        file=("a.jsonl", b"{}\n"),
        purpose="batch",
        extra_headers={"x-gateway-llm-provider-hint": "openai"},
    )
    assert reply.id == "file-1"


def test_tokens_are_counted_by_the_provider():
    assert claude.messages.count_tokens(model="careful", messages=USER).input_tokens == 14


def test_tokens_are_estimated_for_another_model():
    raw = claude.messages.with_raw_response.count_tokens(model="other", messages=USER)
    assert raw.headers["x-gateway-estimated"] == "input_tokens"
    assert 5 < raw.parse().input_tokens < 30


def test_a_model_in_the_form_of_anthropic():
    model = claude.models.retrieve("careful")
    assert (model.id, model.type, model.lifecycle) == ("careful", "model", "active")
