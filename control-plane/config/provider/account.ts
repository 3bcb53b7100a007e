// `account`: the account of Snowflake or Cloudflare, which is a part of the host or the path.
import { type AddressKeyRule, addressText } from "./address-key.ts";

const EXPECTED = "the name or id of an account: letters, digits, hyphens, dots and underscores";

export const account: AddressKeyRule = {
  schema: addressText(
    "Snowflake: the account, as in `https://<account>.snowflakecomputing.com`. Cloudflare: the id of the account.",
    EXPECTED,
    ["myorg-account123"],
  ),
  pattern: /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,126}[A-Za-z0-9])?$/,
  expected: EXPECTED,
  correct: (value) => /^(?:https:\/\/)?([\w.-]+)\.snowflakecomputing\.com/i.exec(value)?.[1],
  missing: "write account: <account>, or account: $CLOUDFLARE_ACCOUNT_ID or $SNOWFLAKE_ACCOUNT",
};
