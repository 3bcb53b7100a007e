// Metric families: exact sums, bounded series, and values that outlive a restart.
import { describe, expect, it } from "vitest";
import { decimal, Families } from "../../../../control-plane/observability/metric-families.ts";

describe("the page", () => {
  it("the page shows counters and histograms in Prometheus' format", () => {
    const families = new Families();
    const requests = families.counter({
      name: "requests_total",
      help: "Requests.",
      labels: ["model"],
    });
    requests.add(["a"]);
    requests.add(["a"], 2);
    requests.add(['b"\\\n']);
    const times = families.histogram(
      { name: "seconds", help: "Times.", labels: ["model"], scale: 1_000_000 },
      [10_000, 1_000_000],
    );
    for (const one of [10_000, 10_001, 2_500_000]) times.record(["a"], one);
    expect(families.render().split("\n").slice(2)).toEqual([
      "# HELP requests_total Requests.",
      "# TYPE requests_total counter",
      'requests_total{model="a"} 3',
      'requests_total{model="b\\"\\\\\\n"} 1',
      "# HELP seconds Times.",
      "# TYPE seconds histogram",
      'seconds_bucket{model="a",le="0.01"} 1',
      'seconds_bucket{model="a",le="1"} 2',
      'seconds_bucket{model="a",le="+Inf"} 3',
      'seconds_sum{model="a"} 2.520001',
      'seconds_count{model="a"} 3',
      "",
    ]);
  });

  it("a decimal is not rounded", () => {
    expect(decimal(1, 1_000_000_000)).toBe("0.000000001");
    expect(decimal(123_456_789_012, 1_000_000_000)).toBe("123.456789012");
    expect(decimal(5_000_000_000, 1_000_000_000)).toBe("5");
    expect(decimal(-25, 100)).toBe("-0.25");
    expect(decimal(0, 1000)).toBe("0");
  });
});

it("a family keeps 1000 series, and counts the rest under one", () => {
  const families = new Families();
  const counter = families.counter({ name: "c", help: "C.", labels: ["a", "b"] });
  for (let at = 0; at < 5000; at++) counter.add([String(at), "x"]);
  expect(counter.total()).toBe(5000);
  expect(counter.total("a", "other")).toBe(4000);
  const page = families.render();
  expect(page.match(/^c\{/gm)).toHaveLength(1001);
  expect(page).toContain('c{a="other",b="other"} 4000');
  expect(page).toContain('gateway_folded_series_total{metric="c"} 4000');
});

describe("saved values", () => {
  const make = (bounds = [1, 2]) => {
    const families = new Families();
    const counter = families.counter({ name: "c", help: "C.", labels: ["a"] });
    const plain = families.counter({ name: "p", help: "P.", labels: [] });
    const histogram = families.histogram({ name: "h", help: "H.", labels: [] }, bounds);
    const gauge = families.gauge({ name: "g", help: "G.", labels: [] });
    return { families, counter, plain, histogram, gauge };
  };

  it("saved values continue where they were", () => {
    const old = make();
    old.counter.add(["x"], 7);
    old.plain.add([], 3);
    old.histogram.record([], 2);
    old.gauge.set([], 9);
    const fresh = make();
    fresh.families.restore(old.families.changed());
    fresh.counter.add(["x"]);
    fresh.histogram.record([], 5);
    const page = fresh.families.render();
    expect(page).toContain('c{a="x"} 8');
    expect(page).toContain("p 3");
    expect(page).toContain("h_sum 7");
    expect(page).not.toContain("g 9");
  });

  it("saved values of another form are left", () => {
    const old = make();
    old.histogram.record([], 2);
    const fresh = make([1, 2, 3]);
    fresh.families.restore(old.families.changed());
    expect(fresh.families.render()).not.toContain("h_count");
  });

  it("saved values are saved again only if they have changed, or all of them must be", () => {
    const { families, counter, plain } = make();
    counter.add(["x"], 7);
    plain.add([], 3);
    families.saved();
    counter.add(["x"]);
    expect(families.changed()).toEqual([{ family: "c", series: "x", values: [8] }]);
    families.changeAll();
    expect(families.changed()).toHaveLength(2);
  });
});
