// `log`: the format of the gateway's own log, which also has the lines of Envoy's log.
import { mapping, oneOf } from "../schema-words.ts";
import { section } from "../section.ts";

const schema = mapping(
  {
    format: oneOf(["text", "json"], {
      description:
        "Format of a line: text, or a JSON object with `time`, `level`, `component` and `message`.",
      default: "text",
    }).optional(),
  },
  "The log of the gateway's own process and of Envoy, on standard error ([more](operations.md#the-gateways-own-log)).",
);

export const log = section({
  key: "log",
  schema,
  read: (_load, written) => (written?.format === "json" ? { log: { format: "json" } } : {}),
});
