// Parameters without a language model: what is certain is taken, whatever is not is asked for, and nothing wrong is given.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { extractEmbedded } from "../../../../../control-plane/model-server/extraction/embedded.ts";
import type { Parameter } from "../../../../../control-plane/model-server/extraction/parameter.ts";
import {
  spanFinder,
  type Target,
  type Turn,
  type Values,
} from "../../../../../control-plane/model-server/extraction/stated.ts";
import {
  openExtractor,
  type RunningExtractor,
} from "../../../../../control-plane/model-server/extractor/open-extractor.ts";
import { RunQueue } from "../../../../../control-plane/model-server/run-queue.ts";
import { NOW } from "../running.ts";

let extractor: RunningExtractor;
beforeAll(async () => {
  const opened = await openExtractor(process.env, new RunQueue());
  if (opened === undefined) throw new Error("the extractor is not installed");
  extractor = opened;
});
afterAll(() => extractor.close());

function parameter(name: string, description = "", more: Partial<Parameter> = {}): Parameter {
  return { name, description, required: true, type: "string", ...more };
}
function target(name: string, description: string, ...parameters: Parameter[]): Target {
  return { name, description, parameters, path: "", acts: false };
}
const integer = { type: "integer", required: false } as const;
const flag = { type: "boolean", default: false, required: false } as const;

const CITY = parameter("city", "name of the city");
const DAYS = parameter("days", "number of days to forecast", integer);
const UNIT = parameter("unit", "temperature unit", {
  required: false,
  default: "celsius",
  enum: ["celsius", "fahrenheit"],
});
const WEATHER = target("get_weather", "Get the weather forecast for a city", CITY, DAYS, UNIT);
const CONVERT = target(
  "convert_currency",
  "Convert an amount of money from one currency into another",
  parameter("amount", "amount of money to convert", { type: "number" }),
  parameter("from", "three letter code of the currency to convert from, for example USD"),
  parameter("to", "three letter code of the currency to convert to, for example EUR"),
);
const FROM_DOLLARS = {
  ...target(
    "convert_dollars",
    "Convert an amount of US dollars into another currency",
    parameter("amount", "amount of US dollars", { type: "number" }),
    parameter("currency", "currency to convert to"),
  ),
  path: "/convert/USD/{currency}",
};
const REBOOT = {
  ...target(
    "reboot_device",
    "Reboot a network device such as a router or a switch",
    parameter("device_id", "id or address of the device"),
    parameter("force", "reboot even if it is in use", flag),
  ),
  acts: true,
};
const EVENT = {
  ...target(
    "create_event",
    "Create a calendar event or meeting",
    parameter("title", "title of the event"),
    parameter("date", "date of the event", { format: "YYYY-MM-DD" }),
    parameter("time", "start time of the event", { format: "HH:MM", required: false }),
    parameter("duration_minutes", "length of the event in minutes", { ...integer, default: 30 }),
  ),
  acts: true,
};
const VACATION = {
  ...target(
    "request_vacation",
    "Request vacation days for the employee",
    parameter("start_date", "first day of the vacation", { format: "YYYY-MM-DD" }),
    parameter("days", "number of vacation days", { type: "integer" }),
  ),
  acts: true,
};
const TRAIN = target(
  "find_trains",
  "Find train connections between two cities",
  parameter("origin", "city of departure"),
  parameter("destination", "city of arrival"),
);

const said = (text: string): Turn => ({ text, asked: [] });
const find = (wanted: Target, turns: Turn[]) =>
  extractEmbedded(wanted, turns, spanFinder(extractor), NOW);
const valuesOf = async (wanted: Target, ...turns: Turn[]) => (await find(wanted, turns)).values;

