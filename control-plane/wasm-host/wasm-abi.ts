// The numbers and names of proxy-wasm ABI 0.2.1, as Envoy 1.40 implements it.

/** What a host function returns. */
export const Result = {
  ok: 0,
  notFound: 1,
  badArgument: 2,
  parseFailure: 4,
  invalidMemoryAccess: 6,
  casMismatch: 8,
  internalFailure: 10,
  unimplemented: 12,
} as const;

/** What a headers callback returns. */
export const HeadersStatus = {
  continue: 0,
  stopIteration: 1,
  continueAndEndStream: 2,
  stopAllIterationAndBuffer: 3,
  stopAllIterationAndWatermark: 4,
} as const;

/** What a body callback returns. */
export const DataStatus = {
  continue: 0,
  stopIterationAndBuffer: 1,
  stopIterationAndWatermark: 2,
  stopIterationNoBuffer: 3,
} as const;

/** What a trailers callback returns. */
export const TrailersStatus = { continue: 0, stopIteration: 1 } as const;

export const MapType = {
  requestHeaders: 0,
  requestTrailers: 1,
  responseHeaders: 2,
  responseTrailers: 3,
  callResponseHeaders: 6,
  callResponseTrailers: 7,
} as const;

export const BufferType = {
  requestBody: 0,
  responseBody: 1,
  callResponseBody: 4,
  vmConfiguration: 6,
  pluginConfiguration: 7,
} as const;

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "critical"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Every `env` import that Envoy 1.40 supports for this ABI. A module with any other import is not loaded. If an import
 * is not modelled, the host returns `unimplemented` and reports the call.
 */
export const ENVOY_IMPORTS = new Set(
  `log get_log_level get_status get_property set_property send_local_response get_shared_data
   set_shared_data register_shared_queue resolve_shared_queue dequeue_shared_queue
   enqueue_shared_queue get_header_map_value add_header_map_value replace_header_map_value
   remove_header_map_value get_header_map_pairs set_header_map_pairs get_header_map_size
   get_buffer_status get_buffer_bytes set_buffer_bytes http_call grpc_call grpc_stream grpc_close
   grpc_cancel grpc_send set_tick_period_milliseconds get_current_time_nanoseconds define_metric
   increment_metric record_metric get_metric set_effective_context done call_foreign_function
   continue_stream close_stream`
    .split(/\s+/)
    .map((name) => `proxy_${name}`),
);

/** Every WASI import that Envoy 1.40 supports. */
export const WASI_IMPORTS = new Set(
  `args_get args_sizes_get clock_time_get environ_get environ_sizes_get fd_close fd_fdstat_get
   fd_read fd_seek fd_write path_create_directory path_open path_remove_directory path_rename
   path_unlink_file poll_oneoff proc_exit random_get sched_yield`.split(/\s+/),
);

/** The callbacks that the host calls; all but the first three may be missing. */
export interface GuestExports {
  memory: WebAssembly.Memory;
  proxy_on_memory_allocate: (size: number) => number;
  proxy_on_context_create?: (context: number, root: number) => void;
  proxy_on_vm_start?: (root: number, configurationSize: number) => number;
  proxy_on_configure?: (root: number, configurationSize: number) => number;
  proxy_on_request_headers?: (context: number, count: number, end: number) => number;
  proxy_on_request_body?: (context: number, size: number, end: number) => number;
  proxy_on_response_headers?: (context: number, count: number, end: number) => number;
  proxy_on_response_body?: (context: number, size: number, end: number) => number;
  proxy_on_response_trailers?: (context: number, count: number) => number;
  proxy_on_http_call_response?: (
    root: number,
    token: number,
    headers: number,
    bodySize: number,
    trailers: number,
  ) => void;
  proxy_on_done?: (context: number) => number;
  proxy_on_log?: (context: number) => void;
  proxy_on_delete?: (context: number) => void;
}
