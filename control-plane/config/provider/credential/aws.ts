// `credential` of type aws: whose credentials sign the requests. The order of the sources is that of the AWS SDKs.
import { resolve } from "node:path";
import type { AwsRole, AwsSource, Signing } from "../../../../model/cloud-credentials.ts";
import type { Path } from "../../../report/problem.ts";
import type { Reading } from "../../reading.ts";
import { readFileOf, resolveFile } from "./credential-file.ts";
import { AWS_SOURCES, type CredentialDraft } from "./credential-schema.ts";

type SourceName = AwsSource["from"];

const ROLE = /^arn:[a-z-]+:iam::\d{12}:role\/[\w+=,.@/-]+$/;
/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html */
const SESSION_NAME = /^[\w+=,.@-]{2,64}$/;
const EXTERNAL_ID = /^[\w+=,.@:/-]{2,1224}$/;
const REGION = /^[a-z]{2,5}(?:-[a-z]+){1,3}-\d{1,2}$/;
const SERVICE = /^[a-z0-9-]{2,60}$/;

const KEY_ID = "AWS_ACCESS_KEY_ID";
const SECRET = "AWS_SECRET_ACCESS_KEY";

export function readAws(
  reading: Reading,
  at: Path,
  written: CredentialDraft,
  cloud: { service?: string; region?: string | undefined } | undefined,
): Signing | undefined {
  const check = checker(reading, at, written);
  const { environment } = reading;
  const region =
    check("region", REGION, "an AWS region, such as eu-central-1") ??
    cloud?.region ??
    (environment["AWS_REGION"] || environment["AWS_DEFAULT_REGION"]);
  const service = check("service", SERVICE, "a service, such as bedrock") ?? cloud?.service;
  const role = readRole(reading, at, written);
  const source = readSource(reading, at, written);
  if (written.region === undefined && (region === undefined || !REGION.test(region))) {
    reading.problem(at, "the AWS region is missing", {
      hint: "write region: eu-central-1 (yours), or set AWS_REGION",
    });
    return undefined;
  }
  if (region === undefined || source === undefined) return undefined;
  return { service: service ?? "bedrock", region, source, ...(role === undefined ? {} : { role }) };
}

/** Returns a function that returns the value of a key, or undefined after reporting a problem. */
function checker(reading: Reading, at: Path, written: CredentialDraft) {
  return (
    key: "region" | "service" | "role_arn" | "role_session_name" | "external_id",
    pattern: RegExp,
    expected: string,
  ): string | undefined => {
    const value = written[key];
    if (value === undefined || pattern.test(value)) return value;
    const place = [...at, key];
    reading.problem(place, `expected ${expected}, not ${reading.show(place, value)}`);
    return undefined;
  };
}

function readRole(reading: Reading, at: Path, written: CredentialDraft): AwsRole | undefined {
  const check = checker(reading, at, written);
  const arn = check("role_arn", ROLE, "an ARN such as arn:aws:iam::123456789012:role/gateway");
  const sessionName = check(
    "role_session_name",
    SESSION_NAME,
    "2 to 64 letters, digits or =,.@-_+",
  );
  const externalId = check("external_id", EXTERNAL_ID, "2 to 1224 letters, digits or =,.@:/-_+");
  for (const key of ["role_session_name", "external_id"] as const) {
    if (written[key] === undefined || written.role_arn !== undefined) continue;
    reading.problem([...at, key], `${key} has no effect without role_arn`, { part: "key" });
  }
  if (arn === undefined) return undefined;
  return {
    arn,
    sessionName: sessionName ?? "gateway",
    ...(externalId === undefined ? {} : { externalId }),
  };
}

function readSource(reading: Reading, at: Path, written: CredentialDraft): AwsSource | undefined {
  const { source, profile, credentials_file: file } = written;
  const isProfile = profile !== undefined || file !== undefined;
  if (source !== undefined && !AWS_SOURCES.some((one) => one === source)) {
    reading.problem([...at, "source"], `a credential of type aws has no source ${source}`, {
      hint: `expected one of ${AWS_SOURCES.join(", ")}`,
    });
    return undefined;
  }
  if (isProfile && source !== undefined && source !== "profile") {
    const key = profile === undefined ? "credentials_file" : "profile";
    reading.problem([...at, key], `source: ${source} has no ${key}`, { part: "key" });
    return undefined;
  }
  const finder = new Finder(reading, at, written);
  return isProfile || source === "profile"
    ? finder.profile(true)
    : source === undefined
      ? finder.first()
      : finder.chosen(source as SourceName);
}

/** Looks for the credentials where the AWS SDKs do. */
class Finder {
  readonly #reading: Reading;
  readonly #at: Path;
  readonly #written: CredentialDraft;

  constructor(reading: Reading, at: Path, written: CredentialDraft) {
    this.#reading = reading;
    this.#at = at;
    this.#written = written;
  }

