// `limits`: sizes and counts that the gateway accepts.
import type { Limits } from "../../ir/model.ts";
import { bytesOf, parseSize } from "../quantity.ts";
import { mapping, size, whole } from "../schema-words.ts";
import { section } from "./section.ts";

const REQUEST_BODY_BYTES = 32 * 1024 ** 2;
const REQUEST_HEADERS_BYTES = 60 * 1024;

const schema = mapping(
  {
    request_body: size(
      { description: "Largest request body; a larger one is answered with 413.", default: "32MiB" },
      "1KiB",
      "512MiB",
    ).optional(),
    request_headers: size(
      {
        description: "Largest request head, all headers together, rounded up to whole KiB.",
        default: "60KiB",
      },
      "4KiB",
      "8MiB",
    ).optional(),
    memory: size(
      {
        description:
          "Memory that Envoy may use, for the requests under way above all. Default: half of what the machine or the container has. Near it new requests are answered with 503: see docs/overload.md.",
        examples: ["1GiB"],
      },
      "32MiB",
      "1024GiB",
    ).optional(),
    connections: whole(1, 1_000_000, {
      description:
        "Connections of clients, of all listeners together. One more is closed at once, before it can ask anything.",
      default: 20_000,
    }).optional(),
    concurrent_requests: whole(1, 1_000_000, {
      description:
        "Requests under way at one provider's address. One more is answered with 503 and `retry-after`, or goes to the next target where there is one.",
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
      reading.problem(["limits", "memory"], "one request body could fill half of this memory", {
        hint: "expected twice limits.request_body at least, which is 32MiB unless you set it",
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
