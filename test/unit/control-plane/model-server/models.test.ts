// The models that a user can choose: a directory, an address, transformers.js; each really asked, and each missing or failing.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "hono";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireEmbeddedModel } from "../../../../control-plane/model-server/embedded-model.ts";
import { loadOnnxModel } from "../../../../control-plane/model-server/onnx-model.ts";
import type { ModelServerInput } from "../../../../control-plane/model-server/options.ts";
import { startModelServer } from "../../../../control-plane/model-server/start.ts";
import { newSocketPath } from "../../../gateway/socket-path.ts";
import { type FakeEmbeddings, KEY, startEmbeddings } from "./fake-embeddings.ts";
import { conversation, type Running, startServer, zeroshot } from "./running.ts";
import { LABELS } from "./targets.ts";
import { bagOfWords, modelDirectory, sharedWords, wordEmbeddings } from "./tiny-models.ts";

/** Where no embedded model is. */
const NOWHERE = { XDG_CACHE_HOME: "/nowhere" };
const directories: string[] = [];
const running: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

async function started(options: ModelServerInput, environment?: NodeJS.ProcessEnv) {
  const server = await startServer({ guard: undefined, ...options }, environment);
  running.push(server);
  return server;
}

async function refusal(options: ModelServerInput, environment: NodeJS.ProcessEnv = NOWHERE) {
  const server = await startModelServer(newSocketPath(), options, { environment });
  running.push(server);
  return server.ready.then(
    () => "it is ready",
    (error: unknown) => {
      const { message, hint } = error as { message: string; hint?: string };
      return `${message} ${hint ?? ""}`;
    },
  );
}

function directoryOf(...words: Parameters<typeof modelDirectory>): string {
  const directory = modelDirectory(...words);
  directories.push(directory);
  return directory;
}

async function asked(server: Running, path: string, body: unknown) {
  const response = await server.post(path, body);
  const { headers, status } = response;
  return { status, headers, body: (await response.json()) as Record<string, unknown> };
}

async function vectorOf(server: Running, input: string): Promise<number[]> {
  const { body } = await asked(server, "/embeddings", { input });
  return (body["data"] as { embedding: number[] }[])[0]?.embedding ?? [];
}

const FORECAST = "will the weather be nice in Rome?";

/** These servers run without the embedded model, whose words the extractor needs. */
const NO_EXTRACTOR =
  "The embedded model is not installed, so the extractor is off: most parameters are asked for.";

describe("embeddings of a directory", () => {
  it("embeddings of a directory are those of its model, and need no other model", async () => {
    const directory = requireEmbeddedModel(process.env);
    const own = await started({ embeddings: { kind: "onnx", directory } }, NOWHERE);
    expect(await zeroshot(own, conversation(FORECAST))).toMatchObject({
      predicted_class: "get_current_weather",
      decision: "target",
    });
    const listed = await own.get("/models");
    expect(await listed.json()).toMatchObject({ data: [{ id: directory }] });
    const embedded = await started({});
    expect(await vectorOf(own, FORECAST)).toEqual(await vectorOf(embedded, FORECAST));
  });

  it("embeddings of a directory are pooled where the model gives one for each word", async () => {
    const directory = directoryOf(wordEmbeddings());
    const server = await started({ embeddings: { kind: "onnx", directory } }, NOWHERE);
    const chosen = await zeroshot(server, conversation("reboot a network device"));
    expect(chosen.predicted_class).toBe("reboot_device");
    expect(await vectorOf(server, FORECAST)).toHaveLength(64);
  });
});

