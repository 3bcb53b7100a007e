// How large the response of a prompt target's API may be, and what Envoy holds of one that is too large.
import { expect, it } from "vitest";
import { errorOf } from "../ask.ts";
import { watchResidentMb } from "../../gateway/resident-memory.ts";
import { all, say, send, setUp } from "./set-up.ts";

const COUNT = 60;
/** Twice what a response may have, and what the connections to the API buffer. */
const CALL_MB = 4;

setUp();

it("a response of exactly 1 MiB reaches the language model", async () => {
  const { response, model } = await say("@largest");
  expect(response.status).toBe(200);
  expect(model?.messages.map(({ content }) => content).join("").length).toBeGreaterThan(1024 ** 2);
});

it("sixty responses without an end take little memory, and each returns its error", async () => {
  // What Envoy needs in any case is there.
  await send("@endless").response;
  const before = watchResidentMb(all.gateway.pid)();
  const watched = watchResidentMb(all.gateway.pid);
  const responses = await Promise.all(
    Array.from({ length: COUNT }, () => send("@endless").response),
  );
  const most = watched();
  for (const response of responses) {
    expect(response.status).toBe(502);
    expect((await errorOf(response, "chat")).message).toMatch(/exceeded the 1 MiB limit/);
  }
  expect(most - before).toBeLessThan(COUNT * CALL_MB);
});
