// What the client sent: written by the first stages of the pipeline, read by all that follows.
import { freeBlock } from "../memory/blocks";
import { AllowedModels } from "../config/allowed-models";
import { ApiKey, ApiKeys } from "../config/api-keys";
import { ClientDialect } from "../dialects/client-dialect";
import { defaultDialect } from "../dialects/dialect-registry";
import { SERVICE_UNKNOWN } from "../hub/response/usage";
import { ByteBuffer } from "../bytes/text/bytes";
import { Endpoint, UNKNOWN } from "./endpoint";

/** Of nearly all clients, and never written: an object for each costs more than the rest of a request to a cloud. */
const NONE = new ByteBuffer();

export class Client {
  endpoint: Endpoint = UNKNOWN;
  dialect: ClientDialect = defaultDialect();
  /** What follows the endpoint's path: the path of a child, then the query with its `?`, without credentials. */
  pathEnd: ByteBuffer = NONE;
  /** Whether the query held a credential, which `pathEnd` lacks. */
  isQueryCut: bool = false;
  /** The client's own key for a provider, if some provider uses pass-through auth. */
  key: ByteBuffer = NONE;
  /** The header `anthropic-beta`, if a target of the route is Claude at a cloud. */
  betas: ByteBuffer = NONE;
  /** The betas of Anthropic that the translated request needs: bits of added-betas.ts. */
  addedBetas: u32 = 0;
  /** The session's key for the prompt cache, if a target gets it in a header. */
  cacheKey: ByteBuffer = NONE;
  /** The listener's API key that the request has; null if it has none. */
  apiKey: ApiKey | null = null;
  /** The name that the client sent as the model, for the usage record. */
  requested: ByteBuffer = NONE;
  /** Read it with `requestId` of request-id.ts. */
  requestId: ByteBuffer = new ByteBuffer();
  /** Whether the hint header names the model. */
  hasHint: bool = false;
  /** Headers that the client sent: bits of request-head.ts. */
  headers: u32 = 0;
  /** Names of further headers that no provider may get, each with a NUL after it. */
  foreign: ByteBuffer = NONE;
  /** Whether the content type is the one that a translated request has. */
  hasJsonType: bool = false;
  isStreaming: bool = false;
  /** Whether the body is a form (form.ts). */
  isForm: bool = false;
  /** Whether the provider chooses the model, because the client has not. */
  isModelOmitted: bool = false;
  /** How the request asks to be processed: SERVICE_UNKNOWN or an index of SERVICE_WORDS; only if prices depend on it. */
  service: i32 = SERVICE_UNKNOWN;
  /** Input tokens, if the endpoint counts them and the provider may not. */
  estimatedTokens: u32 = 0;

  /** The body, kept for later attempts while there is memory for it; 0 if only Envoy has it. */
  body: usize = 0;
  /** Bytes of the body, or as many as Envoy has so far. */
  bodyLength: u32 = 0;
  /** Whether Envoy has all of the request. */
  isWhole: bool = false;

  constructor(
    public isIngress: bool,
    /** Whether the client is the gateway's own model server. */
    public isModelServer: bool,
    /** Keys of the listener's clients; null if the listener is open. */
    public keys: ApiKeys | null,
  ) {}

  /** Returns the models that the client may use; null if it may use all of them. */
  get allowed(): AllowedModels | null {
    const key = this.apiKey;
    return key === null ? null : key.allowed;
  }

  /** Keeps the key of the session for the headers of an attempt. */
  keepCacheKey(key: ByteBuffer): void {
    if (this.cacheKey === NONE) this.cacheKey = new ByteBuffer();
    this.cacheKey.clear();
    this.cacheKey.bytes(key.pointer, key.length);
  }

  release(): void {
    freeBlock(this.body);
    this.body = 0;
    releaseOwn(this.pathEnd);
    releaseOwn(this.key);
    releaseOwn(this.betas);
    releaseOwn(this.cacheKey);
    releaseOwn(this.foreign);
    releaseOwn(this.requested);
    this.requestId.release();
  }
}

function releaseOwn(bytes: ByteBuffer): void {
  if (bytes !== NONE) bytes.release();
}