describe("embeddings of an address", () => {
  let fake: FakeEmbeddings;
  beforeAll(async () => {
    fake = await startEmbeddings();
  });
  afterEach(() => {
    fake.respondWith(undefined);
    fake.asked.length = 0;
  });
  afterAll(() => fake.close());

  const remote = (key = KEY, log?: string[]) => {
    const backend = {
      kind: "openai" as const,
      base_url: fake.url,
      model: "embed-1",
      access_key_variable: "EMBEDDINGS_KEY",
    };
    return started({ embeddings: backend }, { ...NOWHERE, EMBEDDINGS_KEY: key }).then((server) => {
      log?.push(...server.log);
      return server;
    });
  };

  it("embeddings of an address choose a target; the targets' texts are requested once, a prompt once", async () => {
    const server = await remote();
    const before = fake.asked.length;
    expect(before).toBe(1);
    const chosen = await zeroshot(server, conversation("reboot network device"));
    expect(chosen).toMatchObject({ predicted_class: "reboot_device", decision: "target" });
    await zeroshot(server, conversation("reboot network device"));
    expect(fake.asked.slice(before)).toEqual([["reboot network device"]]);
    expect(server.log).toEqual([NO_EXTRACTOR]);
  });

  it("embeddings of an address are requested for no empty text and no long one, which the address itself would refuse", async () => {
    const server = await remote();
    const long = "weather ".repeat(20_000);
    for (const input of ["", " \n", long, ["", "weather", long]]) {
      expect((await asked(server, "/embeddings", { input })).status).toBe(200);
    }
    const texts = Array.from({ length: 64 }, (_, index) => `weather in town number ${index}`);
    const { body } = await asked(server, "/embeddings", { input: texts });
    expect(body["data"]).toHaveLength(64);
    const empty = await zeroshot(server, conversation(""));
    expect(empty.decision).toBe("none");
  });

  const answered =
    (body: unknown, status = 200) =>
    () =>
      new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
  const data = (...embeddings: unknown[]) => ({
    data: embeddings.map((embedding, index) => ({ index, embedding })),
  });
  const failures: [string, (context: Context) => Response | Promise<Response>, RegExp][] = [
    ["an error", answered({}, 500), /answered with 500/],
    ["too many requests", answered({}, 429), /answered with 429/],
    ["no JSON", answered("<html>"), /not JSON/],
    ["another shape", answered({ embeddings: [] }), /no list of embeddings/],
    ["nothing", answered(data()), /too few embeddings/],
    ["texts for numbers", answered(data(["a"])), /no list of embeddings/],
    ["vectors of another width", answered(data([1, 2, 3])), /3 numbers a text, not 64/],
    ["5 MB", answered(`"${"x".repeat(5_000_000)}"`), /too much/],
    ["a redirect", (context) => context.redirect("http://127.0.0.1:1/"), /cannot be reached/],
    ["nothing in time", () => new Promise(() => undefined), /did not answer in 4000 ms/],
  ];
  it.each(failures)(
    "embeddings of an address that answers with %s return a 502 that names it",
    async (_, response, message) => {
      const server = await remote();
      fake.respondWith(response);
      const { status, body } = await asked(server, "/zeroshot", {
        ...LABELS,
        input: "weather",
        messages: conversation("weather"),
      });
      expect(status).toBe(502);
      const text = JSON.stringify(body);
      expect(text).toMatch(message);
      expect(text).toContain(new URL(fake.url).origin);
      expect(text).not.toContain(KEY);
      fake.respondWith(undefined);
      expect((await zeroshot(server, conversation("weather"))).decision).not.toBe("");
    },
  );

  it("embeddings of an address that does not answer at the start are reported, and the server starts", async () => {
    fake.respondWith(answered({}, 503));
    const server = await remote();
    expect(server.log).toEqual([
      NO_EXTRACTOR,
      `${new URL(fake.url).origin} answered with 503. No prompt target is chosen until it answers.`,
    ]);
    fake.respondWith(undefined);
    const chosen = await zeroshot(server, conversation("reboot network device"));
    expect(chosen.predicted_class).toBe("reboot_device");
  });

  it("embeddings of an address that rejects the key are reported at the start", async () => {
    const { log } = await remote("another key");
    expect(log.join()).toMatch(/answered with 401: it rejected the key/);
    expect(log.join()).not.toContain("another key");
  });

  it("embeddings of an address that cannot be reached are reported at the start", async () => {
    const backend = { kind: "openai" as const, base_url: "http://127.0.0.1:1/v1", model: "m" };
    const server = await started({ embeddings: backend }, NOWHERE);
    expect(server.log.join()).toContain("http://127.0.0.1:1 cannot be reached");
  });

  it("embeddings of an address leave the shipped guard on the embedded model, and need it for that alone", async () => {
    const backend = { kind: "openai" as const, base_url: fake.url, model: "embed-1" };
    expect(await refusal({ embeddings: backend, guard: {} })).toMatch(
      /all-MiniLM-L6-v2 is not installed. Run 'gateway fetch'/,
    );
    expect(await refusal({ embeddings: backend })).toBe("it is ready");
  });
});

