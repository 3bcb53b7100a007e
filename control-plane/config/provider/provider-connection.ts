// Where the requests of one entry go and in which wire format.
import type { Target } from "../../../model/model.ts";
import type { ProviderInterface } from "../../providers/registry.ts";

export interface Connection
  extends ProviderInterface, Pick<Target, "address" | "authority" | "path" | "envelope" | "query"> {
  /** Request path of the Responses API at the same base URL, for a provider of chat completions. */
  responsesPath?: string;
  /** Its query, if that is not the one of chat completions. */
  responsesQuery?: string;
  /** The AWS region of its address. */
  region?: string;
  /** Whether the provider is known to serve it. */
  servesResponses: boolean | "if needed";
  /** The provider in providers/known-limits.ts whose models these are; absent: that of the entry. */
  limitsOf?: string;
}