  /** Returns the first source that is present. */
  first(): AwsSource | undefined {
    const [id, secret] = [this.#value(KEY_ID), this.#value(SECRET)];
    if (id !== undefined || secret !== undefined) return this.#environment();
    // A named profile means no other source.
    const isNamed = this.#value("AWS_PROFILE") !== undefined;
    const found = this.#webIdentity(false) ?? this.profile(isNamed) ?? this.#container(false);
    if (found !== undefined || isNamed) return found;
    if (this.#value("AWS_EC2_METADATA_DISABLED")?.toLowerCase() === "true") {
      this.#missing("no AWS credentials were found, and AWS_EC2_METADATA_DISABLED is set");
      return undefined;
    }
    this.#reading.warning(
      this.#at,
      `no AWS credentials were found in the environment or in ${this.#file()}: those of the EC2 instance's role are used`,
      { hint: `${HOW}, or write credential: {type: aws, source: instance} on an EC2 instance` },
    );
    return { from: "instance" };
  }

  chosen(source: SourceName): AwsSource | undefined {
    if (source === "environment") return this.#environment();
    if (source === "web_identity") return this.#webIdentity(true);
    if (source === "container") return this.#container(true);
    return source === "profile" ? this.profile(true) : { from: "instance" };
  }

  #environment(): AwsSource | undefined {
    const missing = [KEY_ID, SECRET].filter((name) => this.#value(name) === undefined);
    if (missing.length === 0) return { from: "environment" };
    this.#missing(`the environment variable ${missing.join(" and ")} is not set`);
    return undefined;
  }

  #webIdentity(isRequired: boolean): AwsSource | undefined {
    const file = this.#value("AWS_WEB_IDENTITY_TOKEN_FILE");
    const arn = this.#value("AWS_ROLE_ARN");
    if (file !== undefined && arn !== undefined) {
      const sessionName = this.#value("AWS_ROLE_SESSION_NAME") ?? "gateway";
      return { from: "web_identity", file: resolve(file), role: { arn, sessionName } };
    }
    if (isRequired) {
      const missing = file === undefined ? "AWS_WEB_IDENTITY_TOKEN_FILE" : "AWS_ROLE_ARN";
      this.#missing(`the environment variable ${missing} is not set`, IN_PODS);
    }
    return undefined;
  }

  #container(isRequired: boolean): AwsSource | undefined {
    const names = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"];
    if (names.some((name) => this.#value(name) !== undefined)) return { from: "container" };
    if (isRequired) this.#missing(`neither ${names.join(" nor ")} is set`, IN_TASKS);
    return undefined;
  }

  /** @param isRequired whether a problem is reported if the file does not have the profile */
  profile(isRequired: boolean): AwsSource | undefined {
    const file = this.#file();
    const profile = this.#written.profile ?? this.#value("AWS_PROFILE") ?? "default";
    const found = { from: "profile", file, profile } as const;
    if (this.#reading.machine === undefined) return isRequired ? found : undefined;
    const place = isRequired ? this.#place() : undefined;
    const text = readFileOf(this.#reading, place, file);
    if (text === undefined) return undefined;
    const keys = keysOfProfile(text, profile);
    if (keys?.has("aws_access_key_id") && keys.has("aws_secret_access_key")) return found;
    if (isRequired) this.#reportProfile(file, profile, keys);
    return undefined;
  }

  #reportProfile(file: string, profile: string, keys: ReadonlySet<string> | undefined): void {
    const message =
      keys === undefined
        ? `${file} has no profile [${profile}]`
        : `the profile [${profile}] in ${file} has no aws_access_key_id and aws_secret_access_key`;
    const hint =
      "for a profile of SSO or credential_process, export its keys: aws configure export-credentials --format env";
    this.#reading.problem(this.#place(), message, { hint });
  }

  #place(): Path {
    const { profile, credentials_file: file } = this.#written;
    if (profile !== undefined) return [...this.#at, "profile"];
    return file === undefined ? this.#at : [...this.#at, "credentials_file"];
  }

  #file(): string {
    const named = this.#value("AWS_SHARED_CREDENTIALS_FILE") ?? "~/.aws/credentials";
    return resolveFile(this.#reading, this.#written.credentials_file ?? named);
  }

  #value(name: string): string | undefined {
    return this.#reading.environment[name] || undefined;
  }

  #missing(message: string, hint = HOW): void {
    this.#reading.problem(this.#at, message, { hint });
  }
}

const HOW =
  "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or put them into ~/.aws/credentials with `aws configure`";

const IN_PODS = "EKS sets it in pods whose service account has a role (eks.amazonaws.com/role-arn)";
const IN_TASKS = "ECS sets it in tasks with a role, EKS in pods with Pod Identity";

/** Returns the names in a section of an INI file; undefined if it has no such section. */
function keysOfProfile(text: string, profile: string): ReadonlySet<string> | undefined {
  let found: Set<string> | undefined;
  let isInside = false;
  for (const line of text.split("\n")) {
    const section = /^\s*\[\s*(?:profile\s+)?([^\]]+?)\s*\]/.exec(line)?.[1];
    if (section !== undefined) {
      isInside = section === profile;
      if (isInside) found ??= new Set();
    } else if (isInside) {
      const name = /^\s*([\w.-]+)\s*=\s*\S/.exec(line)?.[1];
      if (name !== undefined) found?.add(name.toLowerCase());
    }
  }
  return found;
}
