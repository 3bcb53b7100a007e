// Every row of the tables of request members (filter/dialects/*/members.ts) is true of what the translation does.
import { beforeAll, describe, expect, it } from "vitest";
import {
  ANTHROPIC_MESSAGES,
  OPENAI_CHAT,
  OPENAI_RESPONSES,
} from "../../../../contract/dialects.ts";
import {
  type Member,
  readDialectTables,
  type Table,
} from "../../../../scripts/docs/dialect-tables.ts";
import { CHAT, MESSAGES, RequestTranslator, type Translation } from "../request-translator.ts";

let translator: RequestTranslator;
beforeAll(async () => {
  translator = await RequestTranslator.create();
});

/** Puts `member` with `value` into the object at a place of a request that is good without it. */
function withMember({ id }: Place, member: string, value: unknown): unknown {
  const extra = { [member]: value };
  const user = { role: "user", content: "A" };
  const parts = (...content: unknown[]): unknown => ({ messages: [{ role: "user", content }] });
  const call = (more: object, inner: object): unknown => ({
    id: "a",
    type: "function",
    function: { name: "f", arguments: "{}", ...inner },
    ...more,
  });
  const calling = (one: unknown): unknown => ({
    messages: [
      user,
      { role: "assistant", tool_calls: [one] },
      { role: "tool", tool_call_id: "a", content: "1" },
    ],
  });
  const image = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
  const requests: Record<string, () => unknown> = {
    "chat.request": () => ({ messages: [user], ...extra }),
    "chat.streamOptions": () => ({ messages: [user], stream: true, stream_options: extra }),
    "chat.message": () => ({ messages: [{ ...user, ...extra }] }),
    "chat.part": () => parts({ type: "text", text: "A", ...extra }),
    "chat.partType": () => parts({ type: member }),
    "chat.image": () =>
      parts({ type: "image_url", image_url: { url: "https://example.com/a.png", ...extra } }),
    "chat.file": () =>
      parts({
        type: "file",
        file: { file_data: "data:application/pdf;base64,JVBERi0=", ...extra },
      }),
    "chat.toolCall": () => calling(call(extra, {})),
    "chat.calledFunction": () => calling(call({}, extra)),
    "chat.tool": () => ({
      messages: [user],
      tools: [{ type: "function", function: { name: "f" }, ...extra }],
    }),
    "chat.toolFunction": () => ({
      messages: [user],
      tools: [{ type: "function", function: { name: "f", ...extra } }],
    }),
    "chat.calledCustom": () =>
      calling({ id: "a", type: "custom", custom: { name: "f", input: "B", ...extra } }),
    "chat.customTool": () => ({
      messages: [user],
      tools: [{ type: "custom", custom: { name: "f", ...extra } }],
    }),
    "chat.schema": () => ({
      messages: [user],
      response_format: {
        type: "json_schema",
        json_schema: { name: "n", schema: { type: "object" }, ...extra },
      },
    }),
    "chat.reasoning": () => ({
      messages: [
        user,
        {
          role: "assistant",
          content: "B",
          reasoning_details: [{ type: "reasoning.text", text: "T", signature: "s", ...extra }],
        },
      ],
    }),
    "chat.thinking": () => ({ messages: [user], thinking: { type: "enabled", ...extra } }),
    "messages.request": () => ({ messages: [user], ...extra }),
    "messages.metadata": () => ({ messages: [user], metadata: extra }),
    "messages.output": () => ({ messages: [user], output_config: extra }),
    "messages.format": () => ({
      messages: [user],
      output_config: { format: { type: "json_schema", schema: { type: "object" }, ...extra } },
    }),
    "messages.thinking": () => ({ messages: [user], thinking: { type: "adaptive", ...extra } }),
    "messages.toolChoice": () => ({
      messages: [user],
      tools: [{ name: "f", input_schema: {} }],
      tool_choice: { type: "auto", ...extra },
    }),
    "messages.tool": () => ({
      messages: [user],
      tools: [{ name: "f", input_schema: { type: "object" }, ...extra }],
    }),
    "messages.message": () => ({ messages: [{ ...user, ...extra }] }),
    "messages.block": () => parts({ type: "text", text: "A", ...extra }),
    "messages.blockType": () => parts({ type: "text", text: "A" }, { type: member }),
    "messages.source": () => parts({ ...image, source: { ...image.source, ...extra } }),
  };
  const input = (...items: unknown[]): unknown => ({ input: items });
  const message = { type: "message", role: "user", content: "A" };
  const f = { type: "function", name: "f" };
  Object.assign(requests, {
    "responses.request": () => ({ input: "A", ...extra }),
    "responses.streamOptions": () => ({ input: "A", stream: true, stream_options: extra }),
    "responses.text": () => ({ input: "A", text: extra }),
    "responses.format": () => ({
      input: "A",
      text: { format: { type: "json_schema", schema: { type: "object" }, ...extra } },
    }),
    "responses.reasoning": () => ({ input: "A", reasoning: extra }),
    "responses.toolChoice": () => ({
      input: "A",
      tools: [f],
      tool_choice: { type: "function", name: "f", ...extra },
    }),
    "responses.tool": () => ({ input: "A", tools: [{ ...f, ...extra }] }),
    "responses.toolType": () => ({ input: "A", tools: [{ type: member }] }),
    "responses.toolFormat": () => ({
      input: "A",
      tools: [{ type: "custom", name: "c", format: { type: "text", ...extra } }],
    }),
    "responses.item": () => input({ ...message, ...extra }),
    "responses.itemType": () => input(message, { type: member }),
    "responses.part": () =>
      input({ role: "user", content: [{ type: "input_text", text: "A", ...extra }] }),
    "responses.partType": () =>
      input({ role: "user", content: [{ type: "input_text", text: "A" }, { type: member }] }),
  });
  const make = requests[id];
  if (make === undefined) throw new Error(`no request for ${id}`);
  return make();
}

