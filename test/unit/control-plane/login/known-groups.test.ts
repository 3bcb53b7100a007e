// The groups that a token has before others.
import { expect, it } from "vitest";
import { groupsKnownTo } from "../../../../control-plane/login/known-groups.ts";

const LOGIN = {
  ...{ url: "https://gateway.example.com", allowedGroups: ["*"], scopes: [], parameters: {} },
  ...{ tokenMs: 3_600_000, groupSettings: [{ groups: ["research", "leads"], settings: {} }] },
};

it("a group of the configuration, of settings for agents and of the admin API is known", () => {
  const model = { groups: [{ name: "engineering" }], login: LOGIN };
  const isKnown = groupsKnownTo(model, (group) => group === "created");
  const names = ["engineering", "research", "leads", "created", "another"];
  expect(names.filter(isKnown)).toEqual(names.slice(0, 4));
});

it("a login can be tried again while the groups of the admin API cannot be read", () => {
  const isKnown = groupsKnownTo({ login: LOGIN }, () => {
    throw new Error("keys.db cannot be used");
  });
  expect(isKnown("research")).toBe(true);
  expect(() => isKnown("another")).toThrow(
    expect.objectContaining({ status: 502, detail: "keys.db cannot be used" }),
  );
});
