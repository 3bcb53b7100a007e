// What the gateway's log says of failed tunnels. The lines are those of Envoy 1.40 with tinyproxy.
import { expect, it } from "vitest";
import { tunnelFailures } from "../../../../control-plane/supervisor/tunnel-failures.ts";

it.each([
  [
    "api.test:443 http://proxy.test:3128 UF,URX - - tunnel_response:407",
    /^The proxy http:\/\/proxy\.test:3128 refuses a tunnel to api\.test:443 with 407: set the right user/,
  ],
  [
    "api.test:443 http://proxy.test:3128 UF,URX - - tunnel_response:403",
    /with 403: allow the host/,
  ],
  ["api.test:443 http://proxy.test:3128 UF,URX - - tunnel_response:418", /with 418: check the/],
  [
    "api.test:443 http://proxy.test:1 UF,URX - - delayed_connect_error:_Connection_refused",
    /^Cannot connect to the proxy http:\/\/proxy\.test:1 for api\.test:443: Connection refused\./,
  ],
  ["api.test:443 http://proxy.test:1 - - - -", /opened no tunnel to api\.test:443 in time/],
  ["api.test:443 http://proxy.test:1 UH - - -", /^No tunnel to api\.test:443 .*\(UH\)/],
])("%s", (line, words) => {
  expect(tunnelFailures()(line)).toMatch(words);
});

it("the same failure is reported once in 30 seconds", () => {
  let now = 0;
  const word = tunnelFailures(() => now);
  const line = "api.test:443 http://proxy.test:1 UF - - tunnel_response:407";
  expect(word(line)).toBeDefined();
  now = 29_999;
  expect(word(line)).toBeUndefined();
  expect(word(line.replace("407", "403"))).toBeDefined();
  now = 30_000;
  expect(word(line)).toBeDefined();
});
