// Error answers of providers in the other dialect's envelope: every shape of body, with the status's meaning.
import { beforeAll, describe, expect, test } from "vitest";
import { ANTHROPIC, OPENAI, Responses } from "../../response-translator.ts";

let responses: Responses;
beforeAll(async () => {
  responses = await Responses.load();
});

interface Envelope {
  type?: string;
  request_id?: string;
  error: { type: string; message: string; param?: string | null; code?: string | null };
}

function toAnthropic(status: number, body: string | Uint8Array): Envelope {
  return JSON.parse(responses.error({ from: OPENAI, to: ANTHROPIC }, status, body)) as Envelope;
}

function toOpenai(status: number, body: string | Uint8Array): Envelope {
  return JSON.parse(responses.error({ from: ANTHROPIC, to: OPENAI }, status, body)) as Envelope;
}

describe("the status decides the type", () => {
  test.each([
    [400, "invalid_request_error", "invalid_request_error"],
    [401, "authentication_error", "invalid_request_error"],
    [402, "billing_error", "invalid_request_error"],
    [403, "permission_error", "permission_error"],
    [404, "not_found_error", "invalid_request_error"],
    [408, "timeout_error", "timeout_error"],
    [413, "request_too_large", "invalid_request_error"],
    [422, "invalid_request_error", "invalid_request_error"],
    [429, "rate_limit_error", "rate_limit_error"],
    [500, "api_error", "server_error"],
    [502, "api_error", "server_error"],
    [503, "overloaded_error", "overloaded_error"],
    [504, "timeout_error", "timeout_error"],
    [529, "overloaded_error", "overloaded_error"],
  ])("%i", (status, anthropic, openai) => {
    const body = '{"error":{"message":"Because.","type":"whatever"}}';
    expect(toAnthropic(status, body)).toEqual({
      type: "error",
      error: { type: anthropic, message: "Because." },
      request_id: "req-1",
    });
    expect(toOpenai(status, body)).toEqual({
      error: { message: "Because.", type: openai, param: null, code: null },
    });
  });
});

describe("Google's errors", () => {
  const google = (error: object): string => JSON.stringify({ error });

  test("a wrong key has the status 400", () => {
    const reason = {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "API_KEY_INVALID",
    };
    const body = google({ code: 400, message: "API key not valid.", details: [reason] });
    expect(toAnthropic(400, body).error.type).toBe("authentication_error");
    expect(toAnthropic(400, `[${body}]`).error.type).toBe("authentication_error");
  });
});

describe("the message is found", () => {
  test.each([
    ["OpenAI", '{"error":{"message":"No \\"x\\"","type":"t","param":null,"code":null}}', 'No "x"'],
    ["Anthropic", '{"type":"error","error":{"type":"api_error","message":"Näh"}}', "Näh"],
    ["Ollama", '{"error":"model not found"}', "model not found"],
    ["Mistral", '{"object":"error","message":"Bad","type":"x","param":null,"code":"1"}', "Bad"],
    ["Mistral, nested", '{"object":"error","message":{"detail":"Deep"}}', "Deep"],
    ["FastAPI", '{"detail":"Not Found"}', "Not Found"],
    [
      "FastAPI, a list",
      '{"detail":[{"loc":["body","messages",0],"msg":"field required"},{"msg":"more"}]}',
      "body.messages.0: field required; more",
    ],
    ["Cloudflare", '{"success":false,"errors":[{"code":7,"message":"Nope"}]}', "Nope"],
    ["Gemini", '[{"error":{"code":400,"message":"Wrong","status":"INVALID_ARGUMENT"}}]', "Wrong"],
    ["a string", '"just words"', "just words"],
    ["error_msg", '{"error_code":1,"error_msg":"Words"}', "Words"],
    ["error inside error", '{"error":{"error":"inner"}}', "inner"],
    ["another shape", '{"oops":{"a":1}}', '{"oops":{"a":1}}'],
    ["duplicate members", '{"error":{"message":"a","message":"b"}}', "b"],
  ])("%s", (_name, body, message) => {
    expect(toAnthropic(400, body).error.message).toBe(message);
    expect(toOpenai(400, body).error.message).toBe(message);
  });

  test("a page's words, without its scripts", () => {
    const page =
      "<!DOCTYPE html><html><head><title>502 Bad Gateway</title><style>p { x: y }</style>" +
      "<SCRIPT>var a = '<b>';</SCRIPT></head><body>\n\n<center><h1>nginx</h1></center></body></html>";
    expect(toAnthropic(502, page).error.message).toBe(
      "The provider returned 502: 502 Bad Gateway nginx",
    );
  });

  test("the message is plain text, cut short, and never inside a character", () => {
    const { message } = toOpenai(500, "é🎈".repeat(50_000)).error;
    expect(message.length).toBeLessThan(350);
    expect(message).toMatch(/^The provider returned 500: (é🎈)+é?…$/u);
  });

  test("a long message keeps its beginning", () => {
    const { message } = toOpenai(
      400,
      JSON.stringify({ error: { message: "é".repeat(9000) } }),
    ).error;
    expect(message).toMatch(/^é{2000,2100}…$/u);
  });

  test("the message of bytes that are no text is found", () => {
    const { message } = toAnthropic(500, Uint8Array.of(0xff, 0xfe, 0x41, 0xc0, 0x80, 0x00)).error;
    expect(message).toBe("The provider returned 500: ??A??");
  });

  test.each([
    [401, /provider's key/],
    [404, /base_url/],
    [429, /later/],
    [529, /overloaded/],
    [500, /without an error message/],
  ])("the message of an empty body is found, %i", (status, message) => {
    expect(toAnthropic(status, "").error.message).toMatch(message);
    expect(toOpenai(status, " \n").error.message).toMatch(message);
    expect(toOpenai(status, "{}").error.message).toMatch(message);
  });
});

describe("words that clients act on", () => {
  test("OpenAI's code for a context that is too small", () => {
    const body = '{"error":{"message":"Too many tokens","code":"context_length_exceeded"}}';
    expect(toAnthropic(400, body).error.message).toBe("prompt is too long: Too many tokens");
  });

  test("Anthropic's words for a too long prompt stay", () => {
    const body =
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8"}}';
    expect(toOpenai(400, body).error.code).toBe("context_length_exceeded");
  });

  test("the words for an unpaid bill and an unknown model stay", () => {
    const bill = '{"error":{"type":"billing_error","message":"Pay"}}';
    expect(toOpenai(402, bill).error.code).toBe("insufficient_quota");
    const model = '{"error":{"type":"not_found_error","message":"model: claude-9"}}';
    expect(toOpenai(404, model).error.code).toBe("model_not_found");
  });

  test("code and param of the same dialect stay", () => {
    const body = '{"error":{"message":"m","type":"t","param":"messages[0]","code":"c"}}';
    const text = responses.error({ from: OPENAI, to: OPENAI }, 400, body);
    expect(JSON.parse(text)).toMatchObject({ error: { param: "messages[0]", code: "c" } });
  });
});
