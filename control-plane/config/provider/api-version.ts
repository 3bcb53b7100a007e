// `api_version`: which API of Azure OpenAI an entry uses.
import { type AddressKeyRule, addressText } from "./address-key.ts";

const EXPECTED = "v1, preview, or a version such as 2024-10-21 or 2025-04-01-preview";

export const apiVersion: AddressKeyRule = {
  schema: addressText(
    "Azure OpenAI: `v1` uses the v1 API, and `preview` its preview features. A date selects the older API at `/openai/deployments/<model>`.",
    EXPECTED,
    ["2024-10-21"],
    { default: "v1" },
  ),
  pattern: /^(?:v1|preview|\d{4}-\d{2}-\d{2}(?:-preview)?)$/,
  expected: EXPECTED,
  correct: (value) => (/^latest$/i.test(value) ? "v1" : undefined),
  missing: "write api_version: v1",
};