function translate(place: Place, request: unknown, strict = false): Translation {
  const from = NAMES.findIndex((name) => place.id.startsWith(`${name}.`));
  // The calls of a computer have a form in messages.
  const to = from === MESSAGES || place.id === "responses.itemType" ? CHAT : MESSAGES;
  // Every dialect has a form of the search, and its writer drops it for models that do not search.
  const limits = { strict, web_search: "none" as const };
  return translator.translate(JSON.stringify(request), from, to, { limits });
}

/** A table and its id here: `chat.message`. */
type Place = Table & { id: string };
type Fate = "dropped" | "rejected" | "ignored";

/** In the order of the filter's registry. */
const NAMES = ["chat", "messages", "responses"];
const places: Place[] = readDialectTables([
  OPENAI_CHAT,
  ANTHROPIC_MESSAGES,
  OPENAI_RESPONSES,
]).flatMap(({ tables }, index) =>
  tables.map((table) => ({ ...table, id: `${NAMES[index]}.${table.variable}` })),
);
const fateOf = ({ slot, feature }: Member): Fate | undefined =>
  slot === undefined ? (feature?.fate ?? "ignored") : undefined;
const ofFate = (fate: Fate): [string, Place, Member][] =>
  places.flatMap((place) =>
    place.members
      .filter((member) => fateOf(member) === fate)
      .map((member): [string, Place, Member] => [`${place.id}: ${member.name}`, place, member]),
  );

const NEUTRAL: Record<string, unknown> = { 0: 0, 1: 1, true: true, false: false, empty: [] };
const neutralOf = ({ neutral }: Member): unknown => NEUTRAL[neutral] ?? neutral;

describe("the tables", () => {
  it("the tables of members have every object of a request", () => {
    expect(places).toHaveLength(40);
    expect(places.flatMap(({ members }) => members).length).toBeGreaterThan(300);
  });
});

