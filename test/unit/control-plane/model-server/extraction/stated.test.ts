// Nothing wrong is ever sent: no part of an id, no value of another parameter, no default in place of a stated value.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { extractEmbedded } from "../../../../../control-plane/model-server/extraction/embedded.ts";
import {
  asTarget,
  type SpanFinder,
} from "../../../../../control-plane/model-server/extraction/stated.ts";
import { modelServerOptions } from "../../../../../control-plane/model-server/options.ts";
import { type FakeModel, NOW, type Running, startLanguageModel, startServer } from "../running.ts";
import { faultsOf, MACHINE, STATED_TARGETS, STATEMENTS, type Statement } from "../statements.ts";
import { talk } from "../talk.ts";

const SEED = 19;
const described = modelServerOptions.parse({ targets: STATED_TARGETS }).targets;

function targetOf({ target: { name } }: Statement) {
  const found = described.find((target) => target.name === name);
  if (found === undefined) throw new Error(`no target ${name}`);
  return asTarget(found);
}

describe("with the trained extractor", () => {
  let server: Running;
  beforeAll(async () => {
    server = await startServer({ targets: STATED_TARGETS });
  });
  afterAll(() => server.close());

  it("a call has what the prompt states, and nothing else", async () => {
    const all = fc.sample(STATEMENTS, {
      seed: SEED,
      numRuns: Number(process.env["STATEMENTS"] ?? 300),
    });
    const counts = { calls: 0, questions: 0, neither: 0, values: 0, stated: 0 };
    const faults: string[] = [];
    for (const statement of all) {
      const [turn] = await talk(server, STATED_TARGETS, [statement.prompt]);
      counts.stated += Object.keys(statement.stated).length;
      if (turn === null || turn === undefined) counts.neither++;
      else if (typeof turn === "string") counts.questions++;
      else {
        counts.calls++;
        const values = turn.values as Record<string, unknown>;
        counts.values += Object.keys(values).length;
        const own =
          turn.target === statement.target.name
            ? faultsOf(statement, values, true)
            : [`target ${turn.target}`];
        faults.push(...own.map((fault) => `${statement.prompt}: ${fault}`));
      }
    }
    if (process.env["STATEMENTS"] !== undefined) console.log(counts);
    expect(faults).toEqual([]);
    expect(counts.calls).toBeGreaterThan(all.length / 2);
  });
});

/** What a language model makes of the stated values: some are right, some are not what the prompt states. */
const SCRIPTS: Record<string, (statement: Statement) => Record<string, unknown>> = {
  "states every value": ({ stated }) => nullsFor(stated),
  "cuts every text": ({ stated }) =>
    nullsFor(
      Object.fromEntries(
        Object.entries(stated).map(([name, value]) => [name, String(value).slice(0, -1)]),
      ),
    ),
  "invents what is not stated": ({ stated, target: { parameters = [] } }) => ({
    ...Object.fromEntries(
      parameters.map(({ name, type, enum: options }) => [
        name,
        options?.at(-1) ?? (type === "int" || type === "float" ? 4711 : "Atlantis"),
      ]),
    ),
    ...stated,
  }),
};

function nullsFor(stated: Record<string, unknown>) {
  return { ...Object.fromEntries(NAMES.map((name) => [name, null])), ...stated };
}
const NAMES = STATED_TARGETS.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name));

describe("with a language model", () => {
  let model: FakeModel;
  let server: Running;
  let response: () => object = () => ({});
  beforeAll(async () => {
    model = await startLanguageModel(() => response());
    server = await startServer({
      targets: STATED_TARGETS,
      extraction: { egress: model.url, mode: "llm" },
    });
  });
  afterAll(async () => {
    await server.close();
    await model.close();
  });

  it.each(Object.entries(SCRIPTS))(
    "a language model decides about a prompt that %s",
    async (name, script) => {
      const counts = { calls: 0, values: 0, stated: 0 };
      const faults: string[] = [];
      for (const statement of fc.sample(STATEMENTS, { seed: SEED, numRuns: 60 })) {
        const { prompt, stated, target } = statement;
        const args = JSON.stringify(script(statement));
        response = () => ({
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c", type: "function", function: { name: target.name, arguments: args } },
          ],
        });
        counts.stated += Object.keys(stated).length;
        const [turn] = await talk(server, STATED_TARGETS, [prompt]);
        if (turn === null || turn === undefined || typeof turn === "string") continue;
        counts.calls++;
        const values = turn.values as Record<string, unknown>;
        counts.values += Object.keys(values).length;
        faults.push(...faultsOf(statement, values, false).map((fault) => `${prompt}: ${fault}`));
      }
      if (process.env["STATEMENTS"] !== undefined) console.log(name, counts);
      expect(faults).toEqual([]);
    },
  );
});

describe("whatever spans a model proposes", () => {
  const odds = fc.double({ min: 2.5, max: 12, noNaN: true });
  /** Spans anywhere in the prompt, also within tokens and across them. */
  const anywhere = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 30 }), odds), { maxLength: 6 });

  it("no value is a part of a token", async () => {
    await fc.assert(
      fc.asyncProperty(
        STATEMENTS,
        fc.array(anywhere, { minLength: 4, maxLength: 4 }),
        async (statement, proposed) => {
          const { prompt } = statement;
          const find: SpanFinder = (_, parameters) =>
            Promise.resolve(
              parameters.map((_, index) =>
                (proposed[index] ?? []).map(([at, length, own]) => {
                  const start = at % prompt.length;
                  return { start, end: Math.min(prompt.length, start + length + 1), odds: own };
                }),
              ),
            );
          const { values } = await extractEmbedded(
            targetOf(statement),
            [{ text: prompt, asked: [] }],
            find,
            NOW,
          );
          const tokens = tokensOf(prompt);
          for (const [name, value] of Object.entries(values)) {
            const isWhole = [...tokensOf(String(value))].every((word) => tokens.has(word));
            expect(isWhole, `${prompt}: ${name} is ${String(value)}`).toBe(true);
          }
        },
      ),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it("no part of an id is one", async () => {
    const [restart] = described.filter(({ name }) => name === "restart_machine");
    if (restart === undefined) throw new Error("no target");
    await fc.assert(
      fc.asyncProperty(MACHINE, fc.nat(), fc.nat(), async (machine, from, length) => {
        const prompt = `restart ${machine} now`;
        const start = 8 + (from % machine.length);
        const end = Math.min(8 + machine.length, start + 1 + (length % machine.length));
        const find: SpanFinder = () => Promise.resolve([[{ start, end, odds: 9 }], []]);
        const turn = { text: prompt, asked: [] };
        const { values } = await extractEmbedded(asTarget(restart), [turn], find, NOW);
        expect([machine, undefined]).toContain(values["machine"]);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });
});

/** The words of a prompt as a person reads them, and what their normalised forms are. */
function tokensOf(prompt: string): Set<string> {
  const words = prompt
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^["'(]+|["'?!,.;:)]+$/g, ""));
  return new Set([...words, ...words.map((word) => word.replace(/'s$/, ""))]);
}
