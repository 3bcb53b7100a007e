// What the fake provider replies: complete responses and streams in each format, built once.
#pragma once
#include "text.h"

/** A whole HTTP response. A stream can also be sent frame by frame: frame i ends at frame_ends[i]. */
typedef struct {
  Text bytes;
  /** Where the first frame starts: behind the response's head. */
  size_t head_length;
  size_t *frame_ends;
  int frame_count;
} Reply;

extern Reply chat_completion, chat_stream, chat_stream_with_usage, message, message_stream, response_object;
extern Reply gemini_stream, converse_stream;

/** Builds all of them; a stream has `events` text deltas. May be called again. */
void build_replies(int events);

/** Builds those of the clouds (clouds.c). */
void build_cloud_replies(int events);

/** The text of a delta, already escaped for JSON. */
const char *word_at(int index);

/** Starts a stream with this content type. */
void begin_stream(Reply *reply, const char *content_type);

/** Adds one event as one HTTP chunk. `event` is emptied. */
void add_frame(Reply *reply, Text *event);

/** Ends a stream: the closing chunk travels with the last event, as servers send it. */
void end_stream(Reply *reply);
