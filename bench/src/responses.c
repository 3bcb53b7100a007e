// The fake provider's replies (responses.h). The shapes are those of the two dialects; the text is short words.
#include "responses.h"

#include <stdlib.h>
#include <string.h>

Reply chat_completion, chat_stream, chat_stream_with_usage, message, message_stream, response_object;

/** Already escaped for JSON. */
static const char *WORDS[] = {" a", " provider", " answers", " with", " \\\"short\\\"", " words",
                              ",", " one", " by", " one", " and", " stops", "\\n"};
enum { WORD_COUNT = sizeof WORDS / sizeof *WORDS };

const char *word_at(int index) { return WORDS[index % WORD_COUNT]; }

static const char CHUNK_HEAD[] =
    "data: {\"id\":\"chatcmpl-Bq7vN2pT0sYcXw4eKd81HfLzGu6Mi\",\"object\":\"chat.completion.chunk\","
    "\"created\":1763700000,\"model\":\"gpt-4o-mini-2024-07-18\",\"service_tier\":\"default\","
    "\"system_fingerprint\":\"fp_51db84afab\",\"choices\":[";
static const char OPENAI_USAGE[] =
    "{\"prompt_tokens\":219,\"completion_tokens\":%d,\"total_tokens\":%d,"
    "\"prompt_tokens_details\":{\"cached_tokens\":0,\"audio_tokens\":0},"
    "\"completion_tokens_details\":{\"reasoning_tokens\":0,\"audio_tokens\":0,"
    "\"accepted_prediction_tokens\":0,\"rejected_prediction_tokens\":0}}";

static const char EVENT_STREAM[] = "text/event-stream; charset=utf-8";

static void clear(Reply *reply) {
  reply->bytes.length = 0;
  reply->frame_count = 0;
}

/** Wraps a JSON body into a response. */
static void complete(Reply *reply, const Text *body) {
  clear(reply);
  text_format(&reply->bytes,
              "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_fake\r\n"
              "openai-processing-ms: 1\r\ncontent-length: %zu\r\n\r\n",
              body->length);
  text_append(&reply->bytes, body->bytes, body->length);
}

void begin_stream(Reply *reply, const char *content_type) {
  clear(reply);
  text_format(&reply->bytes,
              "HTTP/1.1 200 OK\r\ncontent-type: %s\r\n"
              "cache-control: no-cache\r\nx-request-id: req_fake\r\n"
              "transfer-encoding: chunked\r\n\r\n",
              content_type);
  reply->head_length = reply->bytes.length;
}

void add_frame(Reply *reply, Text *event) {
  reply->frame_ends = realloc(reply->frame_ends, sizeof(size_t) * (size_t)(reply->frame_count + 1));
  text_format(&reply->bytes, "%zx\r\n", event->length);
  text_append(&reply->bytes, event->bytes, event->length);
  text_append(&reply->bytes, "\r\n", 2);
  reply->frame_ends[reply->frame_count++] = reply->bytes.length;
  event->length = 0;
}

void end_stream(Reply *reply) {
  text_append(&reply->bytes, "0\r\n\r\n", 5);
  reply->frame_ends[reply->frame_count - 1] = reply->bytes.length;
}

static void build_chat_completion(const char *content) {
  Text body = {0};
  text_format(&body,
              "{\"id\":\"chatcmpl-Bq7vN2pT0sYcXw4eKd81HfLzGu6Mi\",\"object\":\"chat.completion\","
              "\"created\":1763700000,\"model\":\"gpt-4o-mini-2024-07-18\",\"choices\":[{\"index\":0,"
              "\"message\":{\"role\":\"assistant\",\"content\":\"%s\",\"refusal\":null,"
              "\"annotations\":[]},\"logprobs\":null,\"finish_reason\":\"stop\"}],\"usage\":",
              content);
  text_format(&body, OPENAI_USAGE, 31, 250);
  text_format(&body, ",\"service_tier\":\"default\",\"system_fingerprint\":\"fp_51db84afab\"}");
  complete(&chat_completion, &body);
  text_free(&body);
}

static void add_chat_chunk(Reply *reply, const char *delta, const char *finish, const char *tail) {
  Text event = {0};
  text_format(&event, "%s{\"index\":0,\"delta\":%s,\"logprobs\":null,\"finish_reason\":%s}]%s}\n\n",
              CHUNK_HEAD, delta, finish, tail);
  add_frame(reply, &event);
  text_free(&event);
}

