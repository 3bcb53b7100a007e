// `credential` of type google: Application Default Credentials, https://cloud.google.com/docs/authentication/application-default-credentials
import { join } from "node:path";
import type { GoogleSource } from "../../../../model/cloud-credentials.ts";
import type { Path } from "../../../report/problem.ts";
import type { Reading } from "../../reading.ts";
import { readFileOf, resolveFile } from "./credential-file.ts";
import type { CredentialDraft } from "./credential-schema.ts";

const ACCOUNT = /^[\w.-]+@[\w.-]+\.[a-z]+$/;
/** The types of files that google-auth-library reads. */
const TYPES = [
  "service_account",
  "authorized_user",
  "external_account",
  "external_account_authorized_user",
  "impersonated_service_account",
];

export function readGoogle(
  reading: Reading,
  at: Path,
  written: CredentialDraft,
): GoogleSource | undefined {
  const account = written.impersonate_service_account;
  if (account !== undefined && !ACCOUNT.test(account)) {
    const place = [...at, "impersonate_service_account"];
    reading.problem(
      place,
      `expected the e-mail address of a service account, not ${reading.show(place, account)}`,
    );
    return undefined;
  }
  const file = findFile(reading, at, written.credentials_file);
  if (file === undefined) return undefined;
  return {
    type: "google",
    ...(file === "" ? {} : { file }),
    ...(account === undefined ? {} : { impersonatedAccount: account }),
  };
}

/** Returns the path of the file, empty for the metadata server; undefined if it is named and cannot be used. */
function findFile(reading: Reading, at: Path, written: string | undefined): string | undefined {
  const named = written ?? (reading.environment["GOOGLE_APPLICATION_CREDENTIALS"] || undefined);
  const place = written === undefined ? at : [...at, "credentials_file"];
  if (named !== undefined) {
    const file = resolveFile(reading, named);
    if (reading.machine === undefined) return file;
    const text = readFileOf(reading, place, file);
    return text !== undefined && checkFile(reading, place, file, text) ? file : undefined;
  }
  const { HOME: home, CLOUDSDK_CONFIG: directory } = reading.environment;
  const folder = directory || join(home ?? "/", ".config/gcloud");
  const file = join(folder, "application_default_credentials.json");
  const text = readFileOf(reading, undefined, file);
  if (text === undefined) return "";
  return checkFile(reading, at, file, text) ? file : undefined;
}

function checkFile(reading: Reading, at: Path, file: string, text: string): boolean {
  const type = typeOf(text);
  if (type !== undefined && TYPES.includes(type)) return true;
  const hint = "create one with: gcloud auth application-default login";
  reading.problem(at, `${file} is not a credential file of Google Cloud`, { hint });
  return false;
}

function typeOf(text: string): string | undefined {
  try {
    const { type } = JSON.parse(text) as { type?: unknown };
    return typeof type === "string" ? type : undefined;
  } catch {
    return undefined;
  }
}
