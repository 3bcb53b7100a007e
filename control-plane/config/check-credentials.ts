// Credentials in the whole configuration: which variables the filter needs, and that no key is used where it would leak.
import { credentialName, secretVariableOf, tokensOf } from "../../model/cloud-credentials.ts";
import { keyVariables } from "../../model/client-keys.ts";
import type { GatewayModel } from "../../model/model.ts";
import { variablesOf } from "../../model/tracing.ts";
import { refuseKeysElsewhere } from "./diagnostics/reference-problems.ts";
import { refuseSharedKeys } from "./listener/listener-api-keys.ts";
import { warnOfOpenListeners } from "./listener/open-listeners.ts";
import { listeners } from "./sections/listeners.ts";
import type { Load } from "./section.ts";
import type { Substitution } from "./substitute.ts";

/** Reports keys in the wrong places; returns the names of the variables that the filter needs, sorted. */
export function checkCredentials(
  { reading, part }: Load,
  { ingress, egress, targets, prompt, observability, redis, tracing }: GatewayModel,
  draft: unknown,
  substitution: Substitution,
): string[] {
  const providerKeys = targets.flatMap(({ auth }) => [
    ...(auth.environmentVariable === undefined ? [] : [auth.environmentVariable]),
    ...(auth.otherVariables ?? []),
  ]);
  const serverKeys = prompt?.modelServer.environment ?? [];
  const cloudKeys = tokensOf(targets).flatMap(({ source }) => secretVariableOf(source) ?? []);
  const clientKeys = keyVariables([ingress, egress]);
  const token = observability?.metrics.tokenVariable;
  const ownKeys = [
    ...(token === undefined ? [] : [token]),
    ...(redis !== undefined && "variable" in redis.url ? [redis.url.variable] : []),
    ...variablesOf(tracing?.headers),
    ...variablesOf(observability?.otlp?.headers),
  ];
  refuseKeysElsewhere(
    reading,
    substitution,
    draft,
    new Set([...providerKeys, ...serverKeys, ...clientKeys, ...cloudKeys, ...ownKeys]),
  );
  const inHeaders = [...targets, ...(prompt?.targets ?? [])]
    .flatMap(({ headers }) => headers.flatMap(({ parts }) => parts))
    .flatMap((header) => ("environment" in header ? header.environment : []));
  const sent = [...providerKeys, ...inHeaders];
  const isCloud = targets.some(({ auth }) => credentialName(auth) !== undefined);
  if (sent.length > 0 || isCloud) warnOfOpenListeners(reading, [ingress, egress]);
  refuseSharedKeys(reading, part(listeners), new Set([...sent, ...serverKeys, ...cloudKeys]));
  return [...new Set([...sent, ...clientKeys])].sort();
}