describe("one turn", () => {
  it.each<[Target, string, Values]>([
    [WEATHER, "weather in Seattle for 3 days", { city: "Seattle", days: 3 }],
    [WEATHER, "weather in new york for five days", { city: "new york", days: 5 }],
    [WEATHER, "What's it like in São Paulo?", { city: "São Paulo" }],
    [WEATHER, "how hot is it in Rome in °F", { city: "Rome", unit: "fahrenheit" }],
    [WEATHER, "Wie wird das Wetter in München?", { city: "München" }],
    [CONVERT, "How much is 20 dollars in EUR?", { amount: 20, from: "USD", to: "EUR" }],
    [CONVERT, "1,250.75 CAD in AUD", { amount: 1250.75, from: "CAD", to: "AUD" }],
    [CONVERT, "what's 99.50 euros in swiss francs", { amount: 99.5, from: "EUR", to: "CHF" }],
    [
      CONVERT,
      "I have 5000 yen, how many pounds is that?",
      { amount: 5000, from: "JPY", to: "GBP" },
    ],
    [CONVERT, "convert 75EUR into $", { amount: 75, from: "EUR", to: "USD" }],
    [FROM_DOLLARS, "How much are 15 dollars in yen?", { amount: 15, currency: "JPY" }],
    [REBOOT, "I need device 10.0.0.1 rebooted", { device_id: "10.0.0.1" }],
    [REBOOT, "Force a reboot of sw-edge-9", { device_id: "sw-edge-9", force: true }],
    [REBOOT, "reboot sw-edge-9 without force", { device_id: "sw-edge-9", force: false }],
    [
      EVENT,
      "Create an event called Budget review on 2026-12-03 at 14:00",
      { title: "Budget review", date: "2026-12-03", time: "14:00" },
    ],
    [
      EVENT,
      'Schedule "Team lunch" for December 5th, 2026 for 45 minutes',
      { title: "Team lunch", date: "2026-12-05", duration_minutes: 45 },
    ],
    [
      VACATION,
      "I want to take 5 days of vacation from 2026-12-24",
      { start_date: "2026-12-24", days: 5 },
    ],
    [TRAIN, "trains from Rome to Paris", { origin: "Rome", destination: "Paris" }],
    [TRAIN, "I want to get to Paris from Rome", { origin: "Rome", destination: "Paris" }],
  ])("%o: %s", async (wanted, text, values) => {
    expect(await valuesOf(wanted, said(text))).toEqual(values);
  });
});

/** Each value is wrong if it differs from these; missing is asked for. */
describe("nothing wrong is given", () => {
  it.each<[Target, string, Values]>([
    [REBOOT, "Reboot host fe80::1", { device_id: "fe80::1" }],
    [REBOOT, "reboot 00:1b:44:11:3a:b7", { device_id: "00:1b:44:11:3a:b7" }],
    [
      REBOOT,
      "reboot core-rtr-01.fra.example.net please",
      { device_id: "core-rtr-01.fra.example.net" },
    ],
    [REBOOT, "reboot my router", {}],
    [REBOOT, "reboot the device from last Friday", {}],
    [CONVERT, "convert it to EUR", { to: "EUR" }],
    [CONVERT, "please convert some money into yen", { to: "JPY" }],
    [CONVERT, "convert 2-3 USD to EUR", { from: "USD", to: "EUR" }],
    [FROM_DOLLARS, "Convert 20 US dollars", { amount: 20 }],
    [FROM_DOLLARS, "how much is 20 USD", { amount: 20 }],
    [WEATHER, "weather in my city", {}],
    [WEATHER, "is it going to snow", {}],
    [WEATHER, "weather please", {}],
    [VACATION, "I need ten days of leave", { days: 10 }],
    [VACATION, "5 vacation days from 1.8.2027", { days: 5, start_date: "2027-08-01" }],
    [TRAIN, "a train to Paris", { destination: "Paris" }],
    [TRAIN, "trains from Rome", { origin: "Rome" }],
    [EVENT, "book a meeting", {}],
    [EVENT, "Set a meeting for tomorrow", { date: "2026-11-22" }],
  ])("%o: %s", async (wanted, text, values) => {
    expect(values).toMatchObject(await valuesOf(wanted, said(text)));
  });

  it.each<[Target, string, string]>([
    [WEATHER, "weather in Rome in kelvin", "unit"],
    [WEATHER, "weather in Rome for 2-3 days", "days"],
  ])(
    "a value that is not understood is requested, not replaced by a default: %o: %s",
    async (wanted, text, name) => {
      const found = await find(wanted, [said(text)]);
      expect(found.values).not.toHaveProperty(name);
      expect(found.doubtful).toContain(name);
    },
  );
});

describe("what descriptions, names and forms tell", () => {
  const HOTEL = target(
    "find_hotels",
    "Find hotels",
    parameter("city", "city of the hotel, in the format 'City, State', such as 'Austin, TX'"),
    parameter("stars", "number of stars", { enum: ["1", "2", "3", "4"], required: false }),
    parameter("kind", "kind of room", { enum: ["suite", "single room", "all"], required: false }),
    parameter("province", "id of the province: 1 for Utah, 2 for New Mexico", integer),
  );
  const SERVER = target(
    "add_server",
    "Add a database server",
    parameter("nickname", "name by which it is called"),
    parameter("user_name", "who logs in"),
    parameter("comment", "anything else", { required: false }),
  );

  it.each<[Target, string, Values]>([
    [HOTEL, "hotels in Santa Rosa, CA please", { city: "Santa Rosa, CA" }],
    [HOTEL, "a 3-star hotel in Reno, NV", { city: "Reno, NV", stars: "3" }],
    [HOTEL, "show all hotels with suites in Reno, NV", { city: "Reno, NV", kind: "suite" }],
    [HOTEL, "hotels in New Mexico", { province: 2 }],
    [
      SERVER,
      "add a database server, nickname 'main db', user name 'admin'",
      { nickname: "main db", user_name: "admin" },
    ],
  ])("%o: %s", async (wanted, text, values) => {
    expect(await valuesOf(wanted, said(text))).toEqual(values);
  });

  it("a date with a time of day is never one of the two alone", async () => {
    const cleaning = target(
      "book_cleaning",
      "Book a cleaning of a flat",
      parameter("start", "start of the cleaning in the format 'YYYY-MM-DD HH:mm:ss'"),
    );
    const book = "book a cleaning of my flat on";
    expect(await valuesOf(cleaning, said(`${book} 20 March 2027 at 1:30 pm`))).toEqual({
      start: "2027-03-20 13:30:00",
    });
    expect(await valuesOf(cleaning, said(`${book} 20 March 2027`))).toEqual({});
    expect(await valuesOf(cleaning, said("book a cleaning of my flat at 1:30 pm"))).toEqual({});
  });

  it("a month is no day", async () => {
    expect(await valuesOf(VACATION, said("I need 5 days of vacation in March 2027"))).toEqual({
      days: 5,
    });
  });
});

