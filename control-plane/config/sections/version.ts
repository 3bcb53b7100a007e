// `version`: the version of the configuration's schema.
import { text } from "../schema-words.ts";
import { section } from "../section.ts";

const VERSION = "v0.1.0";

export const version = section({
  key: "version",
  schema: text(
    { description: "Version of the configuration's schema.", default: VERSION },
    VERSION,
  ),
  read({ reading }, written) {
    if (written !== undefined && !/^v?0\.\d{1,3}(?:\.\d{1,3})?$/.test(written)) {
      const shown = reading.show(["version"], written);
      reading.problem(["version"], `expected ${VERSION}, not ${shown}`, {
        hint: `write ${VERSION}`,
      });
    }
    return { version: written ?? VERSION };
  },
});
