// Prompts with the values that they state, made up from a seed: two parameters of a kind, ids of every shape, optional values.
import fc from "fast-check";
import type { ModelServerInput } from "../../../../control-plane/model-server/options.ts";

export type TargetInput = NonNullable<ModelServerInput["targets"]>[number];
export interface Statement {
  target: TargetInput;
  prompt: string;
  /** All that the prompt states, by parameter. */
  stated: Record<string, string | number>;
}

const text = (name: string, description: string, more: object = {}) => ({
  name,
  description,
  required: true,
  ...more,
});
const optional = { required: false } as const;

export const RESTART: TargetInput = {
  name: "restart_machine",
  description: "Restart a machine of the data centre",
  acts: true,
  parameters: [
    text("machine", "id or address of the machine"),
    text("wait", "minutes to wait before the restart", { type: "int", default: 5, ...optional }),
  ],
};
export const PARCEL: TargetInput = {
  name: "parcel_status",
  description: "Where a parcel is",
  parameters: [text("tracking_number", "tracking number of the parcel")],
};
export const RATES: TargetInput = {
  name: "exchange_money",
  description: "Exchange an amount of money into another currency",
  parameters: [
    text("amount", "amount to exchange", { type: "float" }),
    text("source", "three letter code of the currency to exchange from, for example USD"),
    text("target", "three letter code of the currency to exchange into, for example EUR"),
  ],
};
export const FERRY: TargetInput = {
  name: "find_ferries",
  description: "Find ferries between two ports",
  parameters: [
    text("origin", "port of departure"),
    text("destination", "port of arrival"),
    text("date", "day of the trip", { format: "YYYY-MM-DD", ...optional }),
    text("passengers", "number of passengers", { type: "int", default: 1, ...optional }),
  ],
};
export const CLIMATE: TargetInput = {
  name: "room_climate",
  description: "Set the temperature of a room",
  acts: true,
  parameters: [
    text("room", "name of the room"),
    text("degrees", "temperature to set", { type: "float" }),
    text("unit", "unit of the temperature", {
      enum: ["celsius", "fahrenheit"],
      default: "celsius",
      ...optional,
    }),
  ],
};
export const STATED_TARGETS = [RESTART, PARCEL, RATES, FERRY, CLIMATE];

const of = (...words: string[]) => fc.constantFrom(...words);
/** `length` digits of a base. */
const digits = (length: number, base = 10) =>
  fc
    .array(fc.integer({ min: 0, max: base - 1 }), { minLength: length, maxLength: length })
    .map((all) => all.map((digit) => digit.toString(base)).join(""));
const hex = (length: number) => digits(length, 16);
const byte = fc.integer({ min: 1, max: 254 }).map(String);

export const MACHINE = fc.oneof(
  fc.tuple(byte, byte, byte, byte).map((parts) => parts.join(".")),
  fc
    .tuple(of("sw", "core", "db", "web"), of("edge", "a", "fra", "x1"), byte)
    .map((parts) => parts.join("-")),
  fc.tuple(of("rtr", "host", "node"), byte).map(([name, number]) => `${name}_${number}`),
  fc.tuple(hex(2), hex(2), hex(2), hex(2), hex(2), hex(2)).map((parts) => parts.join(":")),
  fc
    .tuple(of("web", "mail", "core-1"), of("fra", "ams", "lon"), of("example.net", "example.org"))
    .map((parts) => parts.join(".")),
  fc.tuple(of("fe80", "2001:db8"), hex(4)).map(([start, end]) => `${start}::${end}`),
);
const TRACKING = fc.oneof(
  digits(12),
  fc.tuple(of("RR", "LX", "JD"), digits(9), of("DE", "CN", "US")).map((parts) => parts.join("")),
  fc
    .tuple(
      of("1Z", "9X"),
      hex(6).map((one) => one.toUpperCase()),
      digits(8),
    )
    .map((parts) => parts.join("")),
  fc.tuple(digits(4), digits(4), digits(4)).map((parts) => parts.join("-")),
);
const CURRENCY = of("USD", "EUR", "GBP", "CHF", "JPY", "SEK", "CAD", "AUD", "NOK", "PLN");
const PORT = of(
  "Dover",
  "Calais",
  "Piraeus",
  "Ancona",
  "Kiel",
  "Oslo",
  "Hull",
  "Bari",
  "Split",
  "Helsinki",
  "Tallinn",
  "Ajaccio",
);
const pairOf = <Value>(one: fc.Arbitrary<Value>) =>
  fc.tuple(one, one).filter(([left, right]) => left !== right);
