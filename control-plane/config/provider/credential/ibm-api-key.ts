// `credential` of type ibm_iam: the API key of IBM Cloud that is exchanged for tokens.
import type { IbmSource } from "../../../../model/cloud-credentials.ts";
import type { Path } from "../../../report/problem.ts";
import type { Reading } from "../../reading.ts";
import { readKeyReference } from "../access-key.ts";
import type { CredentialDraft } from "./credential-schema.ts";

/** Where users have the key, the service's own first. */
const VARIABLES = ["WATSONX_APIKEY", "WATSONX_AI_APIKEY", "IBM_CLOUD_API_KEY"];
const HINT = "write credential: {type: ibm_iam, api_key: $WATSONX_APIKEY}";

export function readIbmIam(
  reading: Reading,
  at: Path,
  { api_key: written }: CredentialDraft,
): IbmSource | undefined {
  const secretVariable =
    written === undefined
      ? VARIABLES.find((name) => (reading.environment[name] ?? "") !== "")
      : readKeyReference(reading, [...at, "api_key"], written, HINT);
  if (secretVariable !== undefined) return { type: "ibm_iam", secretVariable };
  if (written === undefined)
    reading.problem(at, "api_key is missing; IBM Cloud needs one", { hint: HINT });
  return undefined;
}
