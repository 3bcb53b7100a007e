// The public catalogues, and how a catalogue is made of their packages.
import type { CatalogueSource } from "../../model/facts/catalogue.ts";
import { filesOfTarball, fileOfWheel } from "./archives.ts";
import { corrections, CORRECTIONS } from "./corrections.ts";
import { mergeFacts, type SourceFacts } from "./merge-facts.ts";
import { readGenaiPrices } from "./sources/genai-prices.ts";
import { readLiteLlm } from "./sources/litellm-map.ts";
import { readPiAi } from "./sources/pi-ai.ts";
import type { Candidates } from "./candidate.ts";

export interface CataloguePackage {
  letter: string;
  registry: "npm" | "PyPI";
  name: string;
  licence: string;
  read: (content: Uint8Array, day: string) => Candidates;
}

const PI_DATA = /^package\/dist\/providers\/data\/([\w-]+)\.json$/;

export const PACKAGES: readonly CataloguePackage[] = [
  {
    letter: "I",
    registry: "npm",
    name: "@earendil-works/pi-ai",
    licence: "MIT, Mario Zechner",
    read(content) {
      const files = filesOfTarball(content, (path) => PI_DATA.test(path));
      return readPiAi(
        new Map([...files].map(([path, text]) => [PI_DATA.exec(path)?.[1] ?? "", text])),
      );
    },
  },
  {
    letter: "L",
    registry: "PyPI",
    name: "litellm",
    licence: "MIT, Copyright (c) 2023 Berri AI",
    read: (content) =>
      readLiteLlm(fileOfWheel(content, "litellm/model_prices_and_context_window_backup.json")),
  },
  {
    letter: "G",
    registry: "PyPI",
    name: "genai-prices",
    licence: "MIT, Copyright (c) Pydantic Services Inc. 2025 to present",
    read: (content, day) => readGenaiPrices(fileOfWheel(content, "genai_prices/data.py"), day),
  },
];

export interface PackageContent {
  of: CataloguePackage;
  version: string;
  date: string;
  sha256: string;
  content: Uint8Array;
}

/** @param day prices that begin later are not taken: `2026-11-27` */
export function catalogueOf(
  packages: readonly PackageContent[],
  day: string,
): ReturnType<typeof mergeFacts> {
  const read = packages.map(({ of, version, date, sha256, content }): SourceFacts => {
    const { letter, registry, name } = of;
    const source: CatalogueSource = { letter, name: `${registry} ${name}`, version, date, sha256 };
    return { source, facts: of.read(content, day) };
  });
  const own: CatalogueSource = {
    letter: "C",
    name: "corrections of the gateway",
    version: String(CORRECTIONS.length),
    date: day,
    sha256: "",
  };
  return mergeFacts([{ source: own, facts: corrections() }, ...read]);
}
