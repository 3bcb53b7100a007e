// What must never be printed or written to a file: where secrets stand in the configuration, and what looks like one.

/** Places whose references stay names: only the filter resolves them. */
const SECRET_PLACES: readonly (readonly string[])[] = [
  ["llm_providers", "*", "access_key"],
  ["llm_providers", "*", "credential", "client_secret"],
  ["llm_providers", "*", "credential", "api_key"],
  ["llm_providers", "*", "headers"],
  ["model_providers", "*", "access_key"],
  ["model_providers", "*", "credential", "client_secret"],
  ["model_providers", "*", "credential", "api_key"],
  ["model_providers", "*", "headers"],
  ["listeners", "*", "api_keys"],
  ["llm_providers", "*", "proxy", "url"],
  ["model_providers", "*", "proxy", "url"],
  ["upstream", "proxy", "url"],
  ["tracing", "proxy", "url"],
  ["redis", "url"],
  ["alerts", "webhook"],
  ["alerts", "secret"],
  ["prompt_targets", "*", "endpoint", "http_headers"],
  ["model_server", "*", "access_key"],
  ["observability", "metrics", "token"],
  ["observability", "metrics", "sign_in", "client_secret"],
  ["observability", "metrics", "sign_in", "session_secret"],
  ["observability", "otlp", "headers"],
  ["tracing", "headers"],
];

/** Places below those that hold no secret. */
const PLAIN_PLACES: readonly (readonly string[])[] = [
  ["listeners", "*", "api_keys", "*", "name"],
  ["listeners", "*", "api_keys", "*", "models"],
  ["listeners", "*", "api_keys", "*", "ratelimits"],
  ["listeners", "*", "api_keys", "*", "budget"],
];

/** Whether what stands at `path`, or below it, may hold a secret: never substituted, never echoed. */
export function isSecretPlace(path: readonly (string | number)[]): boolean {
  const isIn = (place: readonly string[]): boolean =>
    path.length >= place.length &&
    place.every((part, index) => part === "*" || part === path[index]);
  return SECRET_PLACES.some(isIn) && !PLAIN_PLACES.some(isIn);
}

const CREDENTIAL_WORDS = new Set(
  (
    "auth authorization authentication key keys apikey apikeys token tokens secret secrets password passwords passwd pwd " +
    "passphrase passphrases cookie cookies credential credentials signature signatures bearer jwt dsn"
  ).split(" "),
);

/** Whether the name of a header or key indicates a credential: `x-api-key`, `authorization`. */
export function namesCredential(name: string): boolean {
  return name
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => CREDENTIAL_WORDS.has(word));
}

const KEY_BEGINNINGS =
  /^(?:sk[-_]|pk[-_]|rk[-_]|gwk_|gsk_|xai-|AIza|AKIA|ASIA|hf_|ghp_|github_pat_|glpat-|xox[abp]-|eyJ|-----BEGIN)/i;

const WORD = /[\w+.-]+/g;

/** Whether a text could hold a pasted key. */
export function looksLikeSecret(text: string): boolean {
  if (/^(?:bearer|basic) [^$\s]/i.test(text)) return true;
  return (text.match(WORD) ?? []).some(isKeyLike);
}

/** Whether a word of the text begins as keys do. Unlike `looksLikeSecret`, a long word of letters and digits may be an id. */
export function beginsLikeKey(text: string): boolean {
  return (text.match(WORD) ?? []).some((word) => word.length >= 8 && KEY_BEGINNINGS.test(word));
}

/** A known beginning, or one long word of letters and many digits. */
function isKeyLike(word: string): boolean {
  if (word.length >= 8 && KEY_BEGINNINGS.test(word)) return true;
  const digits = word.match(/\d/g) ?? [];
  return word.length >= 24 && digits.length >= 4 && /[A-Za-z]/.test(word) && !isModelLike(word);
}

/** Model names are long words with digits too, but made of short parts: `claude-sonnet-4-5-20250929`. */
function isModelLike(word: string): boolean {
  return word.split(/[-_.]/).every((part) => part.length <= 12);
}

/** A sentence about the user's file, with what could be a key taken out. */
export function withoutSecrets(sentence: string): string {
  return sentence.replaceAll(WORD, (word) => (isKeyLike(word) ? "(not shown)" : word));
}

/** The environment variable that a hint proposes for a provider's key: `OPENAI_API_KEY`. */
export function suggestedVariable(provider = ""): string {
  const words = provider
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/_$/, "");
  const isUsable = /^[A-Z][A-Z0-9_]{0,40}$/.test(words) && !looksLikeSecret(provider);
  return `${isUsable ? words : "PROVIDER"}_API_KEY`;
}