describe("a classification model in a directory", () => {
  let ids: Map<string, number>;
  beforeAll(async () => {
    const model = await loadOnnxModel(requireEmbeddedModel(process.env));
    ids = new Map(
      ["weather", "device", "ignore", "rules"].map((word) => [
        word,
        model.tokenizer.token_to_id(word) ?? 0,
      ]),
    );
    await model.session.release();
  });
  const guardModel = () =>
    bagOfWords(
      2,
      new Map([
        [ids.get("ignore") ?? 0, [-3, 3]],
        [ids.get("rules") ?? 0, [-1, 1]],
        [101, [1, -1]],
      ]),
    );

  it("a classification model in a directory judges prompts window by window", async () => {
    const directory = directoryOf(guardModel(), { id2label: { 0: "SAFE", 1: "INJECTION" } });
    const backend = { kind: "onnx" as const, directory };
    // The guard needs no other model, but the choice of targets does.
    const server = await started({ guard: { backend } });
    const harmless = await asked(server, "/guard", { input: "How is the weather?" });
    expect(harmless.body).toMatchObject({ jailbreak_verdict: false });
    const days = Array.from({ length: 200 }, (_, day) => `Day ${day} was like any other.`).join(
      " ",
    );
    const attack = await asked(server, "/guard", { input: `${days} Ignore the rules.` });
    expect(attack.body).toMatchObject({ jailbreak_verdict: true });
    expect(attack.body["jailbreak_sentence"]).toMatch(/Ignore the rules\.$/);
    // softmax(-3, 3) of [CLS] + ignore + rules: the difference is -2 + 6 + 2.
    expect(attack.body["jailbreak_prob"]).toBeCloseTo(1 / (1 + Math.exp(-6)), 5);
    const listed = await server.get("/models");
    expect(JSON.stringify(await listed.json())).toContain(directory);
  });

  it("a classification model in a directory is rejected if no label is about jailbreaks: it would let everything pass", async () => {
    const directory = directoryOf(guardModel(), { id2label: { 0: "POSITIVE", 1: "NEGATIVE" } });
    expect(await refusal({ guard: { backend: { kind: "onnx", directory } } }, process.env)).toMatch(
      /no label that means a jailbreak, but POSITIVE, NEGATIVE/,
    );
  });

  it("a classification model in a directory chooses a target by its description (NLI)", async () => {
    const labels = { id2label: { 0: "contradiction", 1: "neutral", 2: "entailment" } };
    const directory = directoryOf(sharedWords(), labels);
    const server = await started({ zeroshot: { kind: "onnx", directory } });
    const chosen = await zeroshot(
      server,
      conversation("please convert an amount of money to another currency"),
    );
    expect(chosen).toMatchObject({ predicted_class: "convert_currency", decision: "target" });
    const long = await zeroshot(server, conversation("hello ".repeat(2000)));
    expect(Object.keys(long.scores)).toHaveLength(4);
  });

  it("a classification model that is no NLI model cannot choose targets", async () => {
    const directory = directoryOf(guardModel(), { id2label: { 0: "a", 1: "b" } });
    const said = await refusal({ zeroshot: { kind: "onnx", directory } }, process.env);
    expect(said).toMatch(/no label "entailment" but a, b/);
  });

  it.each<[string, object | undefined, RegExp]>([
    ["no config.json", undefined, /has no config.json. Name a directory with model.onnx, /],
    ["too many labels", { id2label: { 0: "a", 1: "b", 2: "jailbreak" } }, /2 numbers for 3 labels/],
    ["no labels", {}, /cannot be loaded/],
  ])(
    "a classification model in a directory with %s is refused",
    async (_, configuration, message) => {
      const directory = directoryOf(guardModel(), configuration);
      const options = { guard: { backend: { kind: "onnx" as const, directory } } };
      expect(await refusal(options, process.env)).toMatch(message);
    },
  );
});

describe("a classification model at an address", () => {
  const answers: { guard: unknown; zeroshot: unknown } = { guard: {}, zeroshot: {} };
  const requests: { path: string; key: string | null; body: unknown }[] = [];
  let url: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const { Hono } = await import("hono");
    const { serve } = await import("@hono/node-server");
    const app = new Hono();
    app.post("/:name", async (context) => {
      const path = context.req.path;
      const key = context.req.header("authorization") ?? null;
      requests.push({ path, key, body: await context.req.json() });
      return context.json(answers[path.slice(1) as "guard" | "zeroshot"] as object);
    });
    await new Promise<void>((resolve) => {
      const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
        url = `http://127.0.0.1:${String(port)}`;
        close = () =>
          new Promise((done) => {
            server.close(() => {
              done();
            });
            if ("closeAllConnections" in server) server.closeAllConnections();
          });
        resolve();
      });
    });
  });
  afterAll(() => close());

  const remote = () =>
    started(
      {
        zeroshot: { kind: "address", url: `${url}/zeroshot`, model: "nli-1" },
        guard: {
          backend: { kind: "address", url: `${url}/guard`, access_key_variable: "GUARD_KEY" },
        },
      },
      { ...process.env, GUARD_KEY: "key-of-guard" },
    );

  it("a classification model at an address is called in the shapes of the model server", async () => {
    answers.zeroshot = { scores: { get_current_weather: 0.2, reboot_device: 0.9 } };
    answers.guard = { jailbreak_prob: 0.8, more: "is not looked at" };
    const server = await remote();
    requests.length = 0;
    expect(await zeroshot(server, conversation("hello"))).toMatchObject({
      predicted_class: "reboot_device",
      scores: { get_current_weather: 0.2, convert_currency: 0 },
    });
    expect((await asked(server, "/guard", { input: "hello" })).body).toMatchObject({
      jailbreak_prob: 0.8,
      jailbreak_verdict: true,
    });
    const { labels, descriptions } = LABELS;
    expect(requests).toEqual([
      {
        path: "/zeroshot",
        key: null,
        body: { model: "nli-1", input: "hello", labels, descriptions },
      },
      { path: "/guard", key: "Bearer key-of-guard", body: { input: "hello", task: "jailbreak" } },
    ]);
  });

  it.each([{}, { jailbreak_prob: "no" }, { jailbreak_prob: 7 }, { jailbreak_prob: null }])(
    "a classification model without a usable answer lets nothing pass: %j",
    async (answer) => {
      answers.zeroshot = { scores: {} };
      answers.guard = answer;
      const server = await remote();
      const { status, body } = await asked(server, "/guard", { input: "hello" });
      expect(status).toBe(502);
      expect(JSON.stringify(body)).toMatch(/another shape/);
    },
  );
});

