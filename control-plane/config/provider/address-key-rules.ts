// The rules of the keys from which the address of a cloud is made: one file each.
import type { AddressKey } from "../../providers/cloud-address.ts";
import type { AddressKeyRule } from "./address-key.ts";
import { account } from "./account.ts";
import { apiVersion } from "./api-version.ts";
import { gateway } from "./gateway-name.ts";
import { location } from "./location.ts";
import { project } from "./project.ts";
import { region } from "./region.ts";
import { resource } from "./resource.ts";
import { workspace } from "./workspace.ts";

export const ADDRESS_KEY_RULES: Readonly<Record<AddressKey, AddressKeyRule>> = {
  resource,
  api_version: apiVersion,
  project,
  location,
  region,
  workspace,
  account,
  gateway,
};
