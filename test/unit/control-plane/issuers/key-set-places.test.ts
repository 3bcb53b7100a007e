// Discovery documents of issuers: what is accepted of them, what is kept, and what happens while they cannot be read.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { KeySetPlaces } from "../../../../control-plane/issuers/key-set-places.ts";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import type { GatewayModel } from "../../../../model/model.ts";
import { signingKey, startIssuer, type TestIssuer } from "../../../gateway/token-issuer.ts";

let directory: string;
let issuer: TestIssuer;
let lines: string[];
let changes: number;
let places: KeySetPlaces;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "gateway-issuers-"));
  issuer = await startIssuer(undefined, [signingKey("a", "ES256")]);
  lines = [];
  changes = 0;
  places = open();
});
afterEach(async () => {
  places.stop();
  await issuer.stop();
  rmSync(directory, { recursive: true });
});

function open(): KeySetPlaces {
  return new KeySetPlaces({
    file: join(directory, "issuers.json"),
    writeFile: writeFileSync,
    report: (line) => lines.push(line),
    onChange: () => (changes += 1),
    retryMs: 20,
  });
}

function model(): GatewayModel {
  const text = `
listeners:
  egress: {jwt: {issuer: "${issuer.issuer}", audiences: [llm]}}
llm_providers:
  - {model: openai/gpt-4o, access_key: $KEY}
`;
  const loaded = loadConfiguration({ file: "gateway.yaml", text }, { KEY: "k" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.model;
}

const placeNow = () => {
  const keySet = places.placed(model()).egress.tokens?.[0]?.keySet;
  return typeof keySet === "object" ? keySet.url : keySet;
};

it("a discovery document names the key set, which is kept for the next start", async () => {
  await places.use(model(), undefined);
  expect(placeNow()).toBe(issuer.keySetUrl);
  expect(places.problem).toBeUndefined();
  expect(lines).toEqual([]);
  places.stop();
  issuer.document = undefined;
  places = open();
  await places.use(model(), undefined);
  expect(placeNow()).toBe(issuer.keySetUrl);
  expect(places.problem).toBeUndefined();
  expect(lines).toEqual([
    expect.stringContaining("(status 503): the URL of the keys is the last one that it had"),
  ]);
});

it("a document that becomes readable after the start is applied then", async () => {
  const { document } = issuer;
  issuer.document = undefined;
  await places.use(model(), undefined);
  expect(placeNow()).toBe("unknown");
  expect(places.problem).toMatch(/^Tokens of http:.* are not accepted yet, .*\(status 503\)\.$/);
  issuer.document = document;
  await expect.poll(() => changes, { timeout: 60_000 }).toBe(1);
  expect(placeNow()).toBe(issuer.keySetUrl);
  expect(places.problem).toBeUndefined();
  expect(lines.at(-1)).toContain("can be reached again");
});

it.each<[string, object, RegExp]>([
  ["of another issuer", { issuer: "https://evil.test" }, /of another issuer, "https:\/\/evil/],
  ["without jwks_uri", { jwks_uri: undefined }, /no jwks_uri/],
  ["with a jwks_uri that is no URL", { jwks_uri: "keys" }, /no jwks_uri/],
  ["with a jwks_uri of another scheme", { jwks_uri: "file:///keys" }, /not an https/],
])("a document %s is not used", async (_name, change, reason) => {
  issuer.document = { ...issuer.document, ...change };
  await places.use(model(), undefined);
  expect(placeNow()).toBe("unknown");
  expect(lines.join()).toMatch(reason);
});

it("a damaged file of places counts as none", async () => {
  writeFileSync(join(directory, "issuers.json"), '{"a": 1');
  places = open();
  await places.use(model(), undefined);
  expect(readFileSync(join(directory, "issuers.json"), "utf8")).toContain(issuer.keySetUrl);
});
