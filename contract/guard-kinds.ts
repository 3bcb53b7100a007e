// Policies of `guards`: what they look for, and what becomes of it. Compiled by tsc and asc.

/**
 * Kinds of data, in the order of their numbers in the filter. The name in capitals is that of a placeholder: `<EMAIL_7Q2K4M>`.
 * National ids are `id_` and the country's code (ISO 3166-1).
 */
export const GUARD_KINDS: string[] = [
  "email",
  "phone",
  "iban",
  "card",
  "secret",
  "private_key",
  "url_credentials",
  "ip",
  "mac",
  "id_us",
  "id_gb",
  "id_de",
  "id_fr",
  "id_es",
  "id_it",
  "id_nl",
  "id_pl",
  "id_br",
  "id_in",
  "id_cn",
  "id_jp",
  "id_kr",
  "id_au",
  "id_ca",
  "id_se",
  "id_no",
  "id_fi",
  "id_be",
  "id_ch",
  "id_dk",
];

/** What a policy does with a request or response in which it has found something; `GuardAction` of filter/config/guard-policy.ts. */
export const GUARD_ACTIONS: string[] = ["block", "mask", "monitor"];
