// A provider with several APIs, at addresses that are made from keys of the entry. clouds.ts lists them.
import type { CredentialKind } from "../../contract/credentials.ts";
import type { DialectRow } from "../../contract/dialects.ts";
import type { EnvelopeRow } from "../../contract/envelopes.ts";
import type { AddressKey, AddressValues } from "./cloud-address.ts";

/** An API of a cloud. In its texts `{key}` stands for the value of a key, and `{model}` for the model. */
export interface CloudApi {
  /** The word of `provider_interface` that selects it. */
  word: string;
  /** Patterns of the models that use it if `provider_interface` is not set; a `*` stands for any text. */
  models: string[];
  /** Whether an entry can use it; absent: all can. */
  isFor?: (values: AddressValues) => boolean;
  dialect: DialectRow;
  auth: CredentialKind;
  asksForUsage: boolean;
  /** `base_url` of an entry replaces it; one without a path keeps this path. */
  baseUrl: string;
  /** What follows the base URL instead of the dialect's own path. */
  endpoint?: string;
  /** What a request is put into; its path follows the base URL. */
  envelope?: EnvelopeRow;
  /** The query of every request, with its `?`. */
  query?: string;
  /** An example of a model, if the name has to begin with its publisher and a slash. */
  withPublisher?: string;
  /** Whether the Responses API is at the same base URL. */
  servesResponses?: true;
  /** Its base URL if it is at a different one, without a query: for models that need it. */
  responsesUrl?: string;
  /** The provider in known-limits.ts whose models these are. */
  limitsOf?: string;
}

/** The types of credentials that Envoy attaches. */
export const CREDENTIAL_TYPES = ["aws", "google", "entra_id", "ibm_iam"] as const;
export type CredentialType = (typeof CREDENTIAL_TYPES)[number];

/** The credential of a cloud that is used without an `access_key`. */
export interface CloudLogin {
  type: CredentialType;
  /** aws: the service that is signed. */
  service?: string;
  /** entra_id: the scope of the token. */
  scope?: string;
}

export interface Cloud {
  /** What stands before the first slash of `model`. */
  name: string;
  /** For people: the product. */
  title: string;
  /** Other spellings of the name, with `_`: those of LiteLLM, the AI SDK and others. */
  aliases?: readonly string[];
  /** The keys that its entries can have. */
  keys: AddressKey[];
  /** What a key has to match here, if the key means another thing elsewhere too. */
  rules?: Partial<Record<AddressKey, { pattern: RegExp; expected: string; missing: string }>>;
  /** Values of keys that are not set. */
  defaults?: AddressValues;
  /** The environment variable in which its users have their key. */
  keyVariable: string;
  /** Whether `access_key` is required at the provider's own address, if there is no `login`. */
  needsKey: boolean;
  login?: CloudLogin;
  /** The first that fits a model is used. */
  apis: CloudApi[];
}
