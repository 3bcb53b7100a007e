// The shape of `limits` of one model, made from the table of capabilities.
import { z } from "zod";
import type { Capability, ModelLimits } from "../../../model/model-limits.ts";
import { MODEL_CAPABILITIES } from "../../../model/model-limits.ts";
import type { About } from "../schema-words.ts";
import { flag, list, mapping, oneOf, whole } from "../schema-words.ts";

const MAX_TOKENS = 10_000_000;
/** Members that every request needs are excluded. */
const MEMBER =
  /^(?!(?:model|messages|stream|messages\[\]\.(?:role|content))$)(?:messages\[\]\.)?[A-Za-z_][A-Za-z0-9_]*$/;
const MEMBER_NAME = "an optional member of a request, such as seed or messages[].name";

type Shape = { [Name in keyof ModelLimits]-?: z.ZodOptional<z.ZodType<ModelLimits[Name]>> };

export const modelLimits = mapping(
  Object.fromEntries(
    MODEL_CAPABILITIES.map((row) => [row.name, schemaOf(row).optional()]),
  ) as Shape,
  "Limits of the model. Each key overrides the built-in table: see docs/model-limits.md.",
);

function schemaOf(capability: Capability): z.ZodType {
  const about = aboutOf(capability);
  const { type } = capability;
  if (type === "boolean") return flag(about);
  if (type === "number") return whole(1, MAX_TOKENS, about, "number of tokens");
  if (type === "member[]") return list(member(), about);
  const [first = "", ...rest] = capability.values;
  const values = [first, ...rest] as const;
  return type.endsWith("[]") ? list(oneOf(values, "An effort."), about) : oneOf(values, about);
}

/** The description names the dialects that have the member, if not all have it. */
function aboutOf({ description, type, fallback, only, onlyValue }: Capability): About {
  const isOfAll = only.length === 0 || onlyValue !== "";
  const isLiteral = type === "boolean" || type === "number";
  return {
    description: isOfAll
      ? description
      : `${description} (${only.map(({ format }) => format).join(", ")})`,
    ...(fallback === ""
      ? {}
      : { default: isLiteral ? (JSON.parse(fallback) as boolean | number) : fallback }),
  };
}

function member(): z.ZodType {
  return z
    .string({ error: MEMBER_NAME })
    .regex(MEMBER, { error: MEMBER_NAME })
    .meta({ description: "A member of the request." });
}
