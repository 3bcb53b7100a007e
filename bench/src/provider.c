// A fake provider: one thread, HTTP/1.1 with keep-alive, so fast that the gateway is what is measured.
//
//   provider PORT
//   POST …/chat/completions and …/messages: a complete reply, or a stream when the body says "stream":true
//   POST …/responses: a complete reply
//   POST …:streamGenerateContent and …/converse-stream: a stream
//   with OpenAI's headers if the request has those of its SDK
//   GET /settings?events=N&delay=MILLISECONDS: text deltas of a stream, and the time between two of its events
//
// It ends when its standard input does, so that it never outlives the program that started it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "responses.h"
#include "text.h"

typedef struct {
  int socket;
  Text input;
  /** What the socket did not take yet. */
  Text output;
  /** The stream being sent event by event, or NULL. */
  const Reply *paced;
  int next_frame;
  long due;
  /** Place in `paced_connections`. */
  int paced_index;
} Connection;

static int poller;
static int delay_milliseconds;
static Connection **paced_connections;
static int paced_count, paced_capacity;

static void watch(Connection *connection, uint32_t events, int operation) {
  struct epoll_event event = {.events = events, .data.ptr = connection};
  epoll_ctl(poller, operation, connection->socket, &event);
}

static void start_pacing(Connection *connection, const Reply *reply) {
  if (paced_count == paced_capacity) {
    paced_capacity = paced_capacity * 2 + 64;
    paced_connections = realloc(paced_connections, sizeof(Connection *) * (size_t)paced_capacity);
  }
  connection->paced = reply;
  connection->next_frame = 0;
  connection->due = now_microseconds() + delay_milliseconds * 1000L;
  connection->paced_index = paced_count;
  paced_connections[paced_count++] = connection;
}

static void stop_pacing(Connection *connection) {
  if (connection->paced == NULL) return;
  Connection *last = paced_connections[--paced_count];
  paced_connections[connection->paced_index] = last;
  last->paced_index = connection->paced_index;
  connection->paced = NULL;
}

static void close_connection(Connection *connection) {
  stop_pacing(connection);
  close(connection->socket);
  text_free(&connection->input);
  text_free(&connection->output);
  free(connection);
}

