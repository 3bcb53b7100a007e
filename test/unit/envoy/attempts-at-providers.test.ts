// The log of attempts has those at providers alone: the paths of the login, whose queries have codes, are in none.
import { expect, it } from "vitest";
import { llmLogs } from "../../../envoy/access-log.ts";
import { LOGIN_PATHS } from "../../../model/login.ts";
import { host, modelOf, targetAt } from "../../envoy/models.ts";

const LOGIN = {
  ...{ url: "https://gateway.example.com", allowedGroups: ["*"], scopes: [], parameters: {} },
  ...{ tokenMs: 3_600_000, groupSettings: [] },
};
const TARGETS = [targetAt("openai/gpt-4o", host("api.openai.com"))];

it("an attempt at the login is in no log, whatever its query", () => {
  const model = modelOf(TARGETS, { login: LOGIN });
  const logs = llmLogs("egress", model, { logDirectory: "/logs" } as never);
  expect(logs.length).toBeGreaterThan(0);
  for (const { filter } of logs) {
    const found = [...JSON.stringify(filter).matchAll(/"regex":("[^"]+")/g)];
    const expressions = found.map(([, text = ""]) => JSON.parse(text) as string);
    // Envoy accepts programs of 100 instructions, about one for each character.
    for (const one of expressions) expect(one.length).toBeLessThan(80);
    const excluded = new RegExp(`^(?:${expressions.join("|")})$`);
    for (const path of Object.values(LOGIN_PATHS)) {
      expect(path).toMatch(excluded);
      expect(`${path}?code=x&user_code=y`).toMatch(excluded);
    }
    for (const path of ["/v1/messages", "/v1/messages?a=/device", "/devices", "/XwellY"])
      expect(path).not.toMatch(excluded);
  }
});

it("a gateway without a login has the filter of attempts alone", () => {
  const logs = llmLogs("egress", modelOf(TARGETS), { logDirectory: "/logs" } as never);
  expect(JSON.stringify(logs)).not.toContain("header_filter");
});
