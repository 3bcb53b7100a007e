// Logins that wait for a browser, and attempts by address: what bounds them.
import { expect, it } from "vitest";
import { Attempts, networkOf } from "../../../../control-plane/login/attempts-by-address.ts";
import { DeviceGrants } from "../../../../control-plane/login/device-grants.ts";

const ORIGIN = { address: "192.0.2.1", program: "claude_code" };

it("a login is refused while too many wait, and accepted when they have expired", () => {
  let now = 1000;
  const grants = new DeviceGrants<string>(() => now, 2);
  const [first, second] = [grants.begin(ORIGIN), grants.begin(ORIGIN)];
  expect(grants.begin(ORIGIN)).toBeUndefined();
  now += 600;
  expect(grants.waiting(first?.userCode ?? "")).toBeUndefined();
  expect(grants.poll(second?.deviceCode ?? "")).toBe("expired_token");
  expect(grants.begin(ORIGIN)).toBeDefined();
});

it("a login is decided once, and its result is returned once", () => {
  const grants = new DeviceGrants<string>(() => 1000);
  const { deviceCode = "", userCode = "" } = grants.begin(ORIGIN) ?? {};
  const { id = "" } = grants.waiting(userCode.toLowerCase().replace("-", " ")) ?? {};
  expect(grants.approve(id, "ann")).toBe(true);
  expect(grants.approve(id, "eve")).toBe(false);
  expect(grants.deny(id)).toBe(false);
  expect(grants.waiting(userCode)).toBeUndefined();
  expect(grants.poll(deviceCode)).toEqual({ result: "ann" });
  expect(grants.poll(deviceCode)).toBe("expired_token");
});

it("an address has its attempts again after a minute, and any number of addresses takes bounded memory", () => {
  let now = 60;
  const attempts = new Attempts(2, () => now);
  attempts.count("a");
  attempts.count("a");
  expect([attempts.isExhausted("a"), attempts.isExhausted("b")]).toEqual([true, false]);
  now += 60;
  expect(attempts.isExhausted("a")).toBe(false);
  for (let at = 0; at < 10_000; at++) attempts.count(String(at));
  // Further addresses share one count.
  attempts.count("x");
  attempts.count("y");
  expect(attempts.isExhausted("z")).toBe(true);
  expect(attempts.isExhausted("1")).toBe(false);
});

it("an address that has many logins waiting keeps no other from logging in", () => {
  let now = 1000;
  const grants = new DeviceGrants<string>(() => now, 10, 2);
  const from = (address: string) => grants.begin({ ...ORIGIN, address }) !== undefined;
  expect(["2001:db8::1", "2001:db8::2", "2001:db8::3"].map(from)).toEqual([true, true, false]);
  expect(["2001:db8:0:1::1", "192.0.2.1"].map(from)).toEqual([true, true]);
  now += 600;
  expect(from("2001:db8::4")).toBe(true);
});

it("addresses of IPv6 count by their network of 64 bits", () => {
  const networks = {
    "2001:db8::1": "2001:db8:0:0::/64",
    "2001:DB8:0:0:ffff:ffff:ffff:ffff": "2001:db8:0:0::/64",
    "2001:db8:1:2:3::": "2001:db8:1:2::/64",
    "::1": "0:0:0:0::/64",
    "fe80::1%eth0": "fe80:0:0:0::/64",
    "::ffff:192.0.2.1": "192.0.2.1",
    "192.0.2.1": "192.0.2.1",
    "": "",
  };
  for (const [address, network] of Object.entries(networks))
    expect(networkOf(address), address).toBe(network);
  const attempts = new Attempts(1, () => 1000, 600);
  attempts.count("2001:db8::1");
  expect(attempts.isExhausted("2001:db8::2")).toBe(true);
  expect(attempts.isExhausted("2001:db8:0:1::2")).toBe(false);
});
