// `resource`: the name of an Azure resource, which is the first label of its host.
import { type AddressKeyRule, addressText } from "./address-key.ts";

const EXPECTED = "the name of an Azure resource: letters, digits and -";
const HOST = /^(?:https?:\/\/)?([a-z0-9-]+)\.[a-z.]*azure\.[a-z]+/i;

export const resource: AddressKeyRule = {
  schema: addressText(
    "Azure: the name of the resource, as in `https://<resource>.openai.azure.com`.",
    EXPECTED,
    ["my-resource"],
  ),
  pattern: /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/,
  expected: EXPECTED,
  correct: (value) => HOST.exec(value)?.[1],
  missing: "write resource: <name>, as in https://<name>.openai.azure.com",
};
