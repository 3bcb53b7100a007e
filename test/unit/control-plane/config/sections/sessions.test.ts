// `sessions.header`: what cannot name a session, and what the filter reads of what can.
import { expect, it } from "vitest";
import { MAX_HEADER_NAME, SESSION_HEADERS } from "../../../../../contract/session.ts";
import { loadConfiguration } from "../../../../../control-plane/config/load.ts";
import { formatProblem } from "../../../../../control-plane/report/problem.ts";
import type { GatewayModel } from "../../../../../model/model.ts";
import { filterConfig } from "../../../../../model/filter-document/write-document.ts";

const load = (sessions: string, more = "", keys = "$KEY") =>
  loadConfiguration(
    {
      file: "gateway.yaml",
      text: `llm_providers: [{model: groq/llama, access_key: ${keys}}]\nsessions: {${sessions}}\n${more}\n`,
    },
    { KEY: "k".repeat(30), OTHER: "o".repeat(30) },
  );

function modelOf(sessions: string, more = "", keys = "$KEY"): GatewayModel {
  const loaded = load(sessions, more, keys);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join("\n"));
  return loaded.model;
}

it.each([
  ["two words", `"two words" is no header name`],
  ["x:y", `"x:y" is no header name`],
  ["", `"" is no header name`],
  [":path", `":path" is no header name`],
  ["x".repeat(MAX_HEADER_NAME + 1), "the name has more than 63 characters"],
  ["x-api-key", `"x-api-key" is a header of credentials, and sessions are written to logs`],
  ["Authorization", `"Authorization" is a header of credentials, and sessions are written to logs`],
  ["X-Request-Id", `"X-Request-Id" differs in each request, so each would be a session`],
])("the header %j is an error with its reason", (name, message) => {
  const loaded = load(`header: ${JSON.stringify(name)}`);
  const problems = loaded.ok ? [] : loaded.problems.map(formatProblem);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`gateway.yaml:2:20: sessions.header: ${message}`);
});

it("a configured header comes first, once, in lower case", () => {
  const { sessions } = filterConfig(modelOf("header: Session-Id", "observability: {}"));
  const others = SESSION_HEADERS.filter((name) => name !== "session-id");
  expect(sessions).toMatchObject({ ids: ["session-id", ...others], recorded: true });
});

it("no session is read if nothing needs it", () => {
  expect(filterConfig(modelOf("header: Session-Id")).sessions).toBeUndefined();
});

it("the session is read for several keys, unless affinity is off", () => {
  const keys = (affinity: string) =>
    filterConfig(modelOf(`affinity: ${affinity}`, "", "[$KEY, $OTHER]"));
  expect(keys("on").sessions).toMatchObject({ recorded: true });
  expect(keys("on").routes[0]?.retry).not.toHaveProperty("affinity");
  expect(keys("off").sessions).toBeUndefined();
  expect(keys("off").routes[0]?.retry).toMatchObject({ affinity: "off" });
});
