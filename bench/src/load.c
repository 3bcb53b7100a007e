// A load generator: one thread, HTTP/1.1 with keep-alive, one request at a time on each connection.
//
//   load -c CONNECTIONS -t SECONDS [-w WARM_UP] [-s SPREAD] [-r PER_SECOND] [-n REQUESTS] [-p PID] [-k] [-H HEADER …] -f BODY PORT PATH
//
// Closed loop: every connection sends its next request when it has its answer; the first ones are spread over SPREAD
// seconds, so that long streams do not all end at once. With -r open loop: requests are due at fixed times, and a late
// one counts from when it was due. It ends SECONDS after WARM_UP, or after REQUESTS if that is sooner.
// -H adds a header, as `name: value`, to every request. With -k requests have the headers of OpenAI's SDK for Python.
// It prints one line of JSON. Times are in microseconds; `first` is the time to the first byte of the body; `cpu` is
// what process PID used per request.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "response.h"
#include "text.h"

typedef struct {
  int socket;
  int is_busy;
  /** Whether the socket did not take the whole request at once. */
  int is_waiting;
  size_t sent;
  long started;
  long first_byte;
  Response response;
} Connection;

static int poller, port, pid;
static int connection_count = 1;
static double seconds = 5, warm_up = 0, spread = 0, rate = 0;
static unsigned long request_limit = ~0UL;
static Text request;
static Connection *connections;

static int is_measuring;
static long measured_from;
static unsigned long begun, finished, failed, broken;
static int failed_status;
static uint32_t *latencies, *first_bytes;
static size_t latency_count, latency_capacity;

/** CPU time of the measured process in nanoseconds: all its threads, which schedstat tells exactly. */
static double process_cpu(void) {
  char path[320];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *tasks = pid > 0 ? opendir(path) : NULL;
  if (tasks == NULL) return 0;
  double total = 0;
  for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
    if (task->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, task->d_name);
    FILE *file = fopen(path, "r");
    double nanoseconds = 0;
    if (file != NULL && fscanf(file, "%lf", &nanoseconds) == 1) total += nanoseconds;
    if (file != NULL) fclose(file);
  }
  closedir(tasks);
  return total;
}

static void watch(Connection *connection, uint32_t events, int operation) {
  struct epoll_event event = {.events = events, .data.ptr = connection};
  epoll_ctl(poller, operation, connection->socket, &event);
}

static void connect_to_gateway(Connection *connection) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  int yes = 1;
  connection->socket = socket(AF_INET, SOCK_STREAM, 0);
  connection->is_busy = 0;
  connection->is_waiting = 0;
  setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (connect(connection->socket, (struct sockaddr *)&address, sizeof address)) {
    perror("load: connect");
    exit(1);
  }
  fcntl(connection->socket, F_SETFL, O_NONBLOCK);
  watch(connection, EPOLLIN, EPOLL_CTL_ADD);
}

static void send_request(Connection *connection) {
  size_t left = request.length - connection->sent;
  ssize_t sent = send(connection->socket, request.bytes + connection->sent, left, MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) return;
  connection->sent += sent < 0 ? 0 : (size_t)sent;
  int is_waiting = connection->sent < request.length;
  if (is_waiting == connection->is_waiting) return;
  connection->is_waiting = is_waiting;
  watch(connection, is_waiting ? EPOLLIN | EPOLLOUT : EPOLLIN, EPOLL_CTL_MOD);
}

static void begin(Connection *connection, long started) {
  if (begun >= request_limit) return;
  begun++;
  connection->is_busy = 1;
  connection->sent = 0;
  connection->started = started;
  connection->first_byte = 0;
  response_start(&connection->response);
  send_request(connection);
}

static void record(const Connection *connection, long now) {
  finished++;
  int status = connection->response.status;
  if (status < 200 || status > 299) {
    failed++;
    failed_status = status;
  }
  if (connection->started < measured_from) return;
  if (latency_count == latency_capacity) {
    latency_capacity = latency_capacity * 2 + 65536;
    latencies = realloc(latencies, latency_capacity * sizeof *latencies);
    first_bytes = realloc(first_bytes, latency_capacity * sizeof *first_bytes);
  }
  latencies[latency_count] = (uint32_t)(now - connection->started);
  first_bytes[latency_count++] = (uint32_t)(connection->first_byte - connection->started);
}

static void reconnect(Connection *connection) {
  close(connection->socket);
  connect_to_gateway(connection);
}

