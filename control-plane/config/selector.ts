// `selector`: whose requests count together in a rate limit or a budget.
import { z } from "zod";
import type { RateLimit } from "../../model/rate-limit.ts";
import { namesCredential } from "../report/secrets.ts";
import type { Path } from "../report/problem.ts";
import type { Reading } from "./reading.ts";
import { mapping, oneOf, text } from "./schema-words.ts";
import type { Draft } from "./section.ts";

export type Selector = NonNullable<RateLimit["selector"]>;

const header = mapping(
  {
    key: text({
      description: "Request header, such as `x-user-id`.",
      examples: ["x-user-id"],
    }),
    value: text(
      "The header value that is limited. If not set, each value has a separate budget, and requests without the header share one.",
    ).optional(),
  },
  "Which requests share a budget, by a request header. If not set, all requests share one.",
);

/** Returns the schema. @param words what can be in place of a header */
export const selectorOf = <const Words extends readonly [string, ...string[]]>(
  words: Words,
  about: string,
) => {
  const expected = `${words.join(", ")} or a header, such as {key: x-user-id}`;
  return z.union([oneOf(words, about), header], { error: expected }).meta({ description: about });
};

type Written = Draft<z.output<typeof header>> | "session" | "user";

/** Returns the selector; "wrong" after reporting a problem. */
export function readSelector(
  reading: Reading,
  path: Path,
  selector: Written | undefined,
): Selector | "wrong" | undefined {
  if (selector === undefined || typeof selector === "string") return selector;
  const { key, value } = selector;
  if (key === undefined) return "wrong";
  const name = key.toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name)) {
    reading.problem([...path, "key"], `${reading.show([...path, "key"], key)} is no header name`, {
      hint: "use the name of a request header, such as x-user-id",
    });
    return "wrong";
  }
  if (value === undefined) return { header: name };
  if (namesCredential(name)) {
    reading.problem([...path, "value"], "a client's credential is not written in the file", {
      hint: "remove value, so that each credential has a separate budget, or use another header",
    });
    return "wrong";
  }
  if (!/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value)) {
    reading.problem([...path, "value"], "no header can have this value", {
      hint: "use one line of ASCII characters, or remove value",
    });
    return "wrong";
  }
  return { header: name, value };
}
