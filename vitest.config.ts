// The test rings as vitest projects: `npm run test:unit` runs the first alone, `npm test` runs them all.
import { defineConfig } from "vitest/config";

/** Where `.ci/run` wants the results as JSON; unset for everybody else. */
const resultsFile = process.env["GATEWAY_TEST_RESULTS"];

/** One ring. Rings with the same order run at the same time; the fast ones come first, so that they fail first. */
function ring(name: string, include: string[], order: number, seconds: number) {
  return {
    extends: true as const,
    test: {
      name,
      include,
      sequence: { groupOrder: order },
      testTimeout: seconds * 1000,
      hookTimeout: seconds * 1000,
    },
  };
}

/** The Helm chart. What takes time is building helm once, in the global set-up. */
function chart() {
  const { extends: inherits, test } = ring("deploy", ["test/deploy/**/*.test.ts"], 5, 60);
  return { extends: inherits, test: { ...test, globalSetup: ["test/deploy/global-setup.ts"] } };
}

/** The image. Building it anew takes two minutes; what a container does here is a matter of seconds. */
function containers() {
  const { extends: inherits, test } = ring("container", ["test/container/**/*.test.ts"], 6, 120);
  return {
    extends: inherits,
    test: {
      ...test,
      hookTimeout: 600_000,
      globalSetup: ["test/container/global-setup.ts"],
      env: {
        TESTCONTAINERS_RYUK_DISABLED: "true", // its image may not be had, and the tests clear up themselves
        TESTCONTAINERS_HOST_OVERRIDE: "127.0.0.1",
      },
    },
  };
}

export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters:
      resultsFile === undefined ? ["default"] : ["default", ["json", { outputFile: resultsFile }]],
    projects: [
      ring("unit", ["test/{unit,config,host,providers}/**/*.test.ts"], 0, 20),
      ring("exchanges", ["test/{exchanges,fuzz}/**/*.test.ts"], 1, 60),
      ring("cli", ["test/cli/**/*.test.ts"], 2, 60),
      ring("envoy", ["test/envoy/**/*.test.ts"], 3, 60),
      ring("sdk", ["test/sdk/**/*.test.ts"], 4, 120),
      chart(),
      ring("soak", ["test/soak/**/*.test.ts"], 5, 60),
      containers(),
    ],
  },
});
