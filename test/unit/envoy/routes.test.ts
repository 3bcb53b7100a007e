// How long one attempt may be silent, by the number of attempts that may follow: docs/fallbacks.md, "Times".
import { describe, expect, it } from "vitest";
import { HEADER_CLUSTER, HEADER_STREAM_CLUSTER } from "../../../contract/words.ts";
import type { Retry } from "../../../model/model.ts";
import { routeConfiguration } from "../../../envoy/routes.ts";
import { host, modelOf, RETRY, targetAt } from "../../envoy/models.ts";

interface RenderedRoute {
  match: { headers?: { name: string; string_match?: object }[] };
  route?: { retry_policy: { per_try_timeout?: string } };
}

/** Per-try timeouts of a complete answer and of a stream, with a listener's timeout of 30 s. */
function tryTimes(targetCount: number, more: Partial<Retry> = {}): (string | undefined)[] {
  const names = Array.from({ length: targetCount }, (_, index) => `openai/${String(index)}`);
  const model = modelOf(
    names.map((name) => targetAt(name, host("api.openai.com"))),
    { targetSets: [{ of: 0, targets: names.map((_, at) => at), retry: { ...RETRY, ...more } }] },
  );
  const { virtual_hosts: hosts } = routeConfiguration(model.egress, model, { notReady: undefined });
  const routes = (hosts as unknown as { routes: RenderedRoute[] }[]).flatMap((one) => one.routes);
  return [HEADER_CLUSTER, HEADER_STREAM_CLUSTER].map((header) => {
    const [found] = routes.filter(({ match }) =>
      match.headers?.some(({ name, string_match: match }) => name === header && match),
    );
    return found?.route?.retry_policy.per_try_timeout;
  });
}

describe("an attempt may be silent for", () => {
  it.each([
    [2, 1, "20s"],
    [2, 3, "20s"],
    [3, 1, "15s"],
    [9, 5, "15s"],
  ])("%i models with %i attempts each: %s, for a stream half of 30 s", (count, attempts, time) => {
    expect(tryTimes(count, { attempts })).toEqual([time, "15s"]);
  });

  it("an attempt may be silent as long as the listener allows, if no other model follows", () => {
    expect(tryTimes(1, { attempts: 2 })).toEqual([undefined, undefined]);
  });

  it("an attempt may be silent as long as the listener allows, if silence is no reason for another attempt", () => {
    expect(tryTimes(2, { afterReset: false })).toEqual([undefined, undefined]);
  });

  it("an attempt may be silent for the configured times", () => {
    expect(tryTimes(2, { perTryTimeoutMs: 2_000 })).toEqual(["2s", "2s"]);
    expect(tryTimes(2, { firstByteTimeoutMs: 3_000 })).toEqual(["20s", "3s"]);
  });
});
