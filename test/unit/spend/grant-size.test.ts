// How much of a shared budget a gateway asks for.
import { expect, it } from "vitest";
import { wantedGrant } from "../../../control-plane/spend/redis/grant-size.ts";

const share = { amount: 10_000, used: 0, othersSpent: 0, gateways: 1, isActive: true };

it("asks for an equal part of what is left, with one for a gateway that may start", () => {
  expect(wantedGrant(share)).toBe(5000);
  expect(wantedGrant({ ...share, gateways: 3 })).toBe(2500);
  expect(wantedGrant({ ...share, used: 4000, othersSpent: 2000 })).toBe(6000);
  expect(wantedGrant({ ...share, isActive: false })).toBe(5000);
});

it("at the end a gateway with requests asks for the rest, and one without holds nothing", () => {
  const end = { ...share, used: 5000, othersSpent: 4985, gateways: 2 };
  expect(wantedGrant(end)).toBe(5010);
  expect(wantedGrant({ ...end, isActive: false })).toBe(5000);
  expect(wantedGrant({ ...end, othersSpent: 4997 })).toBe(5003);
  expect(wantedGrant({ ...end, othersSpent: 6000 })).toBe(5000);
});
