// What Envoy has to get: before it runs, while it accepts nothing, and after the end.
import { expect, it } from "vitest";
import { Publication } from "../../../../control-plane/supervisor/publication.ts";

const SOON = { timeout: 60_000 };
const fast = () => new Publication({ firstMs: 1, maxMs: 4 });

/** Returns a publication that fails at the first attempts. */
function failing(failures: number): { publish: () => Promise<void>; attempts: () => number } {
  let attempts = 0;
  return {
    attempts: () => attempts,
    publish() {
      attempts += 1;
      return attempts > failures ? Promise.resolve() : Promise.reject(new Error("not now"));
    },
  };
}

it("a change before the start is published at the start, a later one at once", () => {
  const { publish, attempts } = failing(0);
  const publication = fast();
  publication.request();
  expect(attempts()).toBe(0);
  publication.start(publish);
  expect(attempts()).toBe(1);
  publication.request();
  expect(attempts()).toBe(2);
});

it("a change that is not accepted is published again until it is", async () => {
  const { publish, attempts } = failing(5);
  const publication = fast();
  publication.start(publish);
  await expect.poll(attempts, SOON).toBe(6);
});

it("a change is not published again after the end", async () => {
  let end = (): void => undefined;
  let attempts = 0;
  const publication = fast();
  publication.start(() => {
    attempts += 1;
    return new Promise((_resolve, reject) => {
      end = () => {
        reject(new Error("Envoy has ended"));
      };
    });
  });
  publication.stop();
  end();
  await new Promise((resolve) => setTimeout(resolve, 20));
  publication.request();
  expect(attempts).toBe(1);
});