/** False when the connection is dead. */
static int send_bytes(Connection *connection, const char *bytes, size_t length) {
  if (connection->output.length == 0) {
    ssize_t sent = send(connection->socket, bytes, length, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return 0;
    size_t done = sent < 0 ? 0 : (size_t)sent;
    if (done == length) return 1;
    bytes += done;
    length -= done;
    watch(connection, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
  }
  text_append(&connection->output, bytes, length);
  return 1;
}

static int send_rest(Connection *connection) {
  Text *output = &connection->output;
  ssize_t sent = send(connection->socket, output->bytes, output->length, MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN;
  text_drop(output, (size_t)sent);
  if (output->length == 0) watch(connection, EPOLLIN, EPOLL_CTL_MOD);
  return 1;
}

static int has(const char *bytes, size_t length, const char *word) {
  return memmem(bytes, length, word, strlen(word)) != NULL;
}

/** Whether a JSON body sets a member to true. Python writes a blank after the colon. */
static int sets(const char *body, size_t length, const char *member) {
  char compact[40], python[40];
  snprintf(compact, sizeof compact, "\"%s\":true", member);
  snprintf(python, sizeof python, "\"%s\": true", member);
  return has(body, length, compact) || has(body, length, python);
}

static int change_settings(Connection *connection, const char *line, size_t length) {
  int events = 0, delay = 0;
  char copy[128];
  snprintf(copy, sizeof copy, "%.*s", (int)length, line);
  if (sscanf(copy, "GET /settings?events=%d&delay=%d", &events, &delay) == 2 && paced_count == 0) {
    delay_milliseconds = delay;
    build_replies(events);
    return send_bytes(connection, "HTTP/1.1 204 No Content\r\n\r\n", 27);
  }
  static const char REFUSED[] = "HTTP/1.1 409 Conflict\r\ncontent-length: 0\r\n\r\n";
  return send_bytes(connection, REFUSED, sizeof REFUSED - 1);
}

/** The headers of OpenAI's API besides those of every reply (2026-11), which a request with the headers of its SDK gets. */
static const char OPENAI_HEADERS[] =
    "date: Mon, 23 Nov 2026 05:00:00 GMT\r\naccess-control-expose-headers: X-Request-ID\r\n"
    "openai-organization: user-4a7mzqjwl0c8rtxpvbnd2ehk\r\nopenai-project: proj_9yKcVb2mTq4LwZs7RfXh\r\n"
    "openai-version: 2020-10-01\r\nx-envoy-upstream-service-time: 431\r\nx-ratelimit-limit-requests: 10000\r\n"
    "x-ratelimit-limit-tokens: 200000\r\nx-ratelimit-remaining-requests: 9999\r\n"
    "x-ratelimit-remaining-tokens: 199980\r\nx-ratelimit-reset-requests: 8.64s\r\n"
    "x-ratelimit-reset-tokens: 6ms\r\nx-openai-proxy-wasm: v0.1\r\ncf-cache-status: DYNAMIC\r\n"
    "set-cookie: __cf_bm=Wq3.xT8uJr0eYk5vNn1sLh7dGc2bAf9m-1763700000-1.0.1.1-p4Zo6Ri8Ux; path=/; HttpOnly; Secure\r\n"
    "strict-transport-security: max-age=31536000; includeSubDomains; preload\r\nx-content-type-options: nosniff\r\n"
    "set-cookie: _cfuvid=Lm2.kV9wQz4yTx7rJc1n-1763700000123-0.0.1.1-604800000; path=/; HttpOnly; Secure\r\n"
    "server: cloudflare\r\ncf-ray: 9a2f4c6e8b0d1f37-FRA\r\nalt-svc: h3=\":443\"; ma=86400\r\n";
static const char STATUS_LINE[] = "HTTP/1.1 200 OK\r\n";

static int send_reply(Connection *connection, const Reply *reply, int has_openai_headers) {
  if (!has_openai_headers) return send_bytes(connection, reply->bytes.bytes, reply->bytes.length);
  static Text whole;
  size_t line = sizeof STATUS_LINE - 1;
  whole.length = 0;
  text_append(&whole, STATUS_LINE, line);
  text_append(&whole, OPENAI_HEADERS, sizeof OPENAI_HEADERS - 1);
  text_append(&whole, reply->bytes.bytes + line, reply->bytes.length - line);
  return send_bytes(connection, whole.bytes, whole.length);
}

static int answer(Connection *connection, const char *head, size_t head_length, const char *body, size_t body_length) {
  size_t line = (size_t)((char *)memchr(head, '\r', head_length) - head);
  if (strncmp(head, "GET ", 4) == 0) return change_settings(connection, head, line);
  int is_stream = sets(body, body_length, "stream");
  const Reply *reply = NULL;
  if (has(head, line, ":streamGenerateContent")) {
    is_stream = 1;
    reply = &gemini_stream;
  } else if (has(head, line, "/converse-stream")) {
    is_stream = 1;
    reply = &converse_stream;
  } else if (has(head, line, "/responses")) {
    is_stream = 0;
    reply = &response_object;
  } else if (has(head, line, "/messages")) {
    reply = is_stream ? &message_stream : &message;
  } else if (has(head, line, "/chat/completions")) {
    int has_usage = is_stream && sets(body, body_length, "include_usage");
    reply = !is_stream ? &chat_completion : has_usage ? &chat_stream_with_usage : &chat_stream;
  }
  if (reply == NULL) {
    static const char NOT_FOUND[] = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
    return send_bytes(connection, NOT_FOUND, sizeof NOT_FOUND - 1);
  }
  if (!is_stream || delay_milliseconds == 0)
    return send_reply(connection, reply, has(head, head_length, "x-stainless-lang"));
  start_pacing(connection, reply);
  return send_bytes(connection, reply->bytes.bytes, reply->head_length);
}

/** Length of a chunked body with its framing, 0 when it is not all here. The chunks are joined at its start. */
static size_t join_chunks(char *body, const char *end, size_t *joined) {
  char *from = body;
  *joined = 0;
  for (;;) {
    char *line_end = memchr(from, '\n', (size_t)(end - from));
    if (line_end == NULL) return 0;
    size_t size = strtoul(from, NULL, 16);
    if ((size_t)(end - line_end - 1) < size + 2) return 0;
    from = line_end + 1 + size + 2;
    if (size == 0) break;
  }
  for (char *at = body;;) {
    char *line_end = memchr(at, '\n', (size_t)(end - at));
    size_t size = strtoul(at, NULL, 16);
    if (size == 0) return (size_t)(from - body);
    memmove(body + *joined, line_end + 1, size);
    *joined += size;
    at = line_end + 1 + size + 2;
  }
}

/** Answers every whole request that has arrived. False when the connection is done for. */
static int answer_requests(Connection *connection) {
  Text *input = &connection->input;
  while (input->length > 0 && connection->paced == NULL) {
    char *head_end = memmem(input->bytes, input->length, "\r\n\r\n", 4);
    if (head_end == NULL) return 1;
    size_t head_length = (size_t)(head_end + 4 - input->bytes);
    size_t body_length = 0;
    int is_chunked = 0;
    for (char *line = input->bytes; line < head_end; line = strchr(line, '\n') + 1) {
      if (strncasecmp(line, "content-length:", 15) == 0) body_length = strtoul(line + 15, NULL, 10);
      if (strncasecmp(line, "transfer-encoding:", 18) == 0) is_chunked = 1;
    }
    size_t wire_length = body_length;
    if (is_chunked) {
      wire_length = join_chunks(head_end + 4, input->bytes + input->length, &body_length);
      if (wire_length == 0) return 1;
    }
    if (input->length < head_length + wire_length) return 1;
    if (!answer(connection, input->bytes, head_length, head_end + 4, body_length)) return 0;
    text_drop(input, head_length + wire_length);
  }
  return 1;
}

static int receive(Connection *connection) {
  Text *input = &connection->input;
  for (;;) {
    text_reserve(input, 65536);
    size_t room = input->capacity - input->length - 1;
    ssize_t received = recv(connection->socket, input->bytes + input->length, room, 0);
    if (received < 0) return errno == EAGAIN ? answer_requests(connection) : 0;
    if (received == 0) return 0;
    input->length += (size_t)received;
    input->bytes[input->length] = 0;
    if ((size_t)received < room) return answer_requests(connection);
  }
}

/** Sends the events whose time has come. */
static void pace(void) {
  long now = now_microseconds();
  for (int i = paced_count - 1; i >= 0; i--) {
    Connection *connection = paced_connections[i];
    if (connection->due > now) continue;
    const Reply *reply = connection->paced;
    int frame = connection->next_frame++;
    size_t start = frame == 0 ? reply->head_length : reply->frame_ends[frame - 1];
    connection->due += delay_milliseconds * 1000L;
    if (connection->due < now) connection->due = now + delay_milliseconds * 1000L;
    if (connection->next_frame == reply->frame_count) stop_pacing(connection);
    if (!send_bytes(connection, reply->bytes.bytes + start, reply->frame_ends[frame] - start)) {
      close_connection(connection);
    }
  }
}

static int listen_on(int port) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024)) {
    perror("provider");
    exit(1);
  }
  return listener;
}

