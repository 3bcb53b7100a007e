// `region`: the AWS region of a Bedrock entry.
import { type AddressKeyRule, addressText } from "./address-key.ts";

const EXPECTED = "an AWS region, such as eu-central-1";

export const region: AddressKeyRule = {
  schema: addressText(
    "Amazon Bedrock: the AWS region. watsonx.ai, Oracle Cloud: the region of the service.",
    EXPECTED,
    ["eu-central-1"],
  ),
  pattern: /^[a-z]{2,5}(?:-[a-z]+){1,3}-\d{1,2}$/,
  expected: EXPECTED,
  // An availability zone of a region.
  correct: (value) => /^([a-z]{2,5}(?:-[a-z]+){1,3}-\d{1,2})[a-z]$/.exec(value)?.[1],
  missing: "write region: eu-central-1 (yours), or region: $AWS_REGION",
  inModel: /^arn:[a-z-]+:[a-z]+:([a-z0-9-]+):/,
};
