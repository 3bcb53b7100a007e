// The question for missing parameters: by their descriptions, never by their names, and read back from the conversation.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SPOKEN, spokenLanguage } from "../../../../control-plane/model-server/language/spoken.ts";
import {
  askedNames,
  isOurs,
  languageOfQuestion,
  questionFor,
  unanswered,
} from "../../../../control-plane/model-server/question.ts";

const detail = (name: string, description = "") => ({ name, description });
const START_DATE = detail("start_date", "First day of the vacation");
const DAYS = detail("days", "number of vacation days");

describe("the words", () => {
  it.each([
    [
      [START_DATE, DAYS],
      "I still need the first day of the vacation and the number of vacation days.",
    ],
    [[DAYS], "I still need the number of vacation days."],
    [
      [detail("city", "The city."), DAYS, detail("mail", "your e-mail address")],
      "I still need the city, the number of vacation days and your e-mail address.",
    ],
    [[detail("guests", "How many guests?")], "I still need to know how many guests."],
    [
      [detail("when", "when it begins"), DAYS],
      "I still need to know when it begins and the number of vacation days.",
    ],
    [[detail("iban", "IBAN of the account")], "I still need the IBAN of the account."],
    [[detail("amount", "USD amount")], "I still need the USD amount."],
    [[detail("party_size")], "I still need the party size."],
    [
      [detail("from", "three letter code of the currency to convert from, for example USD")],
      "I still need the three letter code of the currency to convert from.",
    ],
    [[detail("day", "first day, YYYY-MM-DD")], "I still need the first day."],
    [
      [detail("day", "Day of the event (in the format DD.MM.YYYY)")],
      "I still need the day of the event.",
    ],
    [
      [{ ...detail("unit", "temperature unit"), enum: ["celsius", "fahrenheit"] }],
      "I still need the temperature unit (celsius or fahrenheit).",
    ],
    [[detail("note", "  several\n lines, ")], "I still need the several lines."],
  ])("%j", (missing, question) => {
    expect(questionFor(missing)).toBe(question);
  });

  it("parameters with equal descriptions get different values", () => {
    const all = [detail("source", "currency"), detail("target", "Currency"), DAYS];
    const [source] = all;
    expect(questionFor(source === undefined ? [] : [source], all)).toBe(
      "I still need the currency (source).",
    );
  });
});

describe("other languages", () => {
  const UNITS = { ...detail("unit", "temperature unit"), enum: ["celsius", "fahrenheit"] };

  it.each(SPOKEN)("%s has its own frame, which is read back", (language) => {
    const all = [START_DATE, DAYS, UNITS, detail("days_left", "number of vacation days; left")];
    for (const asked of [[DAYS], [START_DATE, UNITS], all.slice(0, 3)]) {
      const question = questionFor(asked, all, language);
      expect(languageOfQuestion(question)).toBe(language);
      expect(askedNames(question, all)).toEqual(asked.map(({ name }) => name));
      expect(isOurs(unanswered(asked, all, language))).toBe(false);
    }
  });

  it.each([
    ["en", "Book a table for two, please"],
    ["en", "weather paris"],
    ["de", "Bitte einen Tisch für zwei Personen"],
    ["fr", "Une table pour deux, s'il vous plaît"],
    ["es", "Una mesa para dos, por favor"],
    ["it", "Un tavolo per due, per favore"],
    ["pt", "Uma mesa para dois, por favor"],
    ["nl", "Een tafel voor twee, alstublieft"],
    ["pl", "Poproszę stolik dla dwóch osób"],
    ["ru", "Столик на двоих, пожалуйста"],
    ["tr", "İki kişilik bir masa istiyorum"],
    ["ja", "二人の席を予約してください"],
    ["zh", "请预订两个人的桌子"],
    ["en", "Varaa pöytä kahdelle"],
  ])("%s: %s", (language, prompt) => {
    expect(spokenLanguage(prompt)).toBe(language);
  });
});

describe("reading it back", () => {
  it("an answer gives the names that its question contained", () => {
    const all = [START_DATE, DAYS, detail("day", "day"), detail("units")];
    expect(askedNames(questionFor([START_DATE, DAYS], all), all)).toEqual(["start_date", "days"]);
    expect(askedNames(questionFor([DAYS], all), all)).toEqual(["days"]);
    expect(askedNames("Which city?", all)).toEqual([]);
    expect(askedNames("I still need time to think.", all)).toEqual([]);
  });

  it("a description with commas and `and` is one detail", () => {
    const all = [detail("both", "city, and country"), detail("city", "city"), DAYS];
    const [both] = all;
    expect(askedNames(questionFor(both === undefined ? [] : [both], all), all)).toEqual(["both"]);
  });

  it("a question can be read back for any descriptions that differ", () => {
    const word = fc.constantFrom(
      ..."the day first, number and of how many USD (city) [x] a. date? é".split(" "),
    );
    const description = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
    const details = fc
      .array(fc.tuple(description, fc.boolean()), { minLength: 1, maxLength: 6 })
      .map((list) =>
        list.map(([text, isMissing], at) => ({ ...detail(`p${at}`, text), isMissing })),
      );
    fc.assert(
      fc.property(details, (all) => {
        const missing = all.filter(({ isMissing }) => isMissing);
        fc.pre(missing.length > 0);
        const question = questionFor(missing, all);
        expect(isOurs(question)).toBe(true);
        // Whatever else a description holds, what was asked is found.
        expect(askedNames(question, all)).toEqual(
          expect.arrayContaining(missing.map(({ name }) => name)),
        );
      }),
      { numRuns: 1000 },
    );
  });
});
