// `workspace`: the host of a Databricks workspace.
import { type AddressKeyRule, addressText } from "./address-key.ts";

const EXPECTED = "the host of a Databricks workspace, such as my-workspace.cloud.databricks.com";

export const workspace: AddressKeyRule = {
  schema: addressText("Databricks: the host of the workspace, also with `https://`.", EXPECTED, [
    "my-workspace.cloud.databricks.com",
  ]),
  pattern: /^(?:https:\/\/)?[a-z0-9][a-z0-9.-]{0,252}\/?$/i,
  expected: EXPECTED,
  correct: (value) => /^https:\/\/([^/?#@]+)[/?#]/.exec(value)?.[1],
  missing: "write workspace: $DATABRICKS_HOST",
};
