// The routes of a listener: the filter names the cluster, the route sets the right kind of timeout.
import { MCP, READINESS } from "../contract/endpoints.ts";
import {
  HEADER_API_KEY,
  HEADER_CLUSTER,
  HEADER_RETRY,
  HEADER_RETRY_AFTER,
  HEADER_STREAM_CLUSTER,
  NO_ADDRESS,
} from "../contract/words.ts";
import type { GatewayModel, Listener } from "../model/model.ts";
import { generationOf, inGeneration } from "../model/filter-document/write-document.ts";
import { MODEL_SERVER_CLUSTER } from "../model/filter-document/document-prompt.ts";
import { limitHeaders } from "../model/mcp-tools.ts";
import type { Prompt } from "../model/prompts.ts";
import { retryPolicies } from "../model/retry-policies.ts";
import type { RetryPolicy } from "../model/retry-policies.ts";
import { attemptCluster, attemptedUpstreams } from "../model/upstreams.ts";
import type { RuntimeEnvironment } from "./runtime-environment.ts";
import { heldBytes } from "./buffers.ts";
import { loginRoutes } from "./login-routes.ts";
import { nextAttempt } from "./attempt-cluster.ts";
import { routeHeaders } from "./route-headers.ts";
import type { Fields, Route } from "./envoy-types.ts";
import { duration } from "./envoy-types.ts";

const SECOND = 1000;

/** Path of the readiness report. */
const READY_PATH = READINESS.path;
/** Headers in which clients send a key of the listener. */
const CREDENTIALS = ["authorization", "x-api-key", HEADER_API_KEY, "cookie"];

/** Failures that occurred before the provider can have started to process the request. */
const BEFORE_REQUEST = ["connect-failure", "refused-stream", "reset-before-request"];
/** Applies to every request: a pooled connection that was closed a moment ago is not an error of the provider. */
const RECONNECT: Fields = {
  retry_on: BEFORE_REQUEST.join(","),
  num_retries: 1,
  retry_back_off: { base_interval: "0.001s", max_interval: "0.01s" },
};
/**
 * Envoy copies a body that it may have to resend, which would cost a large one a quarter more CPU time. If no fallback
 * is configured, the client's SDK retries instead.
 */
const MAX_RECONNECT_BYTES = 128 * 1024;
/** The longest pause that a provider can request; the filter does not wait for a longer one. */
const MAX_REST = 10 * SECOND;

export function routeConfiguration(
  listener: Listener,
  model: GatewayModel,
  runtime: Pick<RuntimeEnvironment, "notReady" | "note">,
): Fields {
  const hasTools = listener.name === "ingress" && model.prompt?.mcp === true;
  const all = [
    readiness(runtime),
    ...loginRoutes(listener, model),
    ...(hasTools ? [tools(listener, model.prompt)] : []),
    ...routes(listener, model),
  ];
  return {
    name: listener.name,
    ...routeHeaders(model),
    virtual_hosts: [
      {
        name: listener.name,
        domains: ["*"],
        routes: all,
        // Despite its name also for the responses that the filter holds. A connection's own limit can so be small.
        request_body_buffer_limit: heldBytes(model),
      },
    ],
  };
}

/**
 * Returns the route of the readiness report. First, because the next routes match by headers, which any client can
 * send. The filter lets no other request reach it.
 */
function readiness({ notReady, note }: Pick<RuntimeEnvironment, "notReady" | "note">): Route {
  const ready = { status: "ready", ...(note === undefined ? {} : { note }) };
  const body = notReady === undefined ? ready : { status: "unavailable", reason: notReady };
  return {
    match: { path: READY_PATH },
    direct_response: {
      status: notReady === undefined ? 200 : 503,
      body: { inline_string: JSON.stringify(body) },
    },
    response_headers_to_add: [
      {
        header: { key: "content-type", value: "application/json" },
        append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
      },
    ],
  };
}

/** Time for the MCP server to report that the listener's timeout has expired. */
const TOOL_MARGIN = 5 * SECOND;

/**
 * Returns the route of tool calls to the model server. It gets no credential of the client, which the filter has checked,
 * unless a rate limit distinguishes clients by it.
 */
function tools({ timeoutMs }: Listener, prompt: Prompt | undefined): Route {
  const needed = prompt === undefined ? [] : limitHeaders(prompt);
  return {
    match: { path: MCP.path },
    route: {
      cluster: MODEL_SERVER_CLUSTER,
      timeout: duration(timeoutMs + TOOL_MARGIN),
      idle_timeout: "0s",
    },
    request_headers_to_remove: CREDENTIALS.filter((name) => !needed.includes(name)),
  };
}

