// What a gateway that is not ready yet reports.
import { expect, it } from "vitest";
import { missingForReadiness } from "../../../../control-plane/supervisor/readiness.ts";

it("an Envoy without its admin interface does not respond", async () => {
  expect(await missingForReadiness("/nowhere/admin.sock", [])).toBe(
    "Envoy's admin interface does not respond",
  );
});
