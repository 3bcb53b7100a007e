// How much of a shared budget a gateway asks for.
import { expect, it } from "vitest";
import { wantedGrant } from "../../../../control-plane/spend/redis/grant-size.ts";

const share = { amount: 10_000, used: 0, room: 10_000, isActive: true };

it("a request for a grant is half of the free amount, and an eighth without requests", () => {
  expect(wantedGrant(share)).toBe(5000);
  expect(wantedGrant({ ...share, isActive: false })).toBe(1250);
  expect(wantedGrant({ ...share, used: 4000, room: 8000 })).toBe(6000);
});

it("many gateways with requests come to equal parts", () => {
  const granted = [0, 0, 0, 0];
  for (let round = 0; round < 100; round += 1) {
    for (const at of granted.keys()) {
      const held = granted.reduce((sum, one, other) => (other === at ? sum : sum + one), 0);
      granted[at] = wantedGrant({ ...share, room: 10_000 - held });
    }
  }
  for (const one of granted) expect(one).toBeCloseTo(2000, -2);
});

it("a gateway with requests gets the rest at the end, and one without holds nothing", () => {
  const end = { ...share, used: 5000, room: 5015 };
  expect(wantedGrant(end)).toBe(5010);
  expect(wantedGrant({ ...end, isActive: false })).toBe(5000);
  expect(wantedGrant({ ...end, room: 5003 })).toBe(5003);
  expect(wantedGrant({ ...end, room: 4000 })).toBe(5000);
});
