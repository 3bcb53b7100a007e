// `tracing`: not supported yet (diagnostics/not-supported-yet.ts).
import { mapping, number } from "../schema-words.ts";
import { section } from "./section.ts";

export const tracing = section({
  key: "tracing",
  schema: mapping(
    { random_sampling: number(0, 100, "Percentage of requests that are traced.").optional() },
    "Tracing.",
  ),
});
