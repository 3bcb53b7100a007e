// A directory as the kubelet mounts a ConfigMap or a Secret: files are links through `..data`, which is swapped as a whole.
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Mount {
  directory: string;
  /** Replaces all files, as the kubelet does after a change of the object. */
  update: (files: Record<string, string>) => void;
}

/** @param mode of the files */
export function mountAsKubelet(
  directory: string,
  files: Record<string, string>,
  mode = 0o640,
): Mount {
  mkdirSync(directory, { recursive: true });
  let number = 0;
  let shown: string[] = [];
  const update = (fresh: Record<string, string>) => {
    const old = `..version-${String(number)}`;
    number += 1;
    const version = `..version-${String(number)}`;
    for (const [name, text] of Object.entries(fresh)) {
      const file = join(directory, version, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text, { mode });
    }
    symlinkSync(version, join(directory, "..data_tmp"));
    renameSync(join(directory, "..data_tmp"), join(directory, "..data"));
    const names = [...new Set(Object.keys(fresh).map((name) => name.split("/")[0] ?? ""))];
    for (const name of names.filter((one) => !shown.includes(one)))
      symlinkSync(join("..data", name), join(directory, name));
    for (const name of shown.filter((one) => !names.includes(one))) rmSync(join(directory, name));
    shown = names;
    rmSync(join(directory, old), { recursive: true, force: true });
  };
  update(files);
  return { directory, update };
}
