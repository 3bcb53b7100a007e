// What the fake provider says: complete replies and streams in both dialects, built once.
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

/** Builds all of them; a stream has `events` text deltas. May be called again. */
void build_replies(int events);