static void accept_all(int listener) {
  int accepted, yes = 1;
  while ((accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Connection *connection = calloc(1, sizeof *connection);
    connection->socket = accepted;
    watch(connection, EPOLLIN, EPOLL_CTL_ADD);
  }
}

int main(int count, char **words) {
  if (count != 2) return 2;
  signal(SIGPIPE, SIG_IGN);
  build_replies(200);
  poller = epoll_create1(0);
  // Two marks that are no connections: the listener and the standard input.
  Connection listener = {.socket = listen_on(atoi(words[1]))}, input = {.socket = STDIN_FILENO};
  watch(&listener, EPOLLIN, EPOLL_CTL_ADD);
  watch(&input, EPOLLIN, EPOLL_CTL_ADD);
  struct epoll_event events[256];
  for (;;) {
    int ready = epoll_wait(poller, events, 256, paced_count > 0 ? 1 : -1);
    for (int i = 0; i < ready; i++) {
      Connection *connection = events[i].data.ptr;
      if (connection == &input) return 0;
      if (connection == &listener) {
        accept_all(listener.socket);
        continue;
      }
      int alive = 1;
      if (events[i].events & EPOLLOUT) alive = send_rest(connection);
      if (alive && (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) alive = receive(connection);
      if (!alive) close_connection(connection);
    }
    pace();
  }
}
