// Currencies as people name them → ISO 4217 codes.

const NAMES: readonly [RegExp, string][] = [
  [/\b(?:swiss|schweizer|suisses?|suizos?)\b/, "CHF"],
  [/\b[ck]anad/, "CAD"],
  [/\baustral|\baussie/, "AUD"],
  [/\b(?:new zealand|neuseel)/, "NZD"],
  [/\b(?:singapor|singapur)/, "SGD"],
  [/\bhong ?kong/, "HKD"],
  [/\bmexi[ck]|\bmexik|\bmejic/, "MXN"],
  [/\bbra[sz]il|\breais\b|\breales\b|\breal\b/, "BRL"],
  [/\bd[ií]rhams?\b/, "AED"],
  [/\brupees?\b|\brupien?\b|\broupies?\b|\brupias?\b/, "INR"],
  [/\bswedish\b|\bschwedi|\bsuédois|\bsuec/, "SEK"],
  [/\bnorweg|\bnorvég|\bnorueg/, "NOK"],
  [/\bdanish\b|\bdänisch|\bdanois|\bdanes/, "DKK"],
  [/\b(?:polish|zloty|złoty)/, "PLN"],
  [/\b(?:czech|koruna)/, "CZK"],
  [/\bforints?\b/, "HUF"],
  [/\b(?:won)\b/, "KRW"],
  [/\brands?\b/, "ZAR"],
  [
    /\bpounds?\b|\bpfund\b|\blivres?\b|\blibras?\b|\bpond\b|\bsterlin[ae]\b|\bsterling\b|\bquid\b|£/,
    "GBP",
  ],
  [/\beuros?\b|€/, "EUR"],
  [/\byen\b|¥|日元|日圆/, "JPY"],
  [/\byuan\b|\brenminbi\b|人民币/, "CNY"],
  [/\bfrancs?\b|\bfranken\b|\bfranchi\b|\bfrancos?\b/, "CHF"],
  [/\bdollars?\b|\bd[oó]lar(?:es)?\b|\bdollar[io]\b|\bbucks?\b|\$|美元/, "USD"],
];
const CODES = new Set(Intl.supportedValuesOf("currency"));
/** They are no words, so that they count in lower case, too. */
const COMMON_CODES = new Set(
  "USD EUR GBP JPY CHF CNY INR AUD CAD NZD SEK NOK DKK PLN CZK HUF BRL MXN ZAR KRW SGD HKD AED".split(
    " ",
  ),
);
const MAX_WORDS = 3;

/** Returns the code that a short text names: `usd`, `Swiss francs`, `€`. */
export function currencyCode(said: string): string | undefined {
  const plain = said.replace(/[\d.,]+/g, " ").trim();
  if (plain === "" || plain.split(/\s+/).length > MAX_WORDS) return undefined;
  const upper = plain.toUpperCase();
  if (CODES.has(upper)) return plain === upper || COMMON_CODES.has(upper) ? upper : undefined;
  const lower = plain.toLowerCase();
  const name = NAMES.find(([pattern]) => pattern.test(lower))?.[1];
  if (name !== undefined) return name;
  // `US dollars`, `GBP please`: a code among other words.
  return plain.split(/\s+/).find((word) => CODES.has(word));
}

/** Returns the codes of all currencies that a text names. */
export function currenciesOf(text: string): string[] {
  const words = [...text.matchAll(/[$€£¥]|[\p{L}\p{M}]+/gu)].map(([word]) => word);
  const found = words.flatMap((word, index) => {
    const pair = `${words[index - 1] ?? ""} ${word}`.trim();
    const own = currencyCode(word);
    if (own === undefined) return [];
    return [own, currencyCode(pair) ?? own];
  });
  return [...new Set(found)];
}
