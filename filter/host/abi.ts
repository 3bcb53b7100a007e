// The proxy-wasm 0.2.1 functions of Envoy that the filter calls, as they are: pointers and lengths, a status back.
// Specification: proxy-wasm/spec, abi-versions/v0.2.1. Why our own: docs/decisions/2026-11-21-own-abi.md.

@external("env", "proxy_log")
export declare function proxy_log(level: i32, message: usize, size: usize): i32;

@external("env", "proxy_get_header_map_value")
export declare function proxy_get_header_map_value(map: i32, key: usize, keySize: usize, value: usize, valueSize: usize): i32;

@external("env", "proxy_get_header_map_pairs")
export declare function proxy_get_header_map_pairs(map: i32, pairs: usize, pairsSize: usize): i32;

@external("env", "proxy_set_header_map_pairs")
export declare function proxy_set_header_map_pairs(map: i32, pairs: usize, pairsSize: usize): i32;

@external("env", "proxy_replace_header_map_value")
export declare function proxy_replace_header_map_value(map: i32, key: usize, keySize: usize, value: usize, valueSize: usize): i32;

@external("env", "proxy_remove_header_map_value")
export declare function proxy_remove_header_map_value(map: i32, key: usize, keySize: usize): i32;

@external("env", "proxy_get_buffer_bytes")
export declare function proxy_get_buffer_bytes(buffer: i32, start: u32, length: u32, data: usize, dataSize: usize): i32;

@external("env", "proxy_set_buffer_bytes")
export declare function proxy_set_buffer_bytes(buffer: i32, start: u32, length: u32, data: usize, dataSize: usize): i32;

@external("env", "proxy_get_property")
export declare function proxy_get_property(path: usize, pathSize: usize, value: usize, valueSize: usize): i32;

@external("env", "proxy_set_property")
export declare function proxy_set_property(path: usize, pathSize: usize, value: usize, valueSize: usize): i32;

@external("env", "proxy_get_shared_data")
export declare function proxy_get_shared_data(key: usize, keySize: usize, value: usize, valueSize: usize, version: usize): i32;

@external("env", "proxy_set_shared_data")
export declare function proxy_set_shared_data(key: usize, keySize: usize, value: usize, valueSize: usize, version: u32): i32;

@external("env", "proxy_define_metric")
export declare function proxy_define_metric(kind: i32, name: usize, nameSize: usize, id: usize): i32;

@external("env", "proxy_get_metric")
export declare function proxy_get_metric(id: u32, value: usize): i32;

@external("env", "proxy_increment_metric")
export declare function proxy_increment_metric(id: u32, by: i64): i32;

@external("env", "proxy_send_local_response")
export declare function proxy_send_local_response(
  status: u32,
  details: usize,
  detailsSize: usize,
  body: usize,
  bodySize: usize,
  headers: usize,
  headersSize: usize,
  grpcStatus: i32,
): i32;

@external("env", "proxy_http_call")
export declare function proxy_http_call(
  cluster: usize,
  clusterSize: usize,
  headers: usize,
  headersSize: usize,
  body: usize,
  bodySize: usize,
  trailers: usize,
  trailersSize: usize,
  timeoutMs: u32,
  token: usize,
): i32;

@external("env", "proxy_set_effective_context")
export declare function proxy_set_effective_context(context: u32): i32;

@external("env", "proxy_continue_stream")
export declare function proxy_continue_stream(direction: i32): i32;

@external("env", "proxy_get_current_time_nanoseconds")
export declare function proxy_get_current_time_nanoseconds(time: usize): i32;

@external("wasi_snapshot_preview1", "environ_sizes_get")
export declare function environ_sizes_get(count: usize, size: usize): i32;

@external("wasi_snapshot_preview1", "environ_get")
export declare function environ_get(pointers: usize, bytes: usize): i32;

@external("wasi_snapshot_preview1", "random_get")
export declare function random_get(bytes: usize, length: usize): i32;
