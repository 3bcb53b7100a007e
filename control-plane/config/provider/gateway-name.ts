// `gateway`: a gateway of Cloudflare, which is a part of the path.
import { type AddressKeyRule, addressText } from "./address-key.ts";

const EXPECTED = "the name of a gateway: letters, digits, hyphens and underscores";

export const gateway: AddressKeyRule = {
  schema: addressText("Cloudflare AI Gateway: the name of the gateway.", EXPECTED, ["default"]),
  pattern: /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
  expected: EXPECTED,
  missing: "write gateway: <name>, or gateway: $CLOUDFLARE_GATEWAY_ID",
};
