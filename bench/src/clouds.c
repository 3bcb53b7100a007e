// The fake provider's streams in the formats of the clouds (responses.h): Gemini's generateContent and Bedrock's Converse.
#include "responses.h"

#include <stdint.h>
#include <string.h>

Reply gemini_stream, converse_stream;

/** `finish`: a member and what separates it, or nothing. */
static void add_gemini_event(const char *text, const char *finish, int tokens) {
  Text event = {0};
  text_format(&event,
              "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"%s\"}],\"role\": \"model\"}%s,"
              "\"index\": 0}],\"usageMetadata\": {\"promptTokenCount\": 219,\"candidatesTokenCount\": %d,"
              "\"totalTokenCount\": %d,\"promptTokensDetails\": [{\"modality\": \"TEXT\",\"tokenCount\": 219}]},"
              "\"modelVersion\": \"gemini-2.5-flash\",\"responseId\": \"k3XaaJ2pNoKvkdUP4pCbsAk\"}\r\n\r\n",
              text, finish, tokens, tokens + 219);
  add_frame(&gemini_stream, &event);
  text_free(&event);
}

static void build_gemini_stream(int events) {
  begin_stream(&gemini_stream, "text/event-stream");
  for (int i = 0; i < events; i++) add_gemini_event(word_at(i), "", i + 1);
  add_gemini_event("", ",\"finishReason\": \"STOP\"", events);
  end_stream(&gemini_stream);
}

/** CRC-32 of IEEE 802.3. */
static uint32_t crc32(const char *bytes, size_t length) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < length; i++) {
    crc ^= (uint8_t)bytes[i];
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc;
}

static void append_number(Text *text, uint32_t number) {
  char bytes[4] = {(char)(number >> 24), (char)(number >> 16), (char)(number >> 8), (char)number};
  text_append(text, bytes, sizeof bytes);
}

/** A header of an event: its value is a text. */
static void append_header(Text *headers, const char *name, const char *value) {
  char name_length = (char)strlen(name);
  char type_and_length[3] = {7, 0, (char)strlen(value)};
  text_append(headers, &name_length, 1);
  text_append(headers, name, strlen(name));
  text_append(headers, type_and_length, sizeof type_and_length);
  text_append(headers, value, strlen(value));
}

/** @see https://smithy.io/2.0/aws/amazon-eventstream.html */
static void add_converse_event(const char *type, const Text *payload) {
  Text headers = {0}, event = {0};
  append_header(&headers, ":event-type", type);
  append_header(&headers, ":content-type", "application/json");
  append_header(&headers, ":message-type", "event");
  append_number(&event, (uint32_t)(16 + headers.length + payload->length));
  append_number(&event, (uint32_t)headers.length);
  append_number(&event, crc32(event.bytes, event.length));
  text_append(&event, headers.bytes, headers.length);
  text_append(&event, payload->bytes, payload->length);
  append_number(&event, crc32(event.bytes, event.length));
  add_frame(&converse_stream, &event);
  text_free(&event);
  text_free(&headers);
}

/** As Bedrock pads its payloads. */
static const char PADDING[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

static void build_converse_stream(int events) {
  Text payload = {0};
  begin_stream(&converse_stream, "application/vnd.amazon.eventstream");
  text_format(&payload, "{\"p\":\"%.20s\",\"role\":\"assistant\"}", PADDING);
  add_converse_event("messageStart", &payload);
  for (int i = 0; i < events; i++) {
    payload.length = 0;
    text_format(&payload, "{\"contentBlockIndex\":0,\"delta\":{\"text\":\"%s\"},\"p\":\"%.*s\"}", word_at(i),
                i % 60, PADDING);
    add_converse_event("contentBlockDelta", &payload);
  }
  payload.length = 0;
  text_format(&payload, "{\"contentBlockIndex\":0,\"p\":\"%.30s\"}", PADDING);
  add_converse_event("contentBlockStop", &payload);
  payload.length = 0;
  text_format(&payload, "{\"p\":\"%.10s\",\"stopReason\":\"end_turn\"}", PADDING);
  add_converse_event("messageStop", &payload);
  payload.length = 0;
  text_format(&payload,
              "{\"metrics\":{\"latencyMs\":900},\"p\":\"%.40s\",\"usage\":{\"inputTokens\":219,"
              "\"outputTokens\":%d,\"totalTokens\":%d}}",
              PADDING, events, events + 219);
  add_converse_event("metadata", &payload);
  end_stream(&converse_stream);
  text_free(&payload);
}

void build_cloud_replies(int events) {
  build_gemini_stream(events);
  build_converse_stream(events);
}
