// `model_facts`: a file or a URL with the catalogue of models, in place of the built-in one.
import { resolve } from "node:path";
import { catalogueProblem } from "../../../model/facts/catalogue-check.ts";
import { useCatalogue } from "../../../model/facts/model-facts.ts";
import { text } from "../schema-words.ts";
import { section } from "../section.ts";

const schema = text(
  {
    description:
      "File (relative to this one) or `https://` URL with the facts and prices of models, in place of the public catalogues ([more](model-limits.md#the-catalogue)). A URL is fetched by `gateway models --refresh` alone.",
    examples: ["models.json", "https://example.com/models.json"],
  },
  "a file or a URL",
);

const REFRESH = "run gateway models --refresh";

/** Comes before the models, which have their limits and prices from it. */
export const modelFacts = section({
  key: "model_facts",
  schema,
  read({ reading }, written) {
    const { machine } = reading;
    const path = ["model_facts"];
    const refreshed = machine?.refreshedFacts;
    if (written === undefined) {
      useCatalogue(refreshed?.from === "" ? refreshed.text : undefined);
      return {};
    }
    if (/^https?:/.test(written)) {
      const isFetched = refreshed?.from === written;
      useCatalogue(isFetched ? refreshed.text : undefined);
      if (machine !== undefined && !isFetched) {
        reading.warning(path, "the URL has not been fetched: the built-in facts are used", {
          hint: REFRESH,
        });
      }
      return { modelFacts: { url: written } };
    }
    const file = resolve(machine?.directory ?? "/", written);
    useCatalogue(undefined);
    if (machine === undefined) return { modelFacts: { file } };
    try {
      const content = machine.readFile(file);
      const problem = catalogueProblem(content);
      if (problem === undefined) useCatalogue(content);
      else
        reading.problem(path, `${written} ${problem}`, {
          hint: "gateway models --refresh writes such a file",
        });
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      reading.problem(path, `${written} cannot be read: ${code}`, {
        hint: "write the path of a file, relative to the configuration",
      });
    }
    return { modelFacts: { file } };
  },
});
