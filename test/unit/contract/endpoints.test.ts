// The table of endpoints, and the page that describes it.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "../../../contract/endpoints.ts";

const page = readFileSync(new URL("../../../docs/endpoints.md", import.meta.url), "utf8");
const served = ENDPOINTS.filter(({ path }) => path !== "" && path !== "*");

describe("the table of endpoints", () => {
  it.each(served.map(({ path }) => path))("docs/endpoints.md describes %s", (path) => {
    expect(page).toContain(`\`${path}\``);
  });

  it("the table of endpoints has no row that an earlier one hides", () => {
    served.forEach((row, index) => {
      const hiding = served
        .slice(0, index)
        .filter(
          (earlier) =>
            (earlier.path === row.path && !row.hasChildren) ||
            (earlier.hasChildren && row.path.startsWith(`${earlier.path}/`)),
        );
      expect(hiding).toEqual([]);
    });
  });

  it("no request without a model goes to a provider by default", () => {
    const stored = ENDPOINTS.filter(({ hasModel, isLocal }) => !hasModel && !isLocal);
    expect(stored.length).toBeGreaterThan(0);
    for (const row of stored) expect(row).toMatchObject({ isForModels: true, isOnIngress: false });
  });

  it("embeddings never go to another model", () => {
    const row = ENDPOINTS.find(({ path }) => path === "/v1/embeddings");
    expect(row).toMatchObject({ isInference: false });
  });
});
