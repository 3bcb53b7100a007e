// Sessions at an identity provider that leaves out claims, or is down.
import { expect, it } from "vitest";
import { Sessions } from "../../../../control-plane/login/sessions.ts";
import { TokenKeys } from "../../../../control-plane/login/token-keys.ts";
import { EndedSessions } from "../../../../control-plane/observability/sign-in/page-session.ts";
import type { Claims } from "../../../../control-plane/observability/sign-in/person.ts";
import { SignInError } from "../../../../control-plane/observability/sign-in/identity-provider.ts";

const NOW = 1_800_000_000;
const ANN = { session: "s", subject: "1", name: "ann@example.com", groups: ["research"] };

interface Options {
  /** What the provider says at a refresh. */
  claims?: Claims;
  allowedGroups?: string[];
  isKnownGroup?: (group: string) => boolean;
  revoke?: () => Promise<void>;
}

function open({
  claims = {},
  allowedGroups = ["*"],
  isKnownGroup = () => false,
  revoke = () => Promise.resolve(),
}: Options) {
  return new Sessions({
    login: {
      ...{ url: "https://gateway.example.com", allowedGroups, scopes: ["openid"] },
      ...{ parameters: {}, tokenMs: 3_600_000, groupSettings: [] },
    },
    signIn: {
      ...{ issuer: "https://login.example.com", clientId: "gateway", scopes: ["openid"] },
      ...{ secretVariable: "A", sessionVariable: "B", url: "https://page.example.com" },
      claims: { name: "email", groups: "groups" },
      ...{ roles: {}, selfService: [], maxKeys: 10 },
      ...{ needsVerifiedEmail: true, sessionMs: 3_600_000 },
    },
    provider: { refresh: () => Promise.resolve({ claims }), revoke },
    keys: new TokenKeys(["a-secret-of-sessions-0123456789-0123"]),
    ended: new EndedSessions(),
    now: () => NOW,
    isKnownGroup,
  });
}

/** @returns who has the token of a refresh */
async function refreshed(options: Options, before = ANN) {
  const sessions = open(options);
  const { refresh_token: token = "" } = sessions.begin(before, "token-of-the-provider");
  const { access_token: access } = await sessions.refresh(token);
  return sessions.read(access);
}

it("a refresh without the claims keeps name and groups, once and again", async () => {
  expect(await refreshed({})).toEqual(ANN);
  expect(await refreshed({ claims: { email: "ann@example.com" } })).toEqual(ANN);
  const sessions = open({});
  const first = sessions.begin(ANN, "token-of-the-provider");
  const second = await sessions.refresh(first.refresh_token ?? "");
  const third = await sessions.refresh(second.refresh_token ?? "");
  expect(sessions.read(third.access_token)).toEqual(ANN);
});

it("a refresh with an empty list has no groups, and one without a usable group is denied", async () => {
  expect(await refreshed({ claims: { groups: [] } })).toMatchObject({ groups: [] });
  for (const groups of [null, "", [{ value: "research" }], ["x".repeat(201)]])
    await expect(refreshed({ claims: { groups } })).rejects.toThrow("no group that can be used");
});

it("a group that restricts is in the token, whatever its place among the groups", async () => {
  const groups = [...Array.from({ length: 60 }, (_, at) => `other-${String(at)}`), "eng", "budget"];
  const found = await refreshed({
    ...{ claims: { groups }, allowedGroups: ["eng"] },
    isKnownGroup: (group) => group === "budget",
  });
  expect(found?.groups).toHaveLength(32);
  expect(found?.groups.slice(0, 3)).toEqual(["budget", "eng", "other-0"]);
});

it("somebody in more groups of the gateway than a token can have is denied", async () => {
  const groups = Array.from({ length: 33 }, (_, at) => `group-${String(at)}`);
  const isKnownGroup = () => true;
  await expect(refreshed({ claims: { groups }, isKnownGroup })).rejects.toThrow("at most 32");
  expect(await refreshed({ claims: { groups: groups.slice(1) }, isKnownGroup })).toMatchObject({
    groups: groups.slice(1),
  });
});

it("a refresh can be tried again while the groups of the gateway cannot be read", async () => {
  const isKnownGroup = () => {
    throw new SignInError("The groups of this gateway cannot be read.", 502);
  };
  await expect(refreshed({ claims: { groups: ["a"] }, isKnownGroup })).rejects.toMatchObject({
    status: 502,
  });
});

it("a logout ends the session and tells once that the identity provider has not", async () => {
  const problem = new SignInError("The identity provider did not end its refresh token.", 502);
  const sessions = open({ revoke: () => Promise.reject(problem) });
  const { access_token: access, refresh_token: token = "" } = sessions.begin(ANN, "token");
  expect(await sessions.end(access)).toEqual({ name: ANN.name, isFirst: true });
  expect(await sessions.end(token)).toEqual({ name: ANN.name, isFirst: false, problem });
  expect(await sessions.end(token)).toEqual({ name: ANN.name, isFirst: false });
  expect(sessions.read(access)).toBeUndefined();
  await expect(sessions.refresh(token)).rejects.toThrow("has ended");
});
