// `alerts`: where events about budgets are sent.
import type { Alerts } from "../../../model/model.ts";
import type { Path } from "../../report/problem.ts";
import { readKeyReference } from "../provider/access-key.ts";
import type { Reading } from "../reading.ts";
import { mapping, text } from "../schema-words.ts";
import { section } from "../section.ts";

const EXPECTED = "an http:// or https:// URL, or a reference to an environment variable with one";
const URL_HINT =
  "write webhook: $ALERT_WEBHOOK, and put the URL in the environment or in .env as ALERT_WEBHOOK=https://…";
const SECRET_HINT =
  "write secret: $ALERT_SECRET, and put a long random text in the environment or in .env as ALERT_SECRET=whsec_…";

const schema = mapping(
  {
    webhook: text(
      {
        description:
          "URL to which events are sent. One with credentials or a query is always a reference to an environment variable.",
        examples: ["$ALERT_WEBHOOK"],
      },
      EXPECTED,
    ),
    secret: text(
      {
        description:
          "A reference to the secret that signs events, as [Standard Webhooks](https://www.standardwebhooks.com) describes. If not set, they are not signed.",
        examples: ["$ALERT_SECRET"],
      },
      "a reference to an environment variable",
    ).optional(),
  },
  "Sends an event to a webhook when 80 %, and when all, of a budget is spent ([more](budgets.md#alerts)). If not set, none.",
);

export const alerts = section({
  key: "alerts",
  schema,
  read({ reading }, written) {
    if (written === undefined) return {};
    const { webhook, secret } = written;
    const url =
      webhook === undefined ? undefined : readUrl(reading, ["alerts", "webhook"], webhook);
    const variable =
      secret === undefined
        ? undefined
        : readKeyReference(reading, ["alerts", "secret"], secret, SECRET_HINT);
    if (url === undefined) return {};
    return { alerts: { url, ...(variable === undefined ? {} : { secretVariable: variable }) } };
  },
});

function readUrl(reading: Reading, path: Path, written: string): Alerts["url"] | undefined {
  if (!written.includes("$")) {
    if (isUrl(written) && !/[@?#]/.test(written)) return { text: written };
    reading.problem(path, `expected ${EXPECTED}`, { hint: URL_HINT });
    return undefined;
  }
  const variable = readKeyReference(reading, path, written, URL_HINT);
  if (variable === undefined) return undefined;
  const value = reading.environment[variable] ?? "";
  if (value !== "" && !isUrl(value))
    reading.problem(path, `the value of ${variable} is not an http:// or https:// URL`, {
      hint: URL_HINT,
    });
  return { variable };
}

function isUrl(text: string): boolean {
  return /^https?:\/\/[^/]/.test(text) && URL.canParse(text);
}
