// Keys that are part of the schema and whose feature is not built: refused by validation, never accepted and ignored.
import { placesOf } from "../places.ts";
import type { Path } from "../../report/problem.ts";

export interface NotSupported {
  /** Keys from the top; `*` is any key or list index. */
  path: readonly string[];
  /** What it is, for the reference page. */
  what: string;
  /** What is wrong with the value at such a path, and what works today; undefined where the value is supported. */
  rejection: (value: unknown) => Rejection | undefined;
  /** Whether some values are supported. */
  isPartial?: true;
}

interface Rejection {
  message: string;
  hint: string;
}

const CHAT_COMPLETIONS_FORMATS = ["openai", "chat_completions", "openai_chat_completions"];

const REMOVE: Rejection = { message: "not supported yet", hint: "remove it" };

/** Remove a row when its feature works; the schema, the reference page and the JSON Schema follow. */
export const NOT_SUPPORTED_YET: readonly NotSupported[] = [
  { path: ["mode"], what: "modes", rejection: () => REMOVE },
  {
    path: ["listeners", "*", "message_format"],
    what: "formats other than `openai`",
    rejection: messageFormat,
    isPartial: true,
  },
];

function messageFormat(value: unknown): Rejection | undefined {
  if (typeof value !== "string") return undefined;
  if (CHAT_COMPLETIONS_FORMATS.includes(value.replaceAll("-", "_"))) return undefined;
  return {
    message: "only openai is supported",
    hint: "remove it: egress serves the messages format at /v1/messages in any case",
  };
}

/** Every place in `value` that a row of the list names. */
export function findNotSupported(value: unknown): ({ path: Path } & Rejection)[] {
  return NOT_SUPPORTED_YET.flatMap((row) =>
    placesOf(value, row.path).flatMap(({ path, found }) => {
      const rejection = row.rejection(found);
      return rejection === undefined ? [] : [{ path, ...rejection }];
    }),
  );
}
