// How large a request may be, and what a larger one gets.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask, errorOf } from "./ask.ts";
import type { DialectName } from "./ask.ts";
import { sendRaw } from "../gateway/raw-client.ts";

const LIMIT = 100 * 1024;
let all: WithFakes;

beforeAll(async () => {
  all = await startWithFakes({ config: "limits: {request_body: 100KiB}\n" });
});
afterAll(() => all.stop());

const DIALECTS: { dialect: DialectName; type: string }[] = [
  { dialect: "chat", type: "invalid_request_error" },
  { dialect: "messages", type: "request_too_large" },
];

describe.each(DIALECTS)("$dialect", ({ dialect, type }) => {
  it("a body within the limit passes", async () => {
    const response = await ask(all.gateway, dialect, { text: "x".repeat(LIMIT - 1024) });
    expect(response.status).toBe(200);
  });

  it.each([LIMIT + 1024, LIMIT * 10])("a body of %i bytes returns 413", async (size) => {
    const response = await ask(all.gateway, dialect, { text: "x".repeat(size) });
    expect(response.status).toBe(413);
    const error = await errorOf(response, dialect);
    expect(error.type).toBe(type);
    expect(error.message).toMatch(/larger/);
  });

  // No byte of the body is sent, so that the answer cannot wait for one.
  it.each(["", "expect: 100-continue\r\n"])("an announced body is 413 at once %j", async (more) => {
    const path = dialect === "messages" ? "/v1/messages" : "/v1/chat/completions";
    const length = `content-length: ${LIMIT + 1}\r\n`;
    const { port } = new URL(all.gateway.url);
    const response = await sendRaw(
      Number(port),
      `POST ${path} HTTP/1.1\r\nhost: x\r\n${length}${more}\r\n`,
    );
    expect(response.status).toBe(413);
    expect((JSON.parse(response.body) as { error: { type: string } }).error.type).toBe(type);
  });
});

describe("large bodies under the default limit", () => {
  it.each(["chat", "messages"] as const)(
    "a body of 20 MB passes under the default limit, %s",
    async (dialect) => {
      const roomy = await startWithFakes();
      try {
        const response = await ask(roomy.gateway, dialect, { text: "é".repeat(10_000_000) });
        expect(response.status).toBe(200);
        expect((await response.text()).length).toBeGreaterThan(10_000_000);
      } finally {
        await roomy.stop();
      }
    },
  );
});
