// A target's tool as a language model gets it: in OpenAI's strict form, which has to state every argument or give null.
// @see https://platform.openai.com/docs/guides/function-calling#strict-mode
import type { Parameter } from "./parameter.ts";
import { parametersOf, type Tool } from "./tool.ts";

/** Types that the strict form can describe completely. */
const SCALARS: ReadonlySet<string> = new Set(["string", "integer", "number", "boolean"]);

/**
 * Returns the tool without defaults and formats, which the strict form does not permit: a default that the model repeats
 * would hide that nothing was stated. With a list or a mapping among its parameters it is not strict.
 */
export function strictTool(tool: Tool) {
  const parameters = parametersOf(tool);
  const isStrict = parameters.every(({ type }) => SCALARS.has(type));
  const { name, description } = tool.function;
  return {
    type: "function",
    function: {
      name,
      description,
      ...(isStrict ? { strict: true } : {}),
      parameters: {
        type: "object",
        properties: Object.fromEntries(parameters.map((one) => [one.name, propertyOf(one)])),
        required: parameters.map((one) => one.name),
        additionalProperties: false,
      },
    },
  };
}

function propertyOf({ type, description, format, enum: options }: Parameter) {
  const isExplained = format === undefined || description.includes(format);
  return {
    type: [type, "null"],
    description: isExplained ? description : `${description} (${format})`.trim(),
    ...(options === undefined ? {} : { enum: [...options, null] }),
  };
}
