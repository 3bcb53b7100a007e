// Why a file that the configuration names cannot be read, in words.

/** Returns the reason of an error of the system. */
export function fileReason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return "there is no such file";
  if (code === "EISDIR") return "this is a directory";
  if (code === "EACCES") return "you have no permission to read this file";
  return `this file cannot be read (${String(code)})`;
}
