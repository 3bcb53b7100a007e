// The account that this process runs as: whoever can open the control socket.
import { userInfo } from "node:os";

/**
 * Returns the account's name; its number if it has none, as in a container whose user is in no passwd file.
 * @param read for tests; reads the machine's account
 */
export function accountName(read: () => { username: string } = userInfo): string {
  try {
    return read().username;
  } catch {
    return String(process.getuid?.() ?? "");
  }
}