const AMOUNT = fc.oneof(
  fc.integer({ min: 2, max: 9000 }),
  fc.integer({ min: 101, max: 99_999 }).map((cents) => cents / 100),
);
const DATE = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([month, day]) => `2027-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`);

/** `{name}` stands for a value. A form states all values that stand in it. */
function statements(
  target: TargetInput,
  values: fc.Arbitrary<Record<string, string | number>>,
  forms: readonly string[],
): fc.Arbitrary<Statement> {
  return fc.tuple(of(...forms), values).map(([form, all]) => {
    const names = [...form.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const stated = Object.fromEntries(names.map((name) => [name, all[name] ?? ""]));
    const prompt = form.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(all[name]));
    return { target, prompt, stated };
  });
}

export const STATEMENTS: fc.Arbitrary<Statement> = fc.oneof(
  statements(RESTART, fc.record({ machine: MACHINE, wait: fc.integer({ min: 6, max: 90 }) }), [
    "restart {machine}",
    "Please restart the machine {machine}.",
    "restart {machine} in {wait} minutes",
    "machine {machine} hangs, restart it after {wait} minutes please",
    "can you restart '{machine}'?",
    "restart a machine",
  ]),
  statements(PARCEL, fc.record({ tracking_number: TRACKING }), [
    "where is parcel {tracking_number}?",
    "Where is my parcel? The tracking number is {tracking_number}.",
    "track {tracking_number} for me",
    'status of the parcel "{tracking_number}"',
    "Where is my parcel from last Friday?",
  ]),
  statements(
    RATES,
    fc
      .record({ amount: AMOUNT, pair: pairOf(CURRENCY) })
      .map(({ amount, pair: [source, target] }) => ({ amount, source, target })),
    [
      "exchange {amount} {source} into {target}",
      "How much is {amount} {source} in {target}?",
      "I have {amount} {source} and want {target}",
      "to {target} from {source}, {amount} please",
      "exchange {amount} {source}",
      "What is the rate from {source} to {target}?",
      "exchange some money into {target}",
    ],
  ),
  statements(
    FERRY,
    fc
      .record({ pair: pairOf(PORT), date: DATE, passengers: fc.integer({ min: 2, max: 8 }) })
      .map(({ pair: [origin, destination], ...more }) => ({ origin, destination, ...more })),
    [
      "ferries from {origin} to {destination}",
      "I want to get to {destination} from {origin} on {date}",
      "Find a ferry from {origin} to {destination} on {date} for {passengers} passengers",
      "ferry {origin} to {destination}, {passengers} passengers",
      "a ferry to {destination} please",
      "ferries leaving {origin} on {date}",
    ],
  ),
  statements(
    CLIMATE,
    fc.record({
      room: of("kitchen", "office", "bedroom", "hall", "nursery"),
      degrees: fc.integer({ min: 15, max: 80 }),
      unit: of("celsius", "fahrenheit"),
    }),
    [
      "set the {room} to {degrees} degrees",
      "Set the temperature of the {room} to {degrees} {unit}",
      "{degrees} degrees {unit} in the {room} please",
      "make it {degrees} in the {room}",
      "set the temperature of the {room}",
    ],
  ),
);

/** Returns what is wrong with the values of a call; empty if nothing is. `doubtful` are those asked for. */
export function faultsOf(
  { stated, target }: Statement,
  values: Readonly<Record<string, unknown>>,
  isCall: boolean,
): string[] {
  const wrong = Object.entries(values)
    .filter(
      ([name, value]) =>
        String(stated[name]) !== String(value) && !isDefault(target, stated, name, value),
    )
    .map(([name, value]) => `${name} is ${String(value)} instead of ${String(stated[name])}`);
  const left = Object.keys(stated)
    .filter((name) => isCall && !Object.hasOwn(values, name))
    .map((name) => `${name} is left out`);
  return [...wrong, ...left];
}

/** A default is right only where nothing was stated. */
function isDefault(
  { parameters = [] }: TargetInput,
  stated: Statement["stated"],
  name: string,
  value: unknown,
): boolean {
  const usual = parameters.find((parameter) => parameter.name === name)?.default;
  return (
    stated[name] === undefined &&
    usual !== undefined &&
    JSON.stringify(usual).replaceAll('"', "") === String(value)
  );
}
