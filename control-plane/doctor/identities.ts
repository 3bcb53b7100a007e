// The check of cloud identities with `--online`: each access token that the gateway would request is requested once.
import type { Environment } from "../report/environment.ts";
import { minter } from "../credentials/mint.ts";
import { reasonOf } from "../credentials/refresher.ts";
import { type CloudCredential, sourceText, tokensOf } from "../../model/cloud-credentials.ts";
import { type Finding, findingsOf } from "./finding.ts";

/** AWS credentials are not tried: Envoy reads them and signs with them. */
export async function checkIdentities(
  { targets }: { targets: readonly { auth: CloudCredential }[] },
  environment: Environment,
): Promise<Finding[]> {
  const { ok, problem } = findingsOf("keys");
  return Promise.all(
    tokensOf(targets).map(async ({ source }) => {
      const where = sourceText(source);
      try {
        const { expiresAt } = await minter(source, environment)();
        return ok(`${where}: a token until ${new Date(expiresAt).toISOString()}`);
      } catch (error) {
        return problem(
          `${where}: no access token (${reasonOf(error)})`,
          "check `credential` of these models (docs/credentials.md)",
        );
      }
    }),
  );
}