describe("a dialogue", () => {
  it.each<[Target, string, string, string[], Values]>([
    [CONVERT, "How much is 20?", "USD, EUR", ["from", "to"], { from: "USD", to: "EUR" }],
    [CONVERT, "How much is 20?", "from USD to EUR", ["from", "to"], { from: "USD", to: "EUR" }],
    [CONVERT, "How much is 20?", "to GBP, from USD", ["from", "to"], { from: "USD", to: "GBP" }],
    [CONVERT, "How much is 20?", "dollars and euros", ["from", "to"], { from: "USD", to: "EUR" }],
    [CONVERT, "convert 20 to EUR", "USD", ["from"], { from: "USD", to: "EUR", amount: 20 }],
    [CONVERT, "convert 20 dollars", "EUR", ["to"], { from: "USD", to: "EUR", amount: 20 }],
    [
      VACATION,
      "I need a vacation",
      "2026-12-24, 5 days",
      ["start_date", "days"],
      { start_date: "2026-12-24", days: 5 },
    ],
    [
      VACATION,
      "I need a vacation",
      "5 days, 2026-12-24",
      ["start_date", "days"],
      { start_date: "2026-12-24", days: 5 },
    ],
    [
      VACATION,
      "I need a vacation",
      "tomorrow",
      ["start_date", "days"],
      { start_date: "2026-11-22" },
    ],
    [WEATHER, "weather please", "Seattle", ["city"], { city: "Seattle" }],
    [WEATHER, "weather please", "it's Seattle.", ["city"], { city: "Seattle" }],
    [WEATHER, "weather please", "Seattle, 5 days", ["city"], { city: "Seattle", days: 5 }],
    [WEATHER, "weather please", "I do not know", ["city"], {}],
    [
      EVENT,
      "book a meeting",
      "Budget review, tomorrow",
      ["title", "date"],
      { title: "Budget review", date: "2026-11-22" },
    ],
    [
      TRAIN,
      "a train please",
      "Rome to Paris",
      ["origin", "destination"],
      { origin: "Rome", destination: "Paris" },
    ],
    [REBOOT, "reboot a device", "10.0.0.1", ["device_id"], { device_id: "10.0.0.1" }],
  ])(
    "a dialogue reads the answer to its question: %o, %s, %s",
    async (wanted, first, answer, asked, values) => {
      expect(await valuesOf(wanted, said(first), { text: answer, asked })).toMatchObject(values);
    },
  );

  it.each<[Target, string, string, Values]>([
    [WEATHER, "weather in Berlin for 3 days", "and in Hamburg?", { city: "Hamburg", days: 3 }],
    [WEATHER, "weather in Berlin", "for 3 days", { city: "Berlin", days: 3 }],
    [
      CONVERT,
      "How much is 20 dollars in EUR?",
      "and in Swiss francs?",
      { amount: 20, from: "USD", to: "CHF" },
    ],
    [TRAIN, "trains from Rome to Paris", "no, to Milan", { origin: "Rome", destination: "Milan" }],
  ])("a correction changes the last call: %o, %s, %s", async (wanted, first, second, values) => {
    expect(await valuesOf(wanted, said(first), said(second))).toEqual(values);
  });
});

describe("without the trained extractor", () => {
  it("only what its form shows is taken", async () => {
    const mail = target(
      "send_report",
      "Send the report",
      parameter("email", "who gets it"),
      parameter("level", "level of detail", { enum: ["short", "long"] }),
      parameter("city", "city of the report"),
    );
    const text = "send the short report for Rome to anna@example.org";
    const found = await extractEmbedded(mail, [said(text)], undefined, NOW);
    expect(found.values).toEqual({ email: "anna@example.org", level: "short" });
    const answer = { text: "Rome", asked: ["city"] };
    const answered = await extractEmbedded(mail, [said(text), answer], undefined, NOW);
    expect(answered.values).toMatchObject({ city: "Rome" });
  });
});
