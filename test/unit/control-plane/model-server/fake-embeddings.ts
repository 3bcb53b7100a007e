// An address that speaks OpenAI's /embeddings and refuses what the real one refuses.
import { serve } from "@hono/node-server";
import { type Context, Hono } from "hono";

export interface FakeEmbeddings {
  /** With `/v1`. */
  url: string;
  /** The texts of each request. */
  asked: string[][];
  /** Instead of the next answers. */
  respondWith: (response: ((context: Context) => Response | Promise<Response>) | undefined) => void;
  close: () => Promise<void>;
}

export const KEY = "key-of-embeddings";
const MEMBERS = ["model", "input", "encoding_format", "dimensions", "user"];
/** Of the real one 8192 tokens a text and 2048 texts; here the smallest of the known servers. */
const MAX_TEXT = 512 * 4;
const MAX_TEXTS = 32;
const WIDTH = 64;

/** @see https://platform.openai.com/docs/api-reference/embeddings */
export async function startEmbeddings(): Promise<FakeEmbeddings> {
  const asked: string[][] = [];
  let instead: ((context: Context) => Response | Promise<Response>) | undefined;
  const app = new Hono();
  app.post("/v1/embeddings", async (context) => {
    if (instead !== undefined) return instead(context);
    if (context.req.header("authorization") !== `Bearer ${KEY}`) {
      return refusal(context, 401, "Incorrect API key provided.");
    }
    if (context.req.header("content-type") !== "application/json") {
      return refusal(context, 415, "Unsupported Media Type");
    }
    const body = await context.req.json<Record<string, unknown>>();
    const stranger = Object.keys(body).find((name) => !MEMBERS.includes(name));
    if (stranger !== undefined) {
      return refusal(context, 400, `Unrecognized request argument supplied: ${stranger}`);
    }
    if (body["model"] !== "embed-1") return refusal(context, 404, "The model does not exist.");
    if (body["encoding_format"] !== "float") return refusal(context, 400, "base64 is not told.");
    const input = [body["input"]].flat();
    if (input.length === 0 || input.length > MAX_TEXTS) {
      return refusal(context, 400, "'$.input' is invalid.");
    }
    if (!input.every((text) => typeof text === "string" && text !== "")) {
      return refusal(context, 400, "'$.input' is invalid.");
    }
    const texts = input as string[];
    if (texts.some(({ length }) => length > MAX_TEXT)) {
      return refusal(context, 400, "This model's maximum context length is 512 tokens.");
    }
    asked.push(texts);
    const data = texts.map((text, index) => ({ object: "embedding", index, embedding: bag(text) }));
    const tokens = texts.length * 4;
    const usage = { prompt_tokens: tokens, total_tokens: tokens };
    // Nothing says that they come in order: that is what `index` is for.
    return context.json({ object: "list", data: data.reverse(), model: "embed-1", usage });
  });
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
      resolve({
        url: `http://127.0.0.1:${String(port)}/v1`,
        asked,
        respondWith: (response) => {
          instead = response;
        },
        close: () =>
          new Promise((done) => {
            server.close(() => {
              done();
            });
            if ("closeAllConnections" in server) server.closeAllConnections();
          }),
      });
    });
  });
}

function refusal(context: Context, status: 400 | 401 | 404 | 415, message: string): Response {
  return context.json({ error: { message, type: "invalid_request_error" } }, status);
}

/** Words, each on a place of its own. */
function bag(text: string): number[] {
  const vector = new Array<number>(WIDTH).fill(0.01);
  for (const word of text.toLowerCase().match(/[a-z]{4,}/g) ?? []) {
    let place = 0;
    for (const letter of word) place = (place * 31 + letter.charCodeAt(0)) % WIDTH;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
