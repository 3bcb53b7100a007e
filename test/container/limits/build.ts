// The images of compose's profile `limits`, from what this machine has: redis of Debian's package, and the service that Go has built.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureRateLimitService } from "../../../scripts/rate-limit-service.ts";
import { baseImage, run } from "../docker.ts";

export const REDIS_IMAGE = "gateway-redis:test";
export const RATELIMIT_IMAGE = "gateway-ratelimit:test";

/** Throws with docker's words when one cannot be built. */
export async function buildLimits(): Promise<void> {
  const { service } = ensureRateLimitService(process.env, console.error);
  const base = await baseImage();
  const context = mkdtempSync(join(tmpdir(), "gateway-limits-"));
  try {
    copyFileSync(join(import.meta.dirname, "Dockerfile"), join(context, "Dockerfile"));
    copyFileSync(service, join(context, "service_cmd"));
    for (const [target, tag] of [
      ["redis", REDIS_IMAGE],
      ["ratelimit", RATELIMIT_IMAGE],
    ] as const) {
      // Any client has the old builder, which is enough here.
      const options = ["--build-arg", `BASE_IMAGE=${base}`, "--target", target, "--tag", tag];
      const words = ["build", "--network", "host", ...options, context];
      const { code, stderr } = await run("docker", words, { DOCKER_BUILDKIT: "0" });
      if (code !== 0) throw new Error(stderr);
    }
  } finally {
    rmSync(context, { recursive: true });
  }
}
