// Writes NOTICE and the bill of materials of the image, from inside its build:
//   node scripts/release/records.ts <the image's file system, as far as dpkg's files go> <folder for the result>
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../control-plane/supervisor/package-version.ts";
import { contentsOfImage } from "./contents.ts";
import { notice } from "./notice.ts";
import { billOfMaterials } from "./sbom.ts";

const [, , files = "/", folder = "."] = process.argv;
const parts = contentsOfImage(join(import.meta.dirname, "../.."), {
  status: readFileSync(join(files, "var/lib/dpkg/status"), "utf8"),
  copyright: (name) => {
    const file = join(files, "usr/share/doc", name, "copyright");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  },
});
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "NOTICE"), notice(VERSION, parts));
writeFileSync(join(folder, "sbom.cdx.json"), billOfMaterials(VERSION, parts));
