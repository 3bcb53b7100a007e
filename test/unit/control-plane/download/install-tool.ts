// One of several processes that install the same wheel: node install-tool.ts <file as JSON> <cache>
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { PinnedFile } from "../../../../control-plane/download/pinned-file.ts";
import { progressOn } from "../../../../control-plane/download/progress.ts";
import { installWheel } from "../../../../control-plane/download/wheel.ts";

const [, , file = "", cache = ""] = process.argv;
const result = join(cache, "tool");
await installWheel(
  {
    what: "The tool",
    otherwise: "build it",
    file: JSON.parse(file) as PinnedFile,
    members: ["tool/bin/tool"],
    cache,
    isThere: () => existsSync(result),
    install: (directory) => {
      copyFileSync(join(directory, "tool/bin/tool"), result);
    },
  },
  process.env,
  progressOn(process.stderr),
);
