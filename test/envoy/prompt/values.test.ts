// The values of a target's parameters in the path, the query and the body of the API's request.
import { describe, expect, it } from "vitest";
import { errorOf } from "../ask.ts";
import { api, say, setUp } from "./set-up.ts";

setUp();

describe("values that want to be more", () => {
  const inPath = (value: string) => say(`@weather ${JSON.stringify({ city: value })}`);

  it.each([
    ["%2e%2e%2f", "%252e%252e%252f"],
    ["a;b=c", "a%3Bb%3Dc"],
    ["{note}", "%7Bnote%7D"],
    ["a?b#c", "a%3Fb%23c"],
    ["\u202eevil", "%E2%80%AEevil"],
    ["@evil.example.com:80", "%40evil.example.com%3A80"],
  ])("%j in the path stays in its segment", async (value, encoded) => {
    const said = await inPath(value);
    expect(api.of(said.id)[0]?.path).toBe(`/weather/${encoded}/now?units=metric&days=3`);
  });

  const SLASHES = ["../../admin", "\\..\\", "//evil.example.com", "a/b", "a\\b"];
  const OUTSIDE = ["..", ".", "", "a\r\nx-evil: 1", "a\u0000b", "x".repeat(65_536)];

  it.each([...SLASHES, ...OUTSIDE])(
    "a value that cannot be in a path is refused, %#",
    async (value) => {
      const said = await inPath(value);
      expect(said.response.status).toBe(400);
      expect((await errorOf(said.response, "chat")).message).toMatch(/value of 'city'/);
      expect(api.of(said.id)).toEqual([]);
    },
  );

  const inFilePath = (value: string) => say(`@file ${JSON.stringify({ page: value })}`);

  it.each([
    ["a/b", "a%2Fb"],
    ["...a/.b\\c.", "...a%2F.b%5Cc."],
  ])("allow_slashes: %j stays encoded", async (value, encoded) => {
    const said = await inFilePath(value);
    expect(api.of(said.id)[0]?.path).toBe(`/files/${encoded}/raw`);
  });

  it.each(["a/../b", "../a", "a/..", "a\\..\\b", "a/./b", "/a", "a/", "a//b", ...OUTSIDE])(
    "allow_slashes: what leads elsewhere is refused, %#",
    async (value) => {
      const said = await inFilePath(value);
      expect(said.response.status).toBe(400);
      expect((await errorOf(said.response, "chat")).message).toMatch(/value of 'page'/);
      expect(api.of(said.id)).toEqual([]);
    },
  );

  const WILD = [
    ..."../ %2e%2e ; {city} {guests} a&days=9# ?x=1 // \\..\\ + %".split(" "),
    ...["a\r\nx-evil: 1", "a\u0000b", "\u202eevil", " ", "\u{1f600}", '"}, {"', "'; --"],
  ];

  it.each(WILD)("%j in the query is a value, %#", async (value) => {
    const values = JSON.stringify({ city: "Oslo", note: value });
    const said = await say(`@weather ${values}`);
    const url = new URL(api.of(said.id)[0]?.path ?? "", "http://api");
    expect(url.pathname).toBe("/weather/Oslo/now");
    expect([...url.searchParams]).toEqual([
      ["units", "metric"],
      ["days", "3"],
      ["note", value],
    ]);
    expect(api.of(said.id)[0]?.headers).not.toHaveProperty("x-evil");
  });

  it.each(WILD)("%j in a query that the path's template has is a value, %#", async (value) => {
    const said = await say(`@find ${JSON.stringify({ words: value, page: "{words}" })}`);
    const url = new URL(api.of(said.id)[0]?.path ?? "", "http://api");
    expect(url.pathname).toBe("/find");
    expect([...url.searchParams]).toEqual([
      ["q", value],
      ["in", "all"],
      ["page", "{words}"],
    ]);
  });

  it.each([...WILD, "long ".repeat(13_000)])(
    "a value in a body stays a value, %#",
    async (value) => {
      const values = { guests: 1, note: value };
      const said = await say(`@book ${JSON.stringify(values)}`);
      expect(JSON.parse(api.of(said.id)[0]?.body ?? "")).toEqual({ ...values, outside: false });
    },
  );

  it("64 KB in a query is refused", async () => {
    for (const values of [
      `@weather ${JSON.stringify({ city: "Oslo", note: "long ".repeat(13_000) })}`,
      `@find ${JSON.stringify({ words: "long ".repeat(13_000) })}`,
    ]) {
      const refused = await say(values);
      expect(refused.response.status).toBe(400);
      expect(api.of(refused.id)).toEqual([]);
    }
  });

  it("half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD in a URL", async () => {
    const said = await say('@weather {"city": "a\\ud800b"}');
    expect(api.of(said.id)[0]?.path).toMatch(/^\/weather\/a%EF%BF%BDb\/now/);
  });

  it("arguments that are no parameters of the target are not sent", async () => {
    const said = await say('@weather {"city": "Oslo", "admin": true, "host": "evil.example.com"}');
    expect(api.of(said.id)[0]?.path).toBe("/weather/Oslo/now?units=metric&days=3");
  });
});

describe("values of every type", () => {
  const values = {
    str: "a b",
    int: 12345678901,
    float: -0.5,
    bool: true,
    list: ["a", 1, null],
    dict: { "k&": ["v"] },
  };

  it("values of every type are text in path and query, lists and mappings are JSON", async () => {
    const said = await say(`@typed_GET ${JSON.stringify(values)}`);
    const url = new URL(api.of(said.id)[0]?.path ?? "", "http://api");
    expect(url.pathname).toBe("/typed/12345678901/true");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      str: "a b",
      float: "-0.5",
      list: '["a",1,null]',
      dict: '{"k&":["v"]}',
    });
  });

  it("values of every type have their JSON types in a body", async () => {
    const said = await say(`@typed_POST ${JSON.stringify(values)}`);
    const [call] = api.of(said.id);
    expect(call?.path).toBe("/typed/12345678901/true");
    const { int, bool, ...others } = values;
    expect(JSON.parse(call?.body ?? "")).toEqual(others);
    expect([int, bool]).toEqual([12345678901, true]);
  });
});
