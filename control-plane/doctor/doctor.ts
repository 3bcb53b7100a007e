// Runs all checks of `gateway doctor`. Without `isOnline` nothing but names is looked up.
import { count } from "../report/terminal.ts";
import { ConfigurationProblems } from "../config/diagnostics/configuration-problems.ts";
import type { ConfigurationFile } from "../config/diagnostics/configuration-problems.ts";
import type { Problem } from "../report/problem.ts";
import { GatewayError } from "../report/gateway-error.ts";
import type { Environment } from "../report/environment.ts";
import { type Configuration, readConfiguration } from "../supervisor/configuration-file.ts";
import { type Finding, findingsOf } from "./finding.ts";
import { catalogueSources } from "../../model/facts/model-facts.ts";
import { checkDownloads } from "./downloads.ts";
import { checkIdentities } from "./identities.ts";
import { checkKeys, checkProxies } from "./key-checks.ts";
import { checkDescriptors, checkDisks, checkFreePorts, checkVersions } from "./machine.ts";
import { checkAuthorities, checkNames, checkProviders } from "./network-checks.ts";

/** The text was written then: no clock can be behind it. */
const EARLIEST = Date.parse("2026-11-22T00:00:00Z");

/** Returns the findings in the order of the checks. */
export async function examine(
  file: ConfigurationFile,
  environment: Environment,
  { isOnline }: { isOnline: boolean },
): Promise<Finding[]> {
  const machine = [
    ...checkVersions(environment),
    ...(await checkDownloads(environment)),
    ...checkDescriptors(),
    ...checkClock(),
  ];
  const { configuration, findings } = checkConfiguration(file, environment);
  if (configuration === undefined) return [...findings, ...machine];
  const { model, environment: all } = configuration;
  const authorities = checkAuthorities(model, all);
  const [names, ports] = await Promise.all([
    checkNames(model),
    checkFreePorts(model, file.path, all),
  ]);
  const offline = [
    ...checkKeys(model, all),
    ...checkProxies(model, all),
    ...names,
    ...authorities.findings,
    ...ports,
    ...checkDisks(configuration),
  ];
  if (!isOnline) return [...findings, ...machine, ...offline];
  const online = await Promise.all([
    checkIdentities(model, all),
    checkProviders(model, all, authorities.ca),
  ]);
  return [...findings, ...machine, ...offline, ...online.flat()];
}

function checkConfiguration(
  file: ConfigurationFile,
  environment: Environment,
): { configuration?: Configuration; findings: Finding[] } {
  const { ok, warning, problem } = findingsOf("configuration");
  try {
    const configuration = readConfiguration(file, environment);
    const { warnings, model } = configuration;
    const valid = ok(`${file.name} is valid, with ${count(model.targets.length, "model")}`);
    const findings = [valid, ...warnings.map(lineOf(warning)), ...checkCatalogue(new Date())];
    return { configuration, findings };
  } catch (error) {
    if (error instanceof ConfigurationProblems)
      return { findings: error.problems.map(lineOf(problem)) };
    if (error instanceof GatewayError) return { findings: [problem(error.message, error.hint)] };
    throw error;
  }
}

/** Prices and models of half a year ago are old. */
const MAX_AGE_DAYS = 180;
const DAY_MS = 86_400_000;

/** The facts and prices of models that the configuration has been read with. */
function checkCatalogue(now: Date): Finding[] {
  const { ok, warning } = findingsOf("catalogue");
  const packages = catalogueSources().filter(({ sha256 }) => sha256 !== "");
  return packages.map(({ name, version, date, sha256 }) => {
    const days = Math.floor((now.getTime() - Date.parse(date)) / DAY_MS);
    const text = `${name} ${version} of ${date} (SHA-256 ${sha256.slice(0, 16)}…)`;
    if (!(days > MAX_AGE_DAYS)) return ok(text);
    return warning(`${text} is ${count(days, "day")} old`, "Run gateway models --refresh.");
  });
}

function lineOf(make: (message: string, hint?: string) => Finding) {
  return ({ file, line, column, path, message, hint }: Problem): Finding =>
    make(
      `${file}:${String(line)}:${String(column)}: ${path === "" ? "" : `${path}: `}${message}`,
      hint,
    );
}

function checkClock(): Finding[] {
  const { ok, problem } = findingsOf("clock");
  const now = new Date();
  if (now.getTime() >= EARLIEST) return [ok(`it is ${now.toISOString().slice(0, 19)}Z`)];
  return [
    problem(
      `the clock shows ${now.toISOString().slice(0, 10)}, which is past`,
      "synchronise it (timedatectl set-ntp true)",
    ),
  ];
}
