// How long Envoy may accept a token whose key has been withdrawn, by kind of issuer.
import { expect, it } from "vitest";
import { tokenFilter } from "../../../envoy/token-filter.ts";
import { keySetAt, type KeySet } from "../../../model/json-web-tokens.ts";
import { LOGIN_TOKENS } from "../../../model/login.ts";

function providerOf(keySet: KeySet): unknown {
  const tokens = [{ ...LOGIN_TOKENS, keySet }];
  const place = { address: "127.0.0.1", port: 12000, timeoutMs: 1 };
  const [filter] = tokenFilter({ name: "egress", ...place, tokens });
  return Object.values(filter?.typed_config["providers"] ?? {})[0];
}

it("tokens of a remote issuer are remembered, and its keys are fetched every 30 s", () => {
  expect(providerOf(keySetAt(new URL("https://issuer.test/keys")))).toMatchObject({
    jwt_cache_config: { jwt_cache_size: 1000 },
    remote_jwks: { cache_duration: "30s" },
  });
});

it("tokens of the login are not remembered, and its keys are fetched each second", () => {
  const provider = providerOf("login");
  expect(provider).toMatchObject({ remote_jwks: { cache_duration: "1s" } });
  expect(provider).not.toHaveProperty("jwt_cache_config");
});