static void build_chat_stream(Reply *reply, int events, int has_usage) {
  const char *tail = has_usage ? ",\"usage\":null" : "";
  Text event = {0};
  begin_stream(reply, EVENT_STREAM);
  add_chat_chunk(reply, "{\"role\":\"assistant\",\"content\":\"\",\"refusal\":null}", "null", tail);
  for (int i = 0; i < events; i++) {
    Text delta = {0};
    text_format(&delta, "{\"content\":\"%s\"}", WORDS[i % WORD_COUNT]);
    add_chat_chunk(reply, delta.bytes, "null", tail);
    text_free(&delta);
  }
  add_chat_chunk(reply, "{}", "\"stop\"", tail);
  if (has_usage) {
    text_format(&event, "%s],\"usage\":", CHUNK_HEAD);
    text_format(&event, OPENAI_USAGE, events, events + 219);
    text_format(&event, "}\n\n");
    add_frame(reply, &event);
  }
  text_format(&event, "data: [DONE]\n\n");
  add_frame(reply, &event);
  end_stream(reply);
  text_free(&event);
}

static const char MESSAGE_HEAD[] =
    "{\"id\":\"msg_01Rk3vQp8sT2wXyZ4aBcDeFg\",\"type\":\"message\",\"role\":\"assistant\","
    "\"model\":\"claude-sonnet-4-5-20250929\",\"content\":[";
static const char ANTHROPIC_USAGE[] =
    "\"usage\":{\"input_tokens\":219,\"cache_creation_input_tokens\":0,"
    "\"cache_read_input_tokens\":0,\"output_tokens\":%d,\"service_tier\":\"standard\"}}";

static void build_message(const char *content) {
  Text body = {0};
  text_format(&body, "%s{\"type\":\"text\",\"text\":\"%s\"}],\"stop_reason\":\"end_turn\",\"stop_sequence\":null,",
              MESSAGE_HEAD, content);
  text_format(&body, ANTHROPIC_USAGE, 31);
  complete(&message, &body);
  text_free(&body);
}

static void build_message_stream(int events) {
  Reply *reply = &message_stream;
  Text event = {0};
  begin_stream(reply, EVENT_STREAM);
  text_format(&event, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":%s],"
              "\"stop_reason\":null,\"stop_sequence\":null,", MESSAGE_HEAD);
  text_format(&event, ANTHROPIC_USAGE, 1);
  text_format(&event, "}\n\n");
  add_frame(reply, &event);
  text_format(&event, "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
              "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n");
  add_frame(reply, &event);
  text_format(&event, "event: ping\ndata: {\"type\": \"ping\"}\n\n");
  add_frame(reply, &event);
  for (int i = 0; i < events; i++) {
    text_format(&event, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,"
                "\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n", WORDS[i % WORD_COUNT]);
    add_frame(reply, &event);
  }
  text_format(&event, "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n");
  add_frame(reply, &event);
  text_format(&event, "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\","
              "\"stop_sequence\":null},\"usage\":{\"output_tokens\":%d}}\n\n", events);
  add_frame(reply, &event);
  text_format(&event, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n");
  add_frame(reply, &event);
  end_stream(reply);
  text_free(&event);
}

/** A complete response of the Responses API. */
static void build_response_object(const char *content) {
  Text body = {0};
  text_format(&body,
              "{\"id\":\"resp_68a1f0c2d3e4b5a697887766\",\"object\":\"response\",\"created_at\":1763700000,"
              "\"status\":\"completed\",\"error\":null,\"incomplete_details\":null,\"instructions\":null,"
              "\"model\":\"gpt-4o-mini-2024-07-18\",\"output\":[{\"id\":\"msg_68a1f0c2d3e4b5a697887767\","
              "\"type\":\"message\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[{"
              "\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],\"text\":\"%s\"}]}],"
              "\"parallel_tool_calls\":true,\"store\":false,\"temperature\":1.0,\"tool_choice\":\"auto\","
              "\"tools\":[],\"top_p\":1.0,\"usage\":{\"input_tokens\":219,"
              "\"input_tokens_details\":{\"cached_tokens\":0},\"output_tokens\":31,"
              "\"output_tokens_details\":{\"reasoning_tokens\":0},\"total_tokens\":250},\"metadata\":{}}",
              content);
  complete(&response_object, &body);
  text_free(&body);
}

void build_replies(int events) {
  Text content = {0};
  for (int i = 0; content.length < 120; i++) text_format(&content, "%s", WORDS[i % WORD_COUNT]);
  build_chat_completion(content.bytes);
  build_chat_stream(&chat_stream, events, 0);
  build_chat_stream(&chat_stream_with_usage, events, 1);
  build_message(content.bytes);
  build_response_object(content.bytes);
  build_message_stream(events);
  build_cloud_replies(events);
  text_free(&content);
}
