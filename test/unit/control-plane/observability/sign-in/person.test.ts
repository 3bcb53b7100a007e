// Who signed in, by the claims of an identity provider.
import { expect, it } from "vitest";
import {
  identityOf,
  lacksClaims,
  personOf,
} from "../../../../../control-plane/observability/sign-in/person.ts";
import type { SignIn } from "../../../../../model/model.ts";

const SETTINGS: SignIn = {
  ...{
    issuer: "https://login.example.com",
    clientId: "gateway",
    url: "https://gateway.example.com",
  },
  ...{
    secretVariable: "OIDC_CLIENT_SECRET",
    sessionVariable: "SESSION_SECRET",
    scopes: ["openid"],
  },
  claims: { name: "email", groups: "groups" },
  ...{ roles: {}, selfService: ["*"], maxKeys: 10, needsVerifiedEmail: true, sessionMs: 3_600_000 },
};
const ANN = { sub: "1", email: "ann@example.com" };

it("an address is a name only if the provider says that it is verified", () => {
  for (const email_verified of [true, "true"])
    expect(personOf({ ...ANN, email_verified }, SETTINGS)).toMatchObject({ name: ANN.email });
  for (const email_verified of [false, "false", undefined, null, 1, "yes"])
    expect(personOf({ ...ANN, email_verified }, SETTINGS), String(email_verified)).toContain(
      "has not verified",
    );
});

it("an address without the claim is a name if the configuration accepts it", () => {
  const settings = { ...SETTINGS, needsVerifiedEmail: false };
  expect(personOf(ANN, settings)).toMatchObject({ name: ANN.email });
  for (const email_verified of [false, "false"])
    expect(personOf({ ...ANN, email_verified }, settings)).toContain("has not verified");
});

it("the userinfo endpoint is asked for the claim", () => {
  expect(lacksClaims({ ...ANN, groups: [] }, SETTINGS)).toBe(true);
  expect(lacksClaims({ ...ANN, groups: [], email_verified: true }, SETTINGS)).toBe(false);
});

it("a claim of groups without a usable group is refused, an empty list and no claim are no groups", () => {
  const ann = { ...ANN, email_verified: true };
  for (const groups of [
    [{ value: "research" }],
    ["x".repeat(201)],
    [1],
    [""],
    [null],
    "",
    null,
    {},
  ])
    expect(identityOf({ ...ann, groups }, SETTINGS), JSON.stringify(groups)).toContain("no group");
  expect(identityOf({ ...ann, groups: [] }, SETTINGS)).toMatchObject({ groups: [] });
  expect(identityOf(ann, SETTINGS)).toMatchObject({ groups: [] });
  expect(identityOf({ ...ann, groups: [{}, "a"] }, SETTINGS)).toMatchObject({ groups: ["a"] });
  const many = Array.from({ length: 5_001 }, (_, at) => String(at));
  expect(identityOf({ ...ann, groups: many }, SETTINGS)).toContain("more than 5000 groups");
});

it("a claim that a refresh leaves out is that of before, and one that is there counts", () => {
  const before = { name: ANN.email, groups: ["research"] };
  expect(identityOf({ sub: "1" }, SETTINGS, before)).toEqual(before);
  expect(identityOf({ ...ANN, groups: [] }, SETTINGS, before)).toEqual({ ...before, groups: [] });
  const wrong = [
    { ...ANN, email_verified: false },
    { sub: "1", email: "eve@example.com" },
    { sub: "1", groups: null },
    { sub: "1", _claim_names: { groups: "elsewhere" } },
  ];
  for (const claims of wrong)
    expect(typeof identityOf(claims, SETTINGS, before), JSON.stringify(claims)).toBe("string");
});
