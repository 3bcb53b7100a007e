// `project`: the Google Cloud project of a Vertex AI entry.
import { type AddressKeyRule, addressText } from "./address-key.ts";

const EXPECTED = "the id or number of a Google Cloud project, such as my-project";

export const project: AddressKeyRule = {
  schema: addressText("Vertex AI: the id of the Google Cloud project.", EXPECTED, ["my-project"]),
  // A project of a domain: `example.com:my-project`.
  pattern: /^(?:(?:[a-z0-9-]+\.)+[a-z]+:)?[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/,
  expected: EXPECTED,
  correct: (value) => /^projects\/([^/]+)/.exec(value)?.[1],
  missing: "write project: <id>, or project: $GOOGLE_CLOUD_PROJECT",
};
