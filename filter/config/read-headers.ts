// Reads the headers that the configuration adds to requests; their secrets come from the environment.
import { Tape } from "../bytes/json/tape";
import { constant, Span } from "../bytes/text/bytes";
import { MIN_SECRET } from "../bytes/text/mask";
import { onlyKnownMembers, optionalString, reportProblem, stringMember } from "./document";
import { ProviderHeader } from "./target";

/**
 * Appends the headers of a list to `headers`, with every reference replaced by its variable's value, and appends the
 * values to `secrets`.
 */
export function readHeaders(
  tape: Tape,
  list: u32,
  environment: Map<string, string>,
  headers: ProviderHeader[],
  secrets: Span[],
): void {
  const end = tape.next(list);
  for (let node = tape.first(list); node < end; node = tape.next(node)) {
    onlyKnownMembers(tape, node, constant("name parts"));
    const name = stringMember(tape, node, constant("name"));
    const parts = tape.member(node, constant("parts"));
    let value = "";
    const stop = tape.next(parts);
    for (let part = tape.first(parts); part < stop; part = tape.next(part)) {
      value += optionalString(tape, part, constant("text"));
      const variable = optionalString(tape, part, constant("environment"));
      if (variable.length == 0) continue;
      if (environment.has(variable)) {
        const secret = environment.get(variable);
        value += secret;
        addSecret(secrets, secret);
      } else
        reportProblem(
          "the environment variable '" +
            variable +
            "' of header '" +
            name +
            "' is not set for Envoy",
        );
    }
    headers.push(new ProviderHeader(constant(name), constant(value)));
  }
}

/** Adds a value that is masked wherever a response contains it. */
export function addSecret(secrets: Span[], value: string): void {
  const secret = constant(value);
  if (secret.length >= MIN_SECRET) secrets.push(secret);
}
