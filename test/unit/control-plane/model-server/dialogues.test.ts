// Whole dialogues, as the filter leads them: each ends with the right call, or with the prompt's model.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelServerInput } from "../../../../control-plane/model-server/options.ts";
import { type Running, startServer } from "./running.ts";
import { talk } from "./talk.ts";

type Targets = NonNullable<ModelServerInput["targets"]>;

function converter(from: [string, string], to: [string, string]): Targets[number] {
  return {
    name: "convert_currency",
    description: "Convert an amount of money from one currency into another",
    parameters: [
      { name: "amount", description: "amount of money to convert", type: "float", required: true },
      { name: from[0], description: from[1], required: true },
      { name: to[0], description: to[1], required: true },
    ],
  };
}
/** Two parameters of one kind, as people name them. */
const CONVERTERS = [
  converter(
    ["from", "three letter code of the currency to convert from, for example USD"],
    ["to", "three letter code of the currency to convert to, for example EUR"],
  ),
  converter(["source", "currency to convert from"], ["target", "currency to convert to"]),
  converter(["base", "base currency, ISO code"], ["quote", "quote currency, ISO code"]),
  converter(["from_currency", "ISO code"], ["to_currency", "ISO code"]),
  converter(["have", "currency you have"], ["want", "currency you want"]),
];
const OTHERS: Targets = [
  {
    name: "get_weather",
    description: "Get the weather forecast for a city",
    parameters: [
      { name: "city", description: "name of the city", required: true },
      { name: "days", description: "number of days to forecast", type: "int", default: 1 },
    ],
  },
  { name: "list_currencies", description: "List all supported currencies" },
  {
    name: "request_vacation",
    description: "Request vacation days for the employee",
    acts: true,
    parameters: [
      {
        name: "start_date",
        description: "first day of the vacation, YYYY-MM-DD",
        format: "YYYY-MM-DD",
        required: true,
      },
      { name: "days", description: "number of vacation days", type: "int", required: true },
    ],
  },
  {
    name: "reboot_device",
    description: "Reboot a network device",
    acts: true,
    parameters: [
      { name: "device_id", description: "id of the device", required: true },
      { name: "force", description: "reboot even if in use", type: "bool", default: false },
    ],
  },
  {
    name: "find_flights",
    description: "Find flights between two cities",
    parameters: [
      { name: "origin", description: "departure city", required: true },
      { name: "destination", description: "arrival city", required: true },
      { name: "date", description: "day of departure", format: "YYYY-MM-DD" },
    ],
  },
];

let server: Running;

describe.each(CONVERTERS.map((target) => [target.parameters?.[1]?.name, target] as const))(
  "two currencies, the first called %s",
  (_, target) => {
    const targets = [target, ...OTHERS];
    beforeAll(async () => {
      server = await startServer({ targets });
    });
    afterAll(() => server.close());
    const [, from, to] = (target.parameters ?? []).map(({ name }) => name);

    it.each<[string[], number, string, string]>([
      [["How much is 20 dollars in EUR?"], 20, "USD", "EUR"],
      [["Was sind 50 Euro in Dollar?"], 50, "EUR", "USD"],
      [["convert some money", "20", "USD, EUR"], 20, "USD", "EUR"],
      [["I want to convert 50", "USD", "EUR"], 50, "USD", "EUR"],
      [["convert 50", "from is USD and to is GBP"], 50, "USD", "GBP"],
      [["convert 50 please", "from USD to EUR"], 50, "USD", "EUR"],
      [["convert 50", "dollars into yen"], 50, "USD", "JPY"],
      [["exchange rate USD EUR", "1"], 1, "USD", "EUR"],
      [["how many yen do I get for a dollar?", "1"], 1, "USD", "JPY"],
      [["How much is 20 dollars?", "in euros please"], 20, "USD", "EUR"],
      [["change 80 pounds", "to EUR, from GBP"], 80, "GBP", "EUR"],
      [["20 USD in GBP", "and in Swiss francs?"], 20, "USD", "CHF"],
      [["What's 99 euros in dollars?", "and 150?"], 150, "EUR", "USD"],
      [["20 dollars in euros", "what about yen?", "and 50?"], 50, "USD", "JPY"],
    ])("%j", async (turns, amount, first, second) => {
      const last = (await talk(server, targets, turns)).at(-1);
      const values = { amount, [String(from)]: first, [String(to)]: second };
      expect(last).toEqual({ target: "convert_currency", values });
    });
  },
);

