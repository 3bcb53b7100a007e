// `limits`: sizes and counts that the gateway accepts.
import type { Limits } from "../../../model/model.ts";
import { bytesOf, parseSize } from "../quantity.ts";
import { mapping, size, whole } from "../schema-words.ts";
import { section } from "../section.ts";

const REQUEST_BODY_BYTES = 32 * 1024 ** 2;
const REQUEST_HEADERS_BYTES = 60 * 1024;

const schema = mapping(
  {
    request_body: size(
      {
        description: "Maximum request body; a larger body is rejected with 413.",
        default: "32MiB",
      },
      "1KiB",
      "512MiB",
    ).optional(),
    request_headers: size(
      {
        description: "Maximum size of all request headers together, rounded up to whole KiB.",
        default: "60KiB",
      },
      "4KiB",
      "8MiB",
    ).optional(),
    memory: size(
      {
        description:
          "Memory that Envoy may use, mostly for in-flight requests. Default: half of what the machine or container has beyond 256 MiB, and at least a quarter of its memory. Near the limit, new requests are rejected with 503: see docs/overload.md.",
        examples: ["1GiB"],
      },
      "32MiB",
      "1024GiB",
    ).optional(),
    connections: whole(1, 1_000_000, {
      description:
        "Maximum number of client connections, over all listeners. Further connections are closed immediately.",
      default: 20_000,
    }).optional(),
    concurrent_requests: whole(1, 1_000_000, {
      description:
        "Maximum number of in-flight requests per provider address. A further request goes to the next target if configured; otherwise it is rejected with 503 and `retry-after`.",
      default: 10_000,
    }).optional(),
  },
  "Sizes that the gateway accepts.",
);

export const limits = section({
  key: "limits",
  schema,
  read({ reading }, value = {}) {
    const { connections, concurrent_requests: concurrentRequests } = value;
    const headers = bytesOf(value.request_headers, REQUEST_HEADERS_BYTES);
    const requestBodyBytes = bytesOf(value.request_body, REQUEST_BODY_BYTES);
    const memoryBytes = value.memory === undefined ? undefined : parseSize(value.memory);
    if (memoryBytes !== undefined && memoryBytes < 2 * requestBodyBytes) {
      reading.problem(["limits", "memory"], "one request body could use half of this memory", {
        hint: "set at least twice limits.request_body (default 32MiB)",
      });
    }
    const read: Limits = {
      requestBodyBytes,
      requestHeadersKib: Math.ceil(headers / 1024),
      ...(memoryBytes === undefined ? {} : { memoryBytes }),
      ...(connections === undefined ? {} : { connections }),
      ...(concurrentRequests === undefined ? {} : { concurrentRequests }),
    };
    return { limits: read };
  },
});
