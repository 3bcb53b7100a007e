// Writes model/facts/catalogue.json from pinned versions of public catalogues, and model/facts/conflicts.tsv: where they
// differ, the chosen value first. Run by hand, with a network: node scripts/model-facts.ts. The difference is the review.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { catalogueText } from "../control-plane/model-facts/catalogue-text.ts";
import { catalogueOf, PACKAGES } from "../control-plane/model-facts/catalogue-packages.ts";
import { fetchPackage } from "./model-facts/fetch-package.ts";

/** The day of this state: prices that begin later are not taken. */
const DAY = "2026-11-27";

/** By name; the highest version of litellm is not always the newest, because it has several branches. */
const PINS: Readonly<Record<string, { version: string; date: string; sha256: string }>> = {
  "@earendil-works/pi-ai": {
    version: "1.6.0",
    date: "2026-11-20",
    sha256: "d68312ec574bc959cb7fee26da4f4876d067aed9bbbe76e876359e60d2294747",
  },
  litellm: {
    version: "1.110.2",
    date: "2026-11-20",
    sha256: "9d94d1c7d524b6fd10c14f9c8c6c4f0ac31705f9964ac59dcfd8337c046d8917",
  },
  "genai-prices": {
    version: "0.2.3",
    date: "2026-11-10",
    sha256: "56976ce2b04ec206117f7d0e53f4849211a6724ab3a12119afec304eba63ee25",
  },
};

const FOLDER = join(import.meta.dirname, "../model/facts");

const packages = PACKAGES.map((of) => {
  const pin = PINS[of.name];
  if (pin === undefined) throw new Error(`${of.name} has no pin`);
  const { content, sha256 } = fetchPackage({ ...of, version: pin.version });
  if (sha256 !== pin.sha256) {
    throw new Error(`${of.name} ${pin.version} has the SHA-256 ${sha256}, not ${pin.sha256}`);
  }
  return { of, ...pin, content };
});
const { catalogue, conflicts } = catalogueOf(packages, DAY);
writeFileSync(join(FOLDER, "catalogue.json"), catalogueText(catalogue));
const lines = conflicts.map(({ provider, model, field, values }) =>
  [provider, model, field, ...values.map((value) => value.join(" "))].join("\t"),
);
writeFileSync(join(FOLDER, "conflicts.tsv"), `${lines.join("\n")}\n`);
