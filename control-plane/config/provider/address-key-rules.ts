// The rules of the keys from which the address of a cloud is made: one file each.
import type { AddressKey } from "../../providers/cloud-address.ts";
import type { AddressKeyRule } from "./address-key.ts";
import { apiVersion } from "./api-version.ts";
import { location } from "./location.ts";
import { project } from "./project.ts";
import { region } from "./region.ts";
import { resource } from "./resource.ts";

export const ADDRESS_KEY_RULES: Readonly<Record<AddressKey, AddressKeyRule>> = {
  resource,
  api_version: apiVersion,
  project,
  location,
  region,
};
