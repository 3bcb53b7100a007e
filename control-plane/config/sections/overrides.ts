// `overrides`: settings for experts.
import { flag, mapping, number } from "../schema-words.ts";
import { section } from "../section.ts";

const schema = mapping(
  {
    prompt_target_intent_matching_threshold: number(
      0,
      1,
      "Minimum confidence for selecting a prompt target, 0 to 1. A higher value selects less often.",
    ).optional(),
    strict_translation: flag({
      description:
        "Rejects a request with 400 if one of its members is not supported by the model or its format. If `false`, such members are dropped and listed in the response header `x-gateway-dropped`.",
      default: false,
    }).optional(),
  },
  "Settings for experts.",
);

export const overrides = section({
  key: "overrides",
  schema,
  read(_load, value = {}) {
    const threshold = value.prompt_target_intent_matching_threshold;
    return {
      ...(value.strict_translation === true ? { strictTranslation: true } : {}),
      ...(threshold === undefined ? {} : { prompt: { threshold } }),
    };
  },
});