/** Reads what has come. Answers whether the connection is free for its next request. */
static int receive(Connection *connection) {
  static char bytes[262144];
  ssize_t received = recv(connection->socket, bytes, sizeof bytes, 0);
  if (received < 0 && errno == EAGAIN) return 0;
  long now = now_microseconds();
  if (received <= 0) {
    if (connection->is_busy) {
      broken += (unsigned long)is_measuring;
      finished++;
    }
    reconnect(connection);
    return 1;
  }
  int is_complete = response_take(&connection->response, bytes, (size_t)received);
  if (connection->first_byte == 0 && (connection->response.has_body || is_complete)) connection->first_byte = now;
  if (!is_complete) return 0;
  record(connection, now);
  connection->is_busy = 0;
  if (connection->response.closes) reconnect(connection);
  return 1;
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static double percentile(const uint32_t *sorted, double part) {
  if (latency_count == 0) return 0;
  size_t at = (size_t)(part * (double)latency_count);
  return sorted[at < latency_count ? at : latency_count - 1];
}

static void report(double elapsed, double cpu) {
  qsort(latencies, latency_count, sizeof *latencies, by_size);
  qsort(first_bytes, latency_count, sizeof *first_bytes, by_size);
  double requests = finished > 0 ? (double)finished : 1;
  printf("{\"requests\":%lu,\"failed\":%lu,\"failedStatus\":%d,\"broken\":%lu,\"perSecond\":%.1f,\"cpu\":%.2f,"
         "\"p50\":%.0f,\"p99\":%.0f,\"p999\":%.0f,\"firstP50\":%.0f,\"firstP99\":%.0f}\n",
         finished, failed, failed_status, broken, (double)finished / elapsed, cpu / 1000 / requests,
         percentile(latencies, 0.5), percentile(latencies, 0.99),
         percentile(latencies, 0.999), percentile(first_bytes, 0.5),
         percentile(first_bytes, 0.99));
}

static void start_measuring(long now) {
  is_measuring = 1;
  measured_from = now;
  finished = failed = broken = 0;
  latency_count = 0;
}

/** Open loop: gives due requests to free connections. Answers the time until the next one is due. */
static long begin_due(long start, unsigned long *due) {
  long now = now_microseconds();
  for (int i = 0; i < connection_count; i++) {
    long next = start + (long)((double)*due * 1e6 / rate);
    if (next > now) return next - now;
    if (connections[i].is_busy) continue;
    begin(&connections[i], next);
    (*due)++;
  }
  long next = start + (long)((double)*due * 1e6 / rate);
  // All connections are busy: the next answer wakes us.
  return next > now ? next - now : 1000;
}

static void run(void) {
  long start = now_microseconds(), warm = start + (long)(warm_up * 1e6), end = warm + (long)(seconds * 1e6);
  unsigned long due = 0;
  int started = 0;
  double cpu_before = 0;
  struct epoll_event events[512];
  for (;;) {
    long now = now_microseconds();
    if (!is_measuring && now >= warm) {
      start_measuring(now);
      cpu_before = process_cpu();
    }
    if (now >= end || finished >= request_limit) {
      report((double)(now - measured_from) / 1e6, process_cpu() - cpu_before);
      return;
    }
    // Closed loop: the connections that begin now.
    for (; rate == 0 && started < connection_count && now - start >= (long)(spread * 1e6 * started / connection_count); started++) {
      begin(&connections[started], now);
    }
    long wait = rate == 0 ? 1000 : begin_due(start, &due);
    struct timespec timeout = {wait / 1000000, wait % 1000000 * 1000};
    int ready = epoll_pwait2(poller, events, 512, &timeout, NULL);
    for (int i = 0; i < ready; i++) {
      Connection *connection = events[i].data.ptr;
      if (events[i].events & EPOLLOUT) send_request(connection);
      if (!(events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) continue;
      if (receive(connection) && rate == 0) begin(connection, now_microseconds());
    }
  }
}

static const char BARE_HEADERS[] = "accept: */*\r\nuser-agent: gateway-bench\r\n";
static const char SDK_HEADERS[] =
    "accept-encoding: gzip, deflate\r\naccept: application/json\r\nuser-agent: OpenAI/Python 1.109.1\r\n"
    "x-stainless-lang: python\r\nx-stainless-package-version: 1.109.1\r\nx-stainless-os: Linux\r\n"
    "x-stainless-arch: x64\r\nx-stainless-runtime: CPython\r\nx-stainless-runtime-version: 3.12.3\r\n"
    "x-stainless-async: false\r\nx-stainless-retry-count: 0\r\nx-stainless-read-timeout: 600\r\n";
static const char *headers = BARE_HEADERS;
/** Those of -H, but for `authorization`, which has a default. */
static Text more_headers;
static const char *credential = "Bearer any";

static void make_request(const char *body_file, const char *path) {
  FILE *file = fopen(body_file, "r");
  if (file == NULL) {
    perror(body_file);
    exit(2);
  }
  Text body = {0};
  for (size_t got = 1; got > 0;) {
    text_reserve(&body, 65536);
    got = fread(body.bytes + body.length, 1, 65536, file);
    body.length += got;
  }
  fclose(file);
  text_format(&request,
              "POST %s HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ncontent-type: application/json\r\n%s%s"
              "authorization: %s\r\ncontent-length: %zu\r\n\r\n",
              path, port, headers, more_headers.length > 0 ? more_headers.bytes : "", credential,
              body.length);
  text_append(&request, body.bytes, body.length);
  text_free(&body);
}

int main(int count, char **words) {
  const char *body_file = NULL;
  for (int option; (option = getopt(count, words, "c:t:w:s:r:n:p:kH:f:")) > 0;) {
    if (option == 'c') connection_count = atoi(optarg);
    else if (option == 't') seconds = atof(optarg);
    else if (option == 'w') warm_up = atof(optarg);
    else if (option == 's') spread = atof(optarg);
    else if (option == 'r') rate = atof(optarg);
    else if (option == 'n') request_limit = strtoul(optarg, NULL, 10);
    else if (option == 'p') pid = atoi(optarg);
    else if (option == 'k') headers = SDK_HEADERS;
    else if (option == 'H' && strncmp(optarg, "authorization: ", 15) == 0) credential = optarg + 15;
    else if (option == 'H') text_format(&more_headers, "%s\r\n", optarg);
    else if (option == 'f') body_file = optarg;
    else return 2;
  }
  if (body_file == NULL || count - optind != 2) return 2;
  signal(SIGPIPE, SIG_IGN);
  port = atoi(words[optind]);
  make_request(body_file, words[optind + 1]);
  poller = epoll_create1(0);
  connections = calloc((size_t)connection_count, sizeof *connections);
  for (int i = 0; i < connection_count; i++) connect_to_gateway(&connections[i]);
  run();
  return 0;
}