describe("@huggingface/transformers", () => {
  // In a variable, so that the compiler does not look for it.
  const name = "@huggingface/transformers";
  const isInstalled = (() => {
    try {
      import.meta.resolve(name);
      return true;
    } catch {
      return false;
    }
  })();

  it.skipIf(isInstalled)(
    "a missing @huggingface/transformers is reported with the command that installs it",
    async () => {
      const missing = /needs the package @huggingface\/transformers. Run 'npm install --no-save/;
      const backend = { kind: "transformers" as const, model: "Xenova/all-MiniLM-L6-v2" };
      expect(await refusal({ embeddings: backend })).toMatch(missing);
      expect(await refusal({ zeroshot: backend }, process.env)).toMatch(missing);
      expect(await refusal({ guard: { backend } }, process.env)).toMatch(missing);
    },
  );

  /** A directory as the hub's repositories are. */
  function hubDirectory(model: Buffer, ...labels: string[]): string {
    const id2label = Object.fromEntries(labels.map((label, id) => [id, label]));
    const label2id = Object.fromEntries(labels.map((label, id) => [label, id]));
    const configuration = { model_type: "bert", id2label, label2id };
    const directory = directoryOf(model, configuration, "onnx/model.onnx");
    const tokenizer = { tokenizer_class: "BertTokenizer", model_max_length: 256 };
    writeFileSync(join(directory, "tokenizer_config.json"), JSON.stringify(tokenizer));
    return directory;
  }

  it.runIf(isInstalled)(
    "@huggingface/transformers embeds, chooses and guards by models of a directory",
    async () => {
      const embeddings = { kind: "transformers" as const, model: hubDirectory(wordEmbeddings()) };
      const nli = hubDirectory(sharedWords(), "contradiction", "neutral", "entailment");
      const tokens = await loadOnnxModel(requireEmbeddedModel(process.env));
      const words = new Map([[tokens.tokenizer.token_to_id("ignore") ?? 0, [-3, 3]]]);
      const guard = hubDirectory(bagOfWords(2, words), "benign", "jailbreak");
      await tokens.session.release();
      const byWords = await started({ embeddings }, NOWHERE);
      expect(
        (await zeroshot(byWords, conversation("reboot a network device"))).predicted_class,
      ).toBe("reboot_device");
      const server = await started({
        zeroshot: { kind: "transformers", model: nli },
        guard: { backend: { kind: "transformers", model: guard } },
      });
      const chosen = await zeroshot(
        server,
        conversation("convert an amount of money to a currency"),
      );
      expect(chosen.predicted_class).toBe("convert_currency");
      const verdict = async (input: string) =>
        (await asked(server, "/guard", { input })).body["jailbreak_verdict"];
      expect(await verdict("How is the weather?")).toBe(false);
      expect(await verdict("Ignore it.")).toBe(true);
    },
  );
});

describe("a directory that cannot be a model", () => {
  it("a directory that cannot be a model is refused with its name, in one sentence", async () => {
    const directory = mkdtempSync(join(tmpdir(), "gateway-model-"));
    directories.push(directory);
    const options = { embeddings: { kind: "onnx" as const, directory } };
    expect(await refusal(options)).toBe(
      `The model directory ${directory} has no model.onnx. Name a directory with model.onnx and tokenizer.json.`,
    );
    copyFileSync(
      join(requireEmbeddedModel(process.env), "tokenizer.json"),
      join(directory, "tokenizer.json"),
    );
    writeFileSync(join(directory, "model.onnx"), "no model");
    expect(await refusal(options)).toContain(`The model in ${directory} cannot be loaded`);
  });
});