describe("dropped rows are counted by their path", () => {
  it.each(ofFate("dropped"))("%s", (path, place, row) => {
    const result = translate(place, withMember(place, row.name, { any: "thing" }));
    expect(result.fault).toBeUndefined();
    expect(result.dropped).toEqual([place.prefix + row.name]);
    expect(result.body).not.toContain(`"${row.name}"`);
    expect(path).toContain(row.name);
  });

  it.each(ofFate("dropped").filter(([, , { neutral }]) => neutral !== ""))(
    "%s, but not its neutral value",
    (_, place, row) => {
      const result = translate(place, withMember(place, row.name, neutralOf(row)));
      expect(result.dropped).toEqual([]);
      expect(result.fault).toBeUndefined();
    },
  );

  it.each(ofFate("dropped"))("%s, and rejected with strict_translation", (_, place, row) => {
    const result = translate(place, withMember(place, row.name, { any: "thing" }), true);
    const member = place.prefix + row.name;
    expect(result.fault).toMatchObject({ status: 400, member });
  });
});

describe("rejected members return 400 with their name", () => {
  it.each(ofFate("rejected"))("%s", (_, place, row) => {
    const result = translate(place, withMember(place, row.name, { any: "thing" }));
    const isType = place.prefix.endsWith("=");
    expect(result.fault?.status).toBe(400);
    expect(result.fault?.member).toMatch(isType ? /\.type$/ : new RegExp(`(^|\\.)${row.name}$`));
    expect(result.fault?.message).toContain(row.name);
    expect(result.fault?.message).toContain(row.feature?.advice);
  });

  it.each(ofFate("rejected").filter(([, , { neutral }]) => neutral !== ""))(
    "%s, but not its neutral value",
    (_, place, row) => {
      const result = translate(place, withMember(place, row.name, neutralOf(row)));
      expect(result.fault).toBeUndefined();
      expect(result.dropped).toEqual([]);
    },
  );
});

describe("ignored rows are neither counted nor sent", () => {
  it.each(ofFate("ignored"))("%s", (_, place, row) => {
    const result = translate(place, withMember(place, row.name, { any: "thing" }), true);
    expect(result.fault).toBeUndefined();
    expect(result.dropped).toEqual([]);
    expect(result.body).not.toContain('{"any":"thing"}');
  });
});

describe("members that are in no row are dropped and counted", () => {
  const open = places.filter(({ prefix }) => !prefix.endsWith("="));
  it.each(open.map((place): [string, Place] => [place.id, place]))("%s", (_, place) => {
    const result = translate(place, withMember(place, "brand_new", 1));
    expect(result.dropped).toEqual([`${place.prefix}brand_new`]);
  });

  it.each(open.map((place): [string, Place] => [place.id, place]))(
    "%s, null is the same as missing",
    (_, place) => {
      const result = translate(place, withMember(place, "brand_new", null), true);
      expect(result.fault).toBeUndefined();
    },
  );
});

describe("the list of what was dropped", () => {
  it("the list of what was dropped names each once, and stays short", () => {
    const members = Array.from({ length: 400 }, (_, index) => [`member_${index}`, 1] as const);
    const request = { messages: [{ role: "user", content: "A" }], ...Object.fromEntries(members) };
    const result = translator.translate(JSON.stringify(request), CHAT, MESSAGES);
    expect(result.dropped.join(",").length).toBeLessThan(900);
    expect(result.dropped.at(-1)).toBe("...");
    expect(result.droppedCount).toBe(400);
  });

  it("the list of what was dropped counts what it names once", () => {
    const messages = Array.from({ length: 5 }, () => ({ role: "user", content: "A", name: "n" }));
    const result = translator.translate(JSON.stringify({ messages }), CHAT, MESSAGES);
    expect(result.dropped).toEqual(["messages[].name"]);
    expect(result.droppedCount).toBe(5);
  });
});
