// `audit`: where the audit log of control actions is written.
import { readHomePath } from "../home-path.ts";
import { flag, mapping, text } from "../schema-words.ts";
import { section } from "../section.ts";

const schema = mapping(
  {
    directory: text(
      {
        description:
          "Directory of the audit log, absolute or below the home directory. If not set, it is in the gateway's state directory.",
        examples: ["/var/lib/gateway/audit"],
      },
      "an absolute path, or one that begins with ~/",
    ).optional(),
    stdout: flag({
      description: "Also writes each line to standard output, for a collector of logs.",
      default: false,
    }).optional(),
  },
  "The log of control actions: who changed what, from where ([more](audit.md)). It is always written.",
);

export const audit = section({
  key: "audit",
  schema,
  read({ reading }, written) {
    if (written === undefined) return {};
    const directory = readHomePath(reading, ["audit", "directory"], written.directory);
    return {
      audit: {
        ...(directory === undefined ? {} : { directory }),
        ...(written.stdout === true ? { isCopied: true as const } : {}),
      },
    };
  },
});
