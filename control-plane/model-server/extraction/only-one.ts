// Whether a text states only one value of a parameter's kind, so that there is no doubt which one is meant.
import { currenciesOf } from "./currencies.ts";
import { clocksIn } from "./clock.ts";
import { datesOf } from "./dates.ts";
import { numbersOf } from "./numbers.ts";
import { optionsIn } from "./enum-options.ts";
import { kindOf, type Parameter } from "./parameter.ts";

export function isOnlyOne(parameter: Parameter, text: string, now: Date): boolean {
  switch (kindOf(parameter)) {
    case "number":
      return new Set(numbersOf(parameter, text).map(({ value }) => value)).size === 1;
    case "date":
      return datesOf(text, now).length === 1;
    case "time":
      return new Set(clocksIn(text).map(({ value }) => value)).size === 1;
    case "currency":
      return currenciesOf(text).length === 1;
    case "enum":
      return optionsIn(parameter, text).length === 1;
    case "id":
      return (text.match(/\S*\d\S*/g) ?? []).length === 1;
    default:
      return false;
  }
}
