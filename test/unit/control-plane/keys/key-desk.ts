// Keys with a configuration, a state directory and the admin API, for tests.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Hono } from "hono";
import { ROLES, setActor } from "../../../../control-plane/admin/actor.ts";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { keysApi } from "../../../../control-plane/keys/api/key-routes.ts";
import { Keys, type Spent } from "../../../../control-plane/keys/key-service.ts";
import type { GatewayModel } from "../../../../model/model.ts";

const PROVIDERS = `
llm_providers:
  - model: openai/gpt-4o
    access_key: $OPENAI_API_KEY
  - model: anthropic/*
    access_key: $ANTHROPIC_API_KEY
`;
const ENVIRONMENT = {
  OPENAI_API_KEY: "sk-openai-0123456789",
  ANTHROPIC_API_KEY: "sk-ant-0123456789",
  TEAM_KEY: "team-0123456789abcdef",
};

export function modelOf(yaml: string, more: Record<string, string> = {}): GatewayModel {
  const source = { file: "gateway.yaml", text: yaml + PROVIDERS };
  const result = loadConfiguration(source, { ...ENVIRONMENT, ...more });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.model;
}

/** Members of all responses. */
export interface Body {
  id: string;
  name: string;
  key: string;
  status: string;
  created: string;
  expires: string;
  old_key_valid_until: string;
  data: Body[];
  next?: string;
  error: { message: string; fields: { field: string }[] };
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  requestBody: { content: Record<string, { schema: { properties: object } }> };
}

export interface Desk {
  directory: string;
  /** What was spent with imported keys, and whether it can be stored. */
  spent: Spent[];
  storesSpent: boolean;
  keys: Keys;
  lines: string[];
  ask: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; body: Body; headers: Headers }>;
  use: (yaml: string, more?: Record<string, string>) => Promise<void>;
  close: () => Promise<void>;
}

export async function openDesk(
  yaml = "keys: {}\n",
  {
    directory = mkdtempSync(join(tmpdir(), "keys-")),
    environment = {},
    now = Date.now,
  }: {
    directory?: string;
    environment?: Record<string, string>;
    now?: () => number;
  } = {},
): Promise<Desk> {
  const lines: string[] = [];
  const keys = new Keys({
    ...{ directory, report: (line) => lines.push(line), now },
    onSpent(spent) {
      if (desk.storesSpent) desk.spent.push(...spent);
      return desk.storesSpent;
    },
  });
  await keys.use({ model: modelOf(yaml, environment), environment });
  const app = new Hono();
  app.use(async (context, next) => {
    setActor(context, { kind: "socket", name: "ann", roles: ROLES });
    await next();
  });
  app.route("/", keysApi({ keys: () => keys, version: "1.2.3", now }));
  const desk: Desk = {
    ...{ directory, keys, lines, spent: [], storesSpent: true },
    async ask(method, path, body, headers = {}) {
      const response = await app.request(`/api/v1${path}`, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body === undefined
          ? {}
          : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: JSON.parse(text) as Body, headers: response.headers };
    },
    use: (next, more = environment) => keys.use({ model: modelOf(next, more), environment: more }),
    async close() {
      await keys.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return desk;
}
