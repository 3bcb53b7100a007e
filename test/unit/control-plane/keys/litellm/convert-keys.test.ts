// Exports of LiteLLM's tables become keys and groups that the admin API accepts.
import { expect, it } from "vitest";
import { importSchema } from "../../../../../control-plane/keys/api/schemas.ts";
import { convert } from "../../../../../control-plane/keys/litellm/convert-keys.ts";
import { readTables } from "../../../../../control-plane/keys/litellm/read-tables.ts";
import { hashOf } from "../../../../../control-plane/keys/key-records.ts";

const NOW = Date.parse("2026-11-28T00:00:00Z");
const HASH = hashOf("sk-1234567890");
const OTHER = hashOf("sk-0987654321");

const TEAMS = `team_id,team_alias,members_with_roles,max_budget,budget_duration,spend,models,tpm_limit,rpm_limit,blocked,metadata
t-1,"Research & Development",[],500,30d,12.5,"{all-proxy-models}",1000000,,f,"{""cost_center"": ""42"", ""api_key"": ""sk-secret""}"
t-2,Blocked,[],,,0,{},,,t,
`;
const KEYS = `token,key_name,key_alias,spend,expires,models,user_id,team_id,blocked,tpm_limit,rpm_limit,max_budget,budget_duration,budget_id,metadata,aliases
${HASH},sk-...7890,ann laptop,3.25,2027-01-31 12:00:00,"{gpt-4o,""claude, the model""}",u-1,t-1,f,,60,20,30d,,"{}",{}
${OTHER},sk-...4321,,0,,"{all-team-models}",,t-2,,,,,,b-1,,"{""fast"": ""gpt-4o""}"
not-a-hash,sk-...1111,plain,0,,{},,,,,,,,,,
`;
const BUDGETS = JSON.stringify([
  { budget_id: "b-1", max_budget: 7, budget_duration: "7d", tpm_limit: "50", rpm_limit: 0 },
]);
const USERS = '{"user_id":"u-1","user_email":"ann@example.com","user_role":"internal_user"}\n';

function converted() {
  const files = {
    "keys.csv": KEYS,
    "teams.csv": TEAMS,
    "budgets.json": BUDGETS,
    "users.jsonl": USERS,
  };
  return convert(readTables(Object.entries(files).map(([name, text]) => ({ name, text }))), NOW);
}

it("keys keep hash, expiry, models, limits, budget and owner, and teams become groups", () => {
  const { keys, groups } = converted();
  expect(groups).toEqual([
    {
      name: "Research-Development",
      ratelimits: [{ tokens: 1_000_000, unit: "minute" }],
      budget: [{ amount: "500 USD", per: "month" }],
      metadata: { cost_center: "42", litellm_team_id: "t-1" },
    },
    { name: "Blocked", metadata: { litellm_team_id: "t-2" } },
  ]);
  expect(keys).toEqual([
    {
      name: "ann-laptop",
      hash: HASH,
      hint: "sk-...7890",
      owner: "ann@example.com",
      groups: ["Research-Development"],
      models: ["gpt-4o", "claude, the model"],
      ratelimits: [{ requests: 60, unit: "minute" }],
      budget: [{ amount: "20 USD", per: "month" }],
      expires: "2027-01-31T12:00:00.000Z",
    },
    {
      name: `key-${OTHER.slice(0, 8)}`,
      hash: OTHER,
      hint: "sk-...4321",
      groups: ["Blocked"],
      ratelimits: [{ tokens: 50, unit: "minute" }],
      budget: [{ amount: "7 USD", per: "week" }],
      disabled: true,
    },
  ]);
});

it("the spend of a budget comes along", () => {
  expect(converted().spent).toEqual([{ key: "ann-laptop", dollars: 3.25 }]);
});

it("members without a counterpart are listed, and no secret is", () => {
  const { notes } = converted();
  const key = `key key-${OTHER.slice(0, 8)}`;
  expect(notes).toEqual([
    "team Research & Development: it is called Research-Development",
    "team Research-Development: what it has spent is not imported: its budget starts whole",
    "team Blocked: it is blocked: its keys are disabled",
    "key ann-laptop: its name was ann laptop",
    `${key}: its limit of 0 requests a minute is left out: disable the key to reject all requests`,
    `${key}: its budget's period 7d becomes a week of the calendar`,
    `${key}: left out: aliases of models: use model_aliases`,
    "key plain: it is not imported: its token is not a SHA-256",
  ]);
  expect(JSON.stringify(converted())).not.toContain("sk-secret");
});

it("the result is what the admin API accepts", () => {
  const { keys, groups } = converted();
  expect(importSchema.safeParse({ keys, groups }).error).toBeUndefined();
});

it("a key that was rotated is valid until the end of its grace period", () => {
  const old = hashOf("sk-old");
  const deprecated = `token,active_token_id,revoke_at\n${old},${HASH},2026-12-01 00:00:00\n${hashOf("gone")},${HASH},2026-01-01 00:00:00\n`;
  const { keys } = convert(
    readTables([
      { name: "keys.csv", text: KEYS },
      { name: "deprecated.csv", text: deprecated },
    ]),
    NOW,
  );
  expect(keys.filter(({ name }) => name.endsWith("-old"))).toMatchObject([
    { name: "ann-laptop-old", hash: old, expires: "2026-12-01T00:00:00.000Z" },
  ]);
});

it.each([
  ["gateway.yaml", "version: v0.1.0\nkeys: {}\n", "no columns"],
  ["broken.json", "[{", "neither JSON"],
  ["broken.csv", 'token,key_alias\n"abc', "not closed"],
])("a file that is no export is rejected by its name: %s", (name, text, message) => {
  expect(() => readTables([{ name, text }])).toThrow(`${name} `);
  expect(() => readTables([{ name, text }])).toThrow(message);
});
