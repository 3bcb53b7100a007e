// `gateway models --refresh`: fetches the newest catalogue, and takes it if it is plausible. On any error the old one stays.
import { catalogueProblem } from "../../model/facts/catalogue-check.ts";
import type { Catalogue } from "../../model/facts/catalogue.ts";
import { catalogueText } from "./catalogue-text.ts";
import { catalogueOf, PACKAGES } from "./catalogue-packages.ts";
import { fetchBytes, newestPackage } from "./newest-package.ts";
import type { Environment } from "../report/environment.ts";

/** Fewer are a mistake of a source. */
const MIN_MODELS = 1000;
/** The part of the models that must be left. */
const MIN_PART = 0.7;
/** A price that changes by more is not taken without `--accept-prices`. */
export const MAX_FACTOR = 3;

export interface Refreshed {
  text: string;
  models: number;
  /** `openai/gpt-4o`, of which the old price stays. */
  keptPrices: string[];
}

/** @param url of `model_facts`; undefined for the public catalogues. Rejects with what is wrong. */
export async function fetchFacts(
  url: string | undefined,
  old: Catalogue,
  environment: Environment,
  { now, acceptPrices }: { now: Date; acceptPrices: boolean },
): Promise<Refreshed> {
  const next = url === undefined ? await ofPackages(environment, now) : await ofUrl(url);
  const models = countOf(next);
  // A file of the user may have few.
  if (url === undefined) checkCounts(next, old);
  const keptPrices = acceptPrices ? [] : keepPrices(next, old);
  return { text: catalogueText(next), models, keptPrices };
}

async function ofPackages(environment: Environment, now: Date): Promise<Catalogue> {
  const packages = [];
  for (const of of PACKAGES) packages.push(await newestPackage(of, environment));
  return catalogueOf(packages, now.toISOString().slice(0, 10)).catalogue;
}

async function ofUrl(url: string): Promise<Catalogue> {
  const text = new TextDecoder().decode(await fetchBytes(url));
  const problem = catalogueProblem(text);
  if (problem !== undefined) throw new Error(`the file at ${new URL(url).host} ${problem}`);
  return JSON.parse(text) as Catalogue;
}

function checkCounts(next: Catalogue, old: Catalogue): void {
  const [count, before] = [countOf(next), countOf(old)];
  if (count < MIN_MODELS || count < before * MIN_PART) {
    throw new Error(`it has ${String(count)} models, and the present one ${String(before)}`);
  }
}

function countOf({ models }: Catalogue): number {
  return Object.values(models).reduce((sum, rows) => sum + Object.keys(rows).length, 0);
}

/** Keeps the old price where the new one differs by a factor, and returns these models. */
function keepPrices(next: Catalogue, old: Catalogue): string[] {
  return Object.entries(next.models).flatMap(([provider, rows]) =>
    Object.entries(rows).flatMap(([model, row]) => {
      const before = old.models[provider]?.[model]?.p;
      const [first, second] = [before?.s[0], row.p?.s[0]];
      if (before === undefined || first === undefined || second === undefined) return [];
      const isNear = [1, 2].every((at) => {
        const [one, other] = [first[at] ?? 0, second[at] ?? 0];
        return one === other || Math.max(one, other) <= MAX_FACTOR * Math.min(one, other);
      });
      if (isNear) return [];
      row.p = before;
      return [`${provider}/${model}`];
    }),
  );
}
