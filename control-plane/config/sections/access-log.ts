// `access_log`: where the access logs are written, and how many are kept.
import { readHomePath } from "../home-path.ts";
import { bytesOf } from "../quantity.ts";
import { mapping, oneOf, size, text, whole } from "../schema-words.ts";
import { section } from "../section.ts";

const LOG_FILE_BYTES = 100 * 1024 ** 2;
const KEPT_FILES = 5;

const schema = mapping(
  {
    directory: text(
      {
        description:
          "Directory of the logs: an absolute path or `~/…`. Each gateway needs its own; the default is one for each configuration file.",
        default: "~/gateway_logs/<name>",
      },
      "an absolute path, or one that begins with ~/",
    ).optional(),
    max_file_size: size(
      { description: "A larger log file is rotated.", default: "100MiB" },
      "64KiB",
      "64GiB",
    ).optional(),
    format: oneOf(["text", "json"], {
      description:
        "Format of a line: the 15 fields as text, or a JSON object with the names that `gateway logs --json` prints.",
      default: "text",
    }).optional(),
    keep_files: whole(0, 1000, {
      description: "Number of rotated files to keep per log.",
      default: 5,
    }).optional(),
  },
  "Where the access logs are written and how many are kept.",
);

export const accessLog = section({
  key: "access_log",
  schema,
  read({ reading }, log = {}) {
    const directory = readHomePath(reading, ["access_log", "directory"], log.directory);
    return {
      accessLog: {
        ...(directory === undefined ? {} : { directory }),
        maxFileBytes: bytesOf(log.max_file_size, LOG_FILE_BYTES),
        keepFiles: log.keep_files ?? KEPT_FILES,
        ...(log.format === "json" ? { format: "json" as const } : {}),
      },
    };
  },
});
