// `overrides`: settings for experts.
import { flag, mapping, number } from "../schema-words.ts";
import { section } from "./section.ts";

const schema = mapping(
  {
    prompt_target_intent_matching_threshold: number(
      0,
      1,
      "How sure the choice of a prompt target has to be, 0 to 1. A larger number chooses less often.",
    ).optional(),
    strict_translation: flag({
      description:
        "Answers 400, naming the member, where a member of a request would be left out because the model or its format cannot take it. Without it the response header `x-gateway-dropped` names what was left out.",
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
