// The provider table: addresses and paths.
import { describe, expect, it } from "vitest";
import { ANTHROPIC_MESSAGES, OPENAI_CHAT } from "../../../../contract/dialects.ts";
import { INTERFACES, PROVIDERS, baseOf } from "../../../../control-plane/providers/registry.ts";

describe("request paths", () => {
  it.each([
    ["https://host", OPENAI_CHAT, "/v1/chat/completions"],
    ["https://host/", OPENAI_CHAT, "/v1/chat/completions"],
    ["https://host/v1", OPENAI_CHAT, "/v1/chat/completions"],
    ["https://host/api/paas/v4/", OPENAI_CHAT, "/api/paas/v4/chat/completions"],
    ["https://host", ANTHROPIC_MESSAGES, "/v1/messages"],
    ["https://host/v1", ANTHROPIC_MESSAGES, "/v1/messages"],
    ["https://host/prefix", ANTHROPIC_MESSAGES, "/prefix/v1/messages"],
    ["https://host/prefix/v1/", ANTHROPIC_MESSAGES, "/prefix/v1/messages"],
    ["https://host/v10", ANTHROPIC_MESSAGES, "/v10/v1/messages"],
  ] as const)("%s in %s → %s", (baseUrl, dialect, path) => {
    expect(baseOf(baseUrl, dialect).path).toBe(path);
  });
});

describe("addresses", () => {
  it.each([
    ["https://host", { host: "host", port: 443, tls: true, serverName: "host" }, "host"],
    ["http://host", { host: "host", port: 80, tls: false }, "host"],
    ["https://host:443/v1", { port: 443 }, "host"],
    ["https://host:8443/v1", { port: 8443 }, "host:8443"],
    ["http://host:443", { port: 443, tls: false }, "host:443"],
    ["HTTPS://HOST", { host: "host", tls: true }, "host"],
    ["http://[2001:db8::1]:8000", { host: "2001:db8::1", port: 8000 }, "[2001:db8::1]:8000"],
  ])("%s", (baseUrl, address, authority) => {
    expect(baseOf(baseUrl, OPENAI_CHAT)).toMatchObject({ address, authority });
  });
});

describe("the table", () => {
  it("the registry has each name once", () => {
    const names = PROVIDERS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it("the registry reaches every provider with a key by https only", () => {
    const open = PROVIDERS.filter(
      ({ needsKey, baseUrl }) => needsKey && baseUrl?.startsWith("https:") !== true,
    );
    expect(open).toEqual([]);
  });

  it("the registry offers every provider but the embedded one as an interface, claude and Responses", () => {
    expect([...INTERFACES.keys()]).toEqual([
      ...PROVIDERS.flatMap(({ name, embedded }) => (embedded === true ? [] : [name])),
      "claude",
      "openai_responses",
    ]);
    expect(INTERFACES.get("claude")).toEqual(INTERFACES.get("anthropic"));
  });

  it("the registry requests usage of OpenAI's format only", () => {
    expect(
      PROVIDERS.filter(({ dialect, asksForUsage }) => asksForUsage && dialect !== OPENAI_CHAT),
    ).toEqual([]);
  });
});
