// The attempts of the last minutes by provider: a provider whose requests all fail is not healthy.
import { expect, it } from "vitest";
import type { ObservedRequest } from "../../../../control-plane/observability/history/observed-request.ts";
import { RecentAttempts } from "../../../../control-plane/observability/live/provider-errors.ts";

function request(more: object, record: object = {}): ObservedRequest {
  const line = {
    status: 200,
    flags: [],
    attempts: 1,
    record: { target: "openai/gpt-4o", ...record },
  };
  return {
    ended: 1000,
    model: "openai/gpt-4o",
    error: "",
    line,
    ...more,
  } as unknown as ObservedRequest;
}

it("failed attempts are counted with the last error, also those that a fallback hid", () => {
  const recent = new RecentAttempts();
  const line = {
    status: 400,
    flags: [],
    attempts: 1,
    record: { target: "openai/gpt-4o", message: "No tools" },
  };
  recent.add(request({ error: "400", line }));
  recent.add(
    request({
      model: "openai/gpt-4o",
      failedAttempts: [{ target: "anthropic/claude", status: 503, ms: 1 }],
    }),
  );
  expect(recent.report(1010)).toEqual([
    { name: "openai", attempts: 2, failed: 1, lastError: "400 No tools" },
    { name: "anthropic", attempts: 1, failed: 1, lastError: "503" },
  ]);
});

it("rejected requests, clients that leave and old attempts are no failures of a provider", () => {
  const recent = new RecentAttempts();
  recent.add(request({ error: "client_disconnected" }));
  recent.add(request({ error: "429", line: { status: 429, flags: [], attempts: 0, record: {} } }));
  expect(recent.report(1010)).toEqual([{ name: "openai", attempts: 1, failed: 0 }]);
  expect(recent.report(2000)).toEqual([]);
});
