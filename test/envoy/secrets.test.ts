// The providers' keys are seen by the providers and by nobody else: no answer, log, rendered file or administration page.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { ask } from "./ask.ts";
import type { DialectName } from "./ask.ts";

let all: WithFakes;

beforeAll(async () => {
  // Everything that Envoy and the filter ever say.
  all = await startWithFakes({ timeoutMs: 3_000, logLevel: "trace" });
});
afterAll(() => all.stop());

async function everythingSaid(response: Promise<Response>): Promise<string> {
  const got = await response;
  return [...got.headers].flat().join("\n") + (await got.text().catch(String));
}

it("a secret is in no response and in no log", async () => {
  const said: string[] = [];
  const texts = ["hi", "[error 401]", "[html 502]", "[hang]", "[reset]", "[gzip]"];
  for (const dialect of ["chat", "messages"] as const satisfies DialectName[])
    for (const stream of [true, false])
      for (const text of texts)
        said.push(
          await everythingSaid(
            ask(all.gateway, dialect, {
              text,
              stream,
              headers: { authorization: "Bearer the-clients-own" },
            }),
          ),
        );
  said.push(await everythingSaid(ask(all.gateway, "chat", { model: "nobody" })));
  for (const path of [
    "/config_dump",
    "/clusters",
    "/stats",
    "/server_info",
    "/certs",
    "/listeners",
  ])
    said.push(await all.gateway.admin(path));
  said.push(readFileSync(all.gateway.envoyFile, "utf8"));
  said.push(
    ...(["ingress", "llm", "internal"] as const).flatMap((name) =>
      all.gateway.log(name).map(({ line }) => line),
    ),
  );

  const seenByProvider = [...all.openai.requests, ...all.anthropic.requests];
  expect(
    seenByProvider.some(({ headers }) => JSON.stringify(headers).includes(all.keys.openai)),
  ).toBe(true);
  expect(
    seenByProvider.some(({ headers }) => JSON.stringify(headers).includes(all.keys.anthropic)),
  ).toBe(true);
  expect(JSON.stringify(seenByProvider.map(({ headers }) => headers))).not.toContain(
    "the-clients-own",
  );
  const everything = said.join("\n");
  expect(everything).toContain("The provider says 401.");
  for (const key of Object.values(all.keys)) expect(everything.includes(key)).toBe(false);
});

it("a secret is not in Envoy's log at the levels that users run it with", () => {
  // At debug and trace Envoy itself writes the headers that it sends: the documentation says so.
  const usual = all.gateway
    .envoyLog()
    .split("\n")
    .filter((line) => !/\[(?:debug|trace)\]/.test(line) && /^\[\d{4}-/.test(line));
  for (const key of Object.values(all.keys)) expect(usual.join("\n").includes(key)).toBe(false);
});
