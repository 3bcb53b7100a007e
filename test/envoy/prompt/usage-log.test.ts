// The usage records of prompts: the target and the guard's decision, and the model server's own calls.
import { afterAll, beforeAll, expect, it } from "vitest";
import { usageLineOf, usageLines } from "../../gateway/usage-lines.ts";
import type { WithFakes } from "../../gateway/with-fakes.ts";
import { askAsModelServer } from "../ask.ts";
import { say, setUp, startWithPrompts } from "./set-up.ts";

setUp();

let observed: WithFakes;
beforeAll(async () => {
  observed = await startWithPrompts({
    adapt(model) {
      model.observability = { metrics: { address: "127.0.0.1", port: 9464 } };
    },
  });
});
afterAll(() => observed.stop());

it("a prompt target is named", async () => {
  const { id } = await say("@plain please", { through: observed });
  const { record } = await usageLineOf(observed.gateway, id);
  expect(record).toMatchObject({
    listener: "ingress",
    prompt_target: "plain",
    guard: "passed",
    target: "openai/gpt-4o",
    finish: "stop",
  });
  expect(Object.keys(record?.steps ?? {})).toEqual(["guard", "target", "api"]);
  for (const milliseconds of Object.values(record?.steps ?? {}))
    expect(milliseconds).toBeGreaterThanOrEqual(0);
});

it("extraction has its time", async () => {
  const { id } = await say('@weather {"city": "Oslo"}', { through: observed });
  const { record } = await usageLineOf(observed.gateway, id);
  expect(Object.keys(record?.steps ?? {})).toEqual(["guard", "target", "extract", "api"]);
});

it("a jailbreak has the guard's decision and no target", async () => {
  const { id } = await say("jailbreak @plain", { through: observed });
  const { status, record } = await usageLineOf(observed.gateway, id);
  expect(status).toBe(200);
  expect(record).toMatchObject({ guard: "blocked", owner: "gateway" });
  expect(record?.target).toBeUndefined();
  expect(record?.prompt_target).toBeUndefined();
  expect(Object.keys(record?.steps ?? {})).toEqual(["guard"]);
});

it("a call of the model server has a line", async () => {
  await askAsModelServer(observed.gateway, "fast");
  const own = () =>
    usageLines(observed.gateway).filter(({ record }) => record?.listener === "internal_egress");
  await expect.poll(() => own().length).toBe(1);
  expect(own()[0]?.record).toMatchObject({ target: "openai/gpt-4o", finish: "stop" });
});
