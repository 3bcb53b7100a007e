// Logins that wait for a browser, and attempts by address: what bounds them.
import { expect, it } from "vitest";
import { Attempts } from "../../../../control-plane/login/attempts-by-address.ts";
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