describe("other targets", () => {
  const targets = [...CONVERTERS.slice(0, 1), ...OTHERS];
  beforeAll(async () => {
    server = await startServer({ targets });
  });
  afterAll(() => server.close());

  it.each<[string[], string, object]>([
    [["weather in Berlin?", "and in Hamburg?"], "get_weather", { city: "Hamburg" }],
    [["weather in Berlin?", "for 3 days"], "get_weather", { city: "Berlin", days: 3 }],
    [["weather?", "Paris"], "get_weather", { city: "Paris" }],
    [["weather?", "reboot device 7"], "reboot_device", { device_id: "7" }],
    [
      ["I'd like some vacation", "2026-12-24, 5 days"],
      "request_vacation",
      { start_date: "2026-12-24", days: 5 },
    ],
    [
      ["I'd like some vacation", "next Monday", "a week"],
      "request_vacation",
      { start_date: "2026-11-23", days: 7 },
    ],
    [
      ["find me a flight", "Boston, Denver"],
      "find_flights",
      { origin: "Boston", destination: "Denver" },
    ],
    [
      ["find me a flight", "leave Boston for Denver"],
      "find_flights",
      { origin: "Boston", destination: "Denver" },
    ],
    [
      ["find me a flight to Rome", "from Paris tomorrow"],
      "find_flights",
      { origin: "Paris", destination: "Rome", date: "2026-11-22" },
    ],
    [["reboot a device", "sw-edge-9"], "reboot_device", { device_id: "sw-edge-9" }],
    [
      ["Force a reboot of switch sw-edge-9"],
      "reboot_device",
      { device_id: "sw-edge-9", force: true },
    ],
    [["I need device 10.0.0.1 rebooted"], "reboot_device", { device_id: "10.0.0.1" }],
  ])("%j", async (turns, target, values) => {
    expect((await talk(server, targets, turns)).at(-1)).toEqual({ target, values });
  });

  it.each([
    [["weather?", "never mind"]],
    [["weather?", "What is the capital of France?"]],
    [["reboot the router", "the one in the kitchen", "the kitchen one", "no idea", "no idea"]],
  ])("other dialogues end with the prompt's model: %j", async (turns) => {
    const results = await talk(server, targets, turns);
    expect(results.at(-1)).toBeNull();
    expect(results.some((result) => typeof result === "object" && result !== null)).toBe(false);
  });
});

describe("a table in a restaurant", () => {
  const targets: Targets = [
    {
      name: "book_table",
      description: "Reserve a table in a restaurant",
      parameters: [
        { name: "date", description: "day of the reservation", format: "date", required: true },
        { name: "time", description: "time of day", format: "HH:MM", required: true },
        { name: "people", description: "number of people", type: "int", required: true },
      ],
    },
    ...OTHERS,
  ];
  const values = (time: string) => ({
    target: "book_table",
    values: { date: "2026-11-22", time, people: 4 },
  });
  beforeAll(async () => {
    server = await startServer({ targets });
  });
  afterAll(() => server.close());

  it.each([
    ["half past seven", "07:30"],
    ["half past seven in the evening", "19:30"],
    ["seven in the evening", "19:00"],
    ["quarter to eight", "07:45"],
    ["noon", "12:00"],
    ["19 Uhr", "19:00"],
    ["20h", "20:00"],
    ["las ocho de la tarde", "20:00"],
  ])("a table in a restaurant gets the time of the answer %s", async (answer, time) => {
    const [question, last] = await talk(server, targets, [
      "Reserve a table for four people tomorrow",
      answer,
    ]);
    expect(question).toBe("I still need the time of day.");
    expect(last).toEqual(values(time));
  });

  it.each([
    [
      "Ich möchte morgen einen Tisch für vier Personen",
      "Ich brauche noch: time of day.",
      "halb acht abends",
    ],
    [
      "Je voudrais une table pour quatre personnes demain",
      "Il me faut encore : time of day.",
      "sept heures et demie du soir",
    ],
    [
      "Quisiera una mesa para cuatro personas mañana",
      "Todavía necesito: time of day.",
      "a las siete y media de la tarde",
    ],
    [
      "Vorrei un tavolo per quattro persone domani",
      "Mi serve ancora: time of day.",
      "alle sette e mezza di sera",
    ],
    [
      "Queria uma mesa para quatro pessoas amanhã",
      "Ainda preciso de: time of day.",
      "às sete e meia da noite",
    ],
    [
      "Ik wil morgen een tafel voor vier personen",
      "Ik heb nog nodig: time of day.",
      "half acht 's avonds",
    ],
  ])(
    "a table in a restaurant is requested in the language of the prompt: %s",
    async (prompt, question, answer) => {
      expect(await talk(server, targets, [prompt, answer])).toEqual([question, values("19:30")]);
    },
  );

  it("a missing value is not requested more than three times, however the questions differ", async () => {
    const results = await talk(server, targets, [
      "Reserve a table for four people",
      "I don't know",
      "tomorrow",
      "some time",
      "whenever",
    ]);
    expect(results.slice(0, 4)).toEqual([
      "I still need the day of the reservation and the time of day.",
      "I still need the day of the reservation and the time of day.",
      "I still need the time of day.",
      null,
    ]);
  });
});
