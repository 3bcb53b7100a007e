// What Envoy does when memory or connections run out: it rejects new requests, so that in-flight requests can finish.
import type { GatewayModel } from "../model/model.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import type { Extension, Fields } from "./envoy-types.ts";
import { duration, extension, typed } from "./envoy-types.ts";

/** Each costs a file descriptor, and a second one for the provider while a request is in flight. */
const MAX_CONNECTIONS = 20_000;
const GIBIBYTE = 1024 ** 3;
/** For the programs: 100 MB of Envoy and 150 MB of the gateway's process. */
const RESERVED_BYTES = GIBIBYTE / 4;
/** Of a container below 512 MiB, in which what is reserved would leave too little. */
const MIN_SHARE = 1 / 4;
/**
 * Limits how many bytes can arrive before the next check. Every 25 ms, Envoy's main thread would wake 137 times a second instead of 35
 * to 50, and take 4 ms of processor time: a single core has the workers' requests wait for it.
 */
const REFRESH_MS = 50;
/** Streams that hold less than this power of two (256 KiB) are not tracked for a reset when memory runs out. */
const TRACKED_FROM = 18;

/**
 * Idle timeout of a stream when all memory is in use: what HTTP/1 connections at both ends hold is not counted for each
 * stream, so that the streams which do not move are reset instead of the largest.
 */
const MIN_IDLE_MS = 5000;

const HEAP = "envoy.resource_monitors.fixed_heap";

/**
 * Free memory that goes back to the system in a second: what large bodies and the compiler of the filter have left. More at once,
 * or a limit (`soft_memory_limit_bytes`), takes memory away that the next body needs again.
 */
const RELEASED_BYTES = 8 << 20;

/** Shares of the memory at which the overload actions start, in their order. */
const GIVE_BACK = 0.85;
const TURN_AWAY = 0.9;
const RESET_FROM = 0.95;
const TAKE_NOTHING = 0.98;

/** Returns how the allocator gives memory back; by default it keeps all of it. */
export function memoryRelease(): Fields {
  return { bytes_to_release: RELEASED_BYTES, memory_release_interval: duration(1000) };
}

export function overloadManager(model: GatewayModel, runtime: RuntimeEnvironment): Fields {
  return {
    refresh_interval: duration(REFRESH_MS),
    resource_monitors: [heap(model, runtime), connections(model)],
    // Only HTTP/2 requests can be reset one by one: those that hold the most memory are reset first.
    buffer_factory_config: { minimum_account_to_track_power_of_two: TRACKED_FROM },
    actions: [
      action("shrink_heap", { threshold: { value: GIVE_BACK } }),
      action("stop_accepting_requests", { threshold: { value: TURN_AWAY } }),
      action("reset_high_memory_stream", {
        scaled: { scaling_threshold: RESET_FROM, saturation_threshold: 1 },
      }),
      {
        ...action("reduce_timeouts", {
          scaled: { scaling_threshold: RESET_FROM, saturation_threshold: 1 },
        }),
        typed_config: typed("config.overload.v3.ScaleTimersOverloadActionConfig", {
          timer_scale_factors: [
            { timer: "HTTP_DOWNSTREAM_STREAM_IDLE", min_timeout: duration(MIN_IDLE_MS) },
          ],
        }),
      },
    ],
    // Stops reading HTTP/1 bodies that are still arriving.
    loadshed_points: [
      {
        name: "envoy.load_shed_points.http1_server_abort_dispatch",
        triggers: [{ name: HEAP, threshold: { value: TAKE_NOTHING } }],
      },
    ],
  };
}

function heap({ limits }: GatewayModel, runtime: RuntimeEnvironment): Extension {
  const bytes = limits.memoryBytes ?? defaultLimit(runtime.memoryBytes ?? 2 * GIBIBYTE);
  return extension(HEAP, "extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig", {
    max_heap_size_bytes: bytes,
  });
}

/**
 * Returns half of what the programs leave: the other half is for memory that Envoy does not count, the filter's and free pages
 * between blocks.
 */
export function defaultLimit(memory: number): number {
  return Math.floor(Math.max(memory * MIN_SHARE, (memory - RESERVED_BYTES) / 2));
}

function connections({ limits }: GatewayModel): Extension {
  return extension(
    "envoy.resource_monitors.global_downstream_max_connections",
    "extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
    { max_active_downstream_connections: limits.connections ?? MAX_CONNECTIONS },
  );
}

function action(name: string, trigger: Fields): Fields {
  return { name: `envoy.overload_actions.${name}`, triggers: [{ name: HEAP, ...trigger }] };
}
