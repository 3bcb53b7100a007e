// `credential`: which keys a type has, and the defaults of a cloud provider that has neither `credential` nor `access_key`.
import type { CloudCredential } from "../../../../model/cloud-credentials.ts";
import { tokenOf } from "../../../../model/cloud-credentials.ts";
import type { Path } from "../../../report/problem.ts";
import type { Reading } from "../../reading.ts";
import { readAws } from "./aws.ts";
import { readEntraId } from "./entra-id.ts";
import { readGoogle } from "./google.ts";
import { readIbmIam } from "./ibm-api-key.ts";
import type { CloudLogin, CredentialType } from "../../../providers/cloud.ts";
import type { CredentialDraft, CredentialKey } from "./credential-schema.ts";

/** What the provider of the entry expects. */
interface ExpectedLogin extends CloudLogin {
  /** aws: the region of the entry. */
  region?: string | undefined;
}

interface Wanted {
  /** Absent: any type is possible. */
  cloud: ExpectedLogin | undefined;
  /** What else the entry has as its credential: `access_key`; undefined if nothing. */
  other: string | undefined;
  /** Whether the cloud's credential is used although the entry does not have the key. */
  isDefault: boolean;
}

const KEYS: Record<CredentialType, readonly CredentialKey[]> = {
  aws: [
    "source",
    "credentials_file",
    "profile",
    "role_arn",
    "role_session_name",
    "external_id",
    "region",
    "service",
  ],
  google: ["credentials_file", "impersonate_service_account"],
  entra_id: ["source", "tenant_id", "client_id", "client_secret", "scope"],
  ibm_iam: ["api_key"],
};

/** Returns the credential that Envoy attaches; undefined if the entry has none, or a problem was reported. */
export function readCredential(
  reading: Reading,
  path: Path,
  written: CredentialDraft | undefined,
  { cloud, other, isDefault }: Wanted,
): CloudCredential | undefined {
  if (written === undefined) {
    if (!isDefault || cloud === undefined) return undefined;
    return readType(reading, path, cloud.type, {}, cloud);
  }
  const at = [...path, "credential"];
  if (other !== undefined) {
    reading.problem(at, `credential and ${other} exclude each other`, {
      part: "key",
      hint: `remove ${other} to use the credential of the cloud`,
    });
    return undefined;
  }
  const { type } = written;
  if (type === undefined || !checkType(reading, at, type, cloud)) return undefined;
  refuseOtherKeys(reading, at, type, written);
  return readType(reading, at, type, written, cloud);
}

function readType(
  reading: Reading,
  at: Path,
  type: CredentialType,
  written: CredentialDraft,
  cloud: ExpectedLogin | undefined,
): CloudCredential | undefined {
  if (type === "aws") {
    const signing = readAws(reading, at, written, cloud);
    return signing === undefined ? undefined : { signing };
  }
  const source =
    type === "google"
      ? readGoogle(reading, at, written)
      : type === "ibm_iam"
        ? readIbmIam(reading, at, written)
        : readEntraId(reading, at, written, cloud?.scope);
  return source === undefined ? undefined : { token: tokenOf(source) };
}

function checkType(
  reading: Reading,
  at: Path,
  type: CredentialType,
  cloud: ExpectedLogin | undefined,
): boolean {
  if (cloud === undefined || cloud.type === type) return true;
  reading.problem([...at, "type"], `this provider does not accept a credential of type ${type}`, {
    hint: `write type: ${cloud.type}`,
  });
  return false;
}

function refuseOtherKeys(
  reading: Reading,
  at: Path,
  type: CredentialType,
  written: CredentialDraft,
): void {
  const own: readonly string[] = ["type", ...KEYS[type]];
  for (const key of Object.keys(written)) {
    if (own.includes(key)) continue;
    const types = Object.entries(KEYS).filter(([, keys]) => keys.some((one) => one === key));
    reading.problem([...at, key], `a credential of type ${type} has no ${key}`, {
      part: "key",
      hint: `${key} belongs to type ${types.map(([name]) => name).join(" or ")}`,
    });
  }
}
