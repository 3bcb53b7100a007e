// The name of the account that this process runs as.
import { userInfo } from "node:os";
import { expect, it } from "vitest";
import { accountName } from "../../../../control-plane/supervisor/account-name.ts";

it("an account has its name, and its number if no passwd file has it", () => {
  expect(accountName()).toBe(userInfo().username);
  const throws = () => {
    throw new Error("uv_os_get_passwd returned ENOENT");
  };
  expect(accountName(throws)).toBe(String(process.getuid?.()));
});
