// `observability.content`: the bodies of requests and responses in access_content.log.
import type { ContentRules } from "../../../model/model.ts";
import type { Path } from "../../report/problem.ts";
import { bytesOf } from "../quantity.ts";
import type { Reading } from "../reading.ts";
import { list, mapping, size, text } from "../schema-words.ts";
import type { Draft } from "../section.ts";

const MAX_BYTES = 64 * 1024;
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/i;

export const contentSchema = mapping(
  {
    max_bytes: size(
      {
        description: "Maximum of each request body and each response body that is kept.",
        default: "64KiB",
      },
      "1KiB",
      "1MiB",
    ).optional(),
    redact_headers: list(
      text({ description: "A header name.", examples: ["x-customer"] }),
      "Request headers whose values are replaced by `***`. Headers with credentials and cookies always are.",
    ).optional(),
  },
  "Writes requests and responses with their bodies to access_content.log ([more](observability.md#content)). Users' texts are personal data: if not set, none are kept.",
);

/** Returns the rules. */
export function readContent(
  reading: Reading,
  path: Path,
  {
    max_bytes: maxBytes,
    redact_headers: redacted = [],
  }: Draft<{ max_bytes: string | number; redact_headers: string[] }>,
): ContentRules {
  redacted.forEach((name, index) => {
    if (name === undefined || HEADER_NAME.test(name)) return;
    reading.problem(
      [...path, "redact_headers", index],
      `${JSON.stringify(name)} is not a header name`,
      {
        hint: "use letters, digits and - only",
      },
    );
  });
  const names = redacted.flatMap((name) => (name === undefined ? [] : [name.toLowerCase()]));
  return { maxBytes: bytesOf(maxBytes, MAX_BYTES), redactHeaders: [...new Set(names)] };
}