function routes(listener: Listener, model: GatewayModel): Route[] {
  const generation = generationOf(model);
  const attempts = attemptedUpstreams(model).map((upstream) =>
    inGeneration(attemptCluster(upstream), generation),
  );
  return [
    ...[...retryPolicies(model)].flatMap(([name, policy]) =>
      severalAttempts(listener, inGeneration(name, generation), policy, attempts),
    ),
    ...oneTarget(listener),
    unrouted(),
  ];
}

/**
 * Returns the route of requests for which the filter has not chosen a cluster, or to which it responds itself: none of them is
 * forwarded. It is a route to a cluster, because Envoy adds the headers of this table to the
 * filter's responses only if the route has one; a cluster by name costs 700 instructions less than one by header.
 */
function unrouted(): Route {
  return { match: { prefix: "/" }, route: { cluster: NO_ADDRESS } };
}

/**
 * Returns the timeouts of a stream. Its duration is unlimited; only silence is limited, before the first byte and after
 * it.
 */
function streamTimeouts({ timeoutMs }: Listener): Fields {
  return { timeout: "0s", idle_timeout: duration(timeoutMs) };
}

/** Returns the timeouts of a complete response: one limit for all of it, which may be silent until then. */
function completeTimeouts({ timeoutMs }: Listener): Fields {
  return { timeout: duration(timeoutMs), idle_timeout: "0s" };
}

function oneTarget(listener: Listener): Route[] {
  const route = (header: string, timeouts: Fields): Route => ({
    match: { prefix: "/", headers: [{ name: header, present_match: true }] },
    route: { cluster_header: header, ...timeouts, retry_policy: RECONNECT },
    request_body_buffer_limit: MAX_RECONNECT_BYTES,
  });
  return [
    route(HEADER_STREAM_CLUSTER, streamTimeouts(listener)),
    route(HEADER_CLUSTER, completeTimeouts(listener)),
  ];
}

function severalAttempts(
  listener: Listener,
  name: string,
  policy: RetryPolicy,
  attempts: string[],
): Route[] {
  const { perTryTimeoutMs } = policy;
  const firstByteTimeoutMs =
    policy.firstByteTimeoutMs ?? perTryTimeoutMs ?? silence(listener, policy, 1 / 2);
  const completeMs = perTryTimeoutMs ?? silence(listener, policy, completeShare(policy));
  const route = (header: string, timeouts: Fields, perTryMs: number | undefined): Route => ({
    match: { prefix: "/", headers: [{ name: header, string_match: { exact: name } }] },
    route: { ...nextAttempt(attempts), ...timeouts, retry_policy: retries(policy, perTryMs) },
    // Present if Envoy did not retry.
    response_headers_to_remove: [HEADER_RETRY, HEADER_RETRY_AFTER],
  });
  return [
    route(HEADER_STREAM_CLUSTER, streamTimeouts(listener), firstByteTimeoutMs),
    route(HEADER_CLUSTER, completeTimeouts(listener), completeMs),
  ];
}

/** Returns how long an attempt may be silent: a silent provider would use up the time that the next attempt needs. */
function silence({ timeoutMs }: Listener, policy: RetryPolicy, share: number): number | undefined {
  // Without a fallback, a limit would only cut off slow providers.
  return policy.models > 1 && policy.afterReset ? Math.ceil(timeoutMs * share) : undefined;
}

/**
 * Returns the share of the timeout for one attempt at a complete response, which is silent until it is complete, so that
 * a slow provider cannot be distinguished from a dead one. With one fallback the first model has most of the time. With
 * several fallbacks it has half, so that the next one can have as much. Less would cut off good responses of every model:
 * Envoy has one limit for all attempts of a request.
 */
function completeShare({ models }: RetryPolicy): number {
  return models === 2 ? 2 / 3 : 1 / 2;
}

/** Envoy detects a provider that does not respond; the filter decides whether a response is an error to retry. */
function retries(policy: RetryPolicy, perTryMs: number | undefined): Fields {
  const conditions = [
    ...(policy.afterRefusal ? BEFORE_REQUEST : []),
    ...(policy.afterReset ? ["reset"] : []),
    "retriable-headers",
  ];
  return {
    retry_on: conditions.join(","),
    retriable_headers: [{ name: HEADER_RETRY, present_match: true }],
    num_retries: policy.retries,
    refresh_cluster_on_retry: true,
    // Envoy adds jitter: the pause is between zero and this, and up to two and four times this for later attempts.
    retry_back_off: policy.repeats
      ? { base_interval: "0.25s", max_interval: "2s" }
      : // A different provider, or a different key, needs no pause.
        { base_interval: "0.001s", max_interval: "0.01s" },
    rate_limited_retry_back_off: {
      reset_headers: [{ name: HEADER_RETRY_AFTER, format: "SECONDS" }],
      max_interval: duration(MAX_REST),
    },
    // Envoy ignores it as soon as the client has received a part of the response.
    ...(perTryMs === undefined ? {} : { per_try_timeout: duration(perTryMs) }),
  };
}
