// `mode`: not supported yet (diagnostics/not-supported-yet.ts).
import { text } from "../schema-words.ts";
import { section } from "../section.ts";

export const mode = section({ key: "mode", schema: text("How the gateway is run.") });
