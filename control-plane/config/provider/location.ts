// `location`: the location of a Vertex AI entry, which is a part of its host and path.
import { type AddressKeyRule, addressText } from "./address-key.ts";

const EXPECTED = "global, us, eu, or a region such as europe-west4";

export const location: AddressKeyRule = {
  schema: addressText(
    "Vertex AI: `global`, `us`, `eu`, or a region. It decides where requests are processed.",
    EXPECTED,
    ["europe-west4"],
    { default: "global" },
  ),
  pattern: /^[a-z]+(?:-[a-z]+\d+)?$/,
  expected: EXPECTED,
  // A zone of a region.
  correct: (value) => /^([a-z]+-[a-z]+\d+)-[a-z]$/.exec(value)?.[1],
  missing: "write location: global, or location: $GOOGLE_CLOUD_LOCATION",
};
