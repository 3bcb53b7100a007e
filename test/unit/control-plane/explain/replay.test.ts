// What `gateway replay` finds different between two configurations.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { readCapturedRequest } from "../../../../control-plane/explain/captured-request.ts";
import type { CapturedRequest } from "../../../../control-plane/explain/captured-request.ts";
import { Explainer } from "../../../../control-plane/explain/explain.ts";
import { replay } from "../../../../control-plane/explain/replay.ts";

const FILTER = join(import.meta.dirname, "../../../../build/filter.wasm");
const environment = {
  OPENAI_KEY: "sk-1",
  SECOND_KEY: "sk-3",
  ANTHROPIC_KEY: "sk-2",
  TEAM_KEY: "team-key-0123456789",
};

const OPENAI = "  - {model: openai/gpt-4o, access_key: $OPENAI_KEY, default: true}\n";
const ANTHROPIC = "  - {model: anthropic/claude-sonnet-4-5, access_key: $ANTHROPIC_KEY}\n";
const KEYS = "listeners: {egress: {api_keys: [$TEAM_KEY]}}\n";

async function explainerOf(text: string): Promise<Explainer> {
  const loaded = loadConfiguration({ file: "gateway.yaml", text }, environment);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return Explainer.open({ model: loaded.model, environment, filterFile: FILTER });
}

function line(id: string, model: string, more: object = {}): string {
  const body = { model, seed: 7, messages: [{ role: "user", content: "Grüße" }] };
  return JSON.stringify({
    ...{ id, time: 1, listener: "egress", method: "POST", path: "/v1/chat/completions" },
    headers: [
      ["content-type", "application/json"],
      ["authorization", "***"],
      ["content-length", "99"],
    ],
    request: JSON.stringify(body),
    response: "{}",
    ...more,
  });
}

function requests(...lines: string[]): CapturedRequest[] {
  return lines.flatMap((one) => readCapturedRequest(one) ?? []);
}

describe("replay", () => {
  const old = `${KEYS}llm_providers:\n${OPENAI}${ANTHROPIC}`;

  async function compare(next: string, ...lines: string[]) {
    const [before, after] = await Promise.all([explainerOf(old), explainerOf(next)]);
    return replay(requests(...lines), { before, after });
  }

  it("a replay finds no difference in the same configuration", async () => {
    const lines = [line("a", "gpt-4o"), "-", "half a li", line("b", "none"), line("c", "unknown")];
    expect(await compare(old, ...lines)).toEqual({
      ...{ requests: 3, unchanged: 3, skipped: 0, changes: [] },
    });
  });

  it("a replay groups equal changes, the most frequent first", async () => {
    const fallback = OPENAI.replace("default", "fallbacks: [anthropic/claude-sonnet-4-5], default");
    const next = `${KEYS}llm_providers:\n${fallback}${ANTHROPIC.replace("4-5,", "4-5, name: smart,")}`;
    const names = ["gpt-4o", "smart", "gpt-4o", "none", "claude-sonnet-4-5", "gpt-4o"];
    const lines = names.map((name, index) => line(String(index), name));
    expect(await compare(next, ...lines)).toEqual({
      requests: 6,
      unchanged: 1,
      skipped: 0,
      changes: [
        {
          differences: ["openai/gpt-4o becomes openai/gpt-4o, then anthropic/claude-sonnet-4-5"],
          requests: 4,
          examples: ["0", "2", "3"],
        },
        {
          differences: ["response 404 becomes anthropic/claude-sonnet-4-5"],
          requests: 1,
          examples: ["1"],
        },
      ],
    });
  });

  it("a replay names what is different in a request", async () => {
    const changed = ANTHROPIC.replace(
      "access_key",
      "base_url: https://llm.example.com/x, headers: {x-team: one}, limits: {max_output_tokens: 100}, access_key",
    );
    const next = `${KEYS}system_prompt: Be brief.\nllm_providers:\n${OPENAI}${changed}`;
    const { changes } = await compare(next, line("a", "claude-sonnet-4-5"));
    expect(changes.map(({ differences }) => differences)).toEqual([
      [
        "attempt 1 at anthropic/claude-sonnet-4-5: URL https://api.anthropic.com/v1/messages becomes https://llm.example.com/x/v1/messages, headers x-team, body",
      ],
    ]);
  });

  it("a replay skips requests whose body is not complete, or that a model server decides about", async () => {
    const guard = "prompt_guards: {input_guards: {jailbreak: {on_exception: {message: No.}}}}\n";
    const lines = [
      line("a", "gpt-4o", { request_bytes: 999_999 }),
      line("b", "gpt-4o", { listener: "ingress" }),
      line("c", "gpt-4o"),
    ];
    expect(await compare(`${guard}${old}`, ...lines)).toMatchObject({ requests: 1, skipped: 2 });
  });

  it("a replay finds no difference in weights and keys that take turns", async () => {
    const text = `${KEYS}llm_providers:
  - {model: openai/gpt-4o, access_key: [$OPENAI_KEY, $SECOND_KEY]}
${ANTHROPIC}model_aliases:
  mixed: {targets: [{model: openai/gpt-4o, weight: 50}, {model: anthropic/claude-sonnet-4-5, weight: 50}]}
`;
    const [before, after] = await Promise.all([explainerOf(text), explainerOf(text)]);
    const lines = Array.from({ length: 20 }, (_, index) =>
      line(String(index), index % 2 === 0 ? "mixed" : "gpt-4o"),
    );
    expect(await replay(requests(...lines), { before, after })).toMatchObject({
      requests: 20,
      unchanged: 20,
    });
  });

  it("a replay compares 1,000 requests", async () => {
    const lines = Array.from({ length: 1000 }, (_, index) => line(String(index), "gpt-4o"));
    const next = old.replace("openai/gpt-4o", "openai/gpt-4.1");
    const { requests: number, changes } = await compare(next, ...lines);
    expect([number, changes.length, changes[0]?.requests]).toEqual([1000, 1, 1000]);
  });
});
