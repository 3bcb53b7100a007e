// How the instructions of a request grow: with each message and each event by the same number, with the configuration not at all.
import { describe, expect, inject, it } from "vitest";
import { growthOfConfiguration, growthOfRequests, SERIES } from "../../bench/growth.ts";
import { withBench } from "./counting.ts";

const LINEAR = SERIES.filter(({ what, unit }) => what.includes("→") && unit !== "MB");

describe.runIf(inject("canCountInstructions"))("the instructions of a request", () => {
  it("the instructions of a request grow linearly with messages and stream events", async () => {
    const steps = await withBench((bench, running) => growthOfRequests(bench, LINEAR, running));
    for (const { what } of LINEAR) {
      const [first = 0, second = 0] = steps.flatMap(({ series, perUnit }) =>
        series.what === what ? (perUnit?.slice(-1) ?? []) : [],
      );
      expect(first).toBeGreaterThan(0);
      expect(second, what).toBeLessThan(1.05 * first);
    }
  });

  it("the instructions of a request are the same with 500 more models and 200 prompt targets", async () => {
    const configurations = [
      { name: "the models of the cases" },
      { name: "more", models: 500, targets: 200 },
    ];
    const [few = 0, many = 0] = await withBench((bench, running) =>
      growthOfConfiguration(bench, configurations, running),
    );
    expect(few).toBeGreaterThan(0);
    expect(many).toBeLessThan(1.05 * few);
  });
});
