// The request of `gateway explain`, from a file or a curl command line.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readClientRequest } from "../../../../control-plane/explain/read-request.ts";
import { requestOfCurl } from "../../../../control-plane/explain/curl.ts";
import { maskHeaders, maskQuery } from "../../../../control-plane/explain/masked-headers.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "gateway-explain-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const URL = "http://localhost:12000/v1/chat/completions";

function curl(...words: string[]) {
  const { body, ...request } = requestOfCurl(["curl", ...words]);
  return { ...request, body: Buffer.from(body).toString() };
}

function read(text: string) {
  const { body, ...request } = readClientRequest("a.http", Buffer.from(text));
  return { ...request, body: Buffer.from(body).toString() };
}

describe("a curl command", () => {
  it("a curl command gives method, path, headers and body", () => {
    const request = curl(
      ...["-sN", "-XPUT", `${URL}?beta=true`, "-H", "Content-Type: application/json"],
      ...["-HX-Empty;", "-H", "Accept:", "--data-raw", '{"a":1}', "-A", "me/1"],
    );
    expect(request).toEqual({
      method: "PUT",
      path: "/v1/chat/completions?beta=true",
      headers: [
        ["host", "localhost:12000"],
        ["content-type", "application/json"],
        ["x-empty", ""],
        ["accept", "*/*"],
        ["user-agent", "me/1"],
      ],
      body: '{"a":1}',
    });
  });

  it.each([
    [["-d", "a=1", "-d", "b=2"], "a=1&b=2", "application/x-www-form-urlencoded", "POST"],
    [["--json", '{"a":', "--json", "1}"], '{"a":1}', "application/json", "POST"],
    [[], "", undefined, "GET"],
    [["-I"], "", undefined, "HEAD"],
    [["-d", "x", "-X", "DELETE"], "x", "application/x-www-form-urlencoded", "DELETE"],
  ])("a curl command with %j sends %j", (words, body, type, method) => {
    const request = curl(URL, ...words);
    expect(request).toMatchObject({ method, body });
    expect(new Map(request.headers).get("content-type")).toBe(type);
  });

  it("a curl command reads files: -d without line breaks, --data-binary as they are", () => {
    const file = join(directory, "body");
    writeFileSync(file, "a\r\nb\n");
    expect(curl(URL, "-d", `@${file}`).body).toBe("ab");
    expect(curl(URL, "--data-binary", `@${file}`).body).toBe("a\r\nb\n");
    expect(() => curl(URL, "-d", "@missing.json")).toThrow("missing.json cannot be read (ENOENT).");
  });

  it("a curl command sends user and password", () => {
    expect(curl(URL, "-u", "me:secret").headers).toContainEqual([
      "authorization",
      "Basic bWU6c2VjcmV0",
    ]);
  });

  it.each([
    [["--proxy", "x", URL], "The curl command cannot be read: Unknown option '--proxy'."],
    [["-d"], "The curl command cannot be read: Option '-d, --data <value>' argument missing."],
    [["-s"], "The curl command has no URL."],
    [[URL, "-H", "nonsense"], 'The curl command has a header without a name: "nonsense".'],
  ])("a curl command with %j is rejected", (words, message) => {
    expect(() => curl(...words)).toThrow(message);
  });
});

describe("a file", () => {
  it("a file has a request as it is on the wire, with either line end", () => {
    const expected = {
      method: "POST",
      path: "/v1/messages?beta=true",
      headers: [
        ["host", "localhost:12000"],
        ["x-a", "b: c"],
      ],
      body: '{"a":\n1}',
    };
    const lines = ["POST /v1/messages?beta=true HTTP/1.1", "Host: localhost:12000", "X-A: b: c"];
    const head = [...lines, "content-length: 99"];
    expect(read(`${head.join("\r\n")}\r\n\r\n{"a":\n1}`)).toEqual(expected);
    expect(read(`${lines.join("\n")}\n\n{"a":\n1}\n`)).toEqual(expected);
    expect(read("GET /v1/models")).toEqual({
      ...{ method: "GET", path: "/v1/models", headers: [], body: "" },
    });
  });

  it("a file has a curl command over several lines", () => {
    const text = `curl ${URL} \\\n  -H 'x-key: $KEY' -H "y: \\"a\\"" \\\n  -d '{"text": "it'\\''s *"}'\n`;
    expect(read(text)).toMatchObject({
      method: "POST",
      headers: expect.arrayContaining([
        ["x-key", "$KEY"],
        ["y", '"a"'],
      ]) as unknown,
      body: `{"text": "it's *"}`,
    });
    expect(() => read(`curl ${URL} | jq`)).toThrow("a.http is more than one curl command.");
  });

  it("a file with only a body is a request", () => {
    const request = readClientRequest("b.json", Buffer.from('\n{"a":1}'), "/v1/messages");
    expect(request).toMatchObject({ method: "POST", path: "/v1/messages" });
    expect(readClientRequest("b.json", Buffer.from("{}")).path).toBe("/v1/chat/completions");
  });

  it.each([
    ["hello", "a.http is not a request."],
    ["GET /v1/models\nno header\n\n", 'a.http: "no header" is not a header.'],
  ])("a file with %j is rejected", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

it("credentials of clients are masked, and those of the configuration are shown by name", () => {
  const masked = maskHeaders(
    [
      ["authorization", "Bearer sk-secret"],
      ["Authorization", "Bearer $OPENAI_API_KEY"],
      ["x-api-key", "$OTHER"],
      ["cookie", "session=1"],
      ["x-trace", "abc"],
    ],
    ["OPENAI_API_KEY"],
  );
  expect(masked).toEqual([
    ["authorization", "Bearer ***"],
    ["Authorization", "Bearer $OPENAI_API_KEY"],
    ["x-api-key", "***"],
    ["cookie", "***"],
    ["x-trace", "abc"],
  ]);
});

it("credentials in a query are masked", () => {
  expect(maskQuery("/v1/messages?beta=true&key=AIza123&x_api_key=a%20b")).toBe(
    "/v1/messages?beta=true&key=***&x_api_key=***",
  );
  expect(maskQuery("https://a.example/v1?api-version=2024-10-21")).toBe(
    "https://a.example/v1?api-version=2024-10-21",
  );
});
