// The test rings as vitest projects: `npm run test:unit` runs the first alone, `npm test` runs them all.
import { defineConfig } from "vitest/config";

/** Where `.ci/run` wants the results as JSON; unset for everybody else. */
const resultsFile = process.env["GATEWAY_TEST_RESULTS"];

/** Limits, not expectations: a machine that does other things beside the tests may be ten times slower. */
const TEST_MS = 180_000;
const HOOK_MS = 300_000;

/**
 * Test files at a time. The fast rings use the processor throughout; files of the others wait for processes to start, drain and
 * time out for more than half of their time, so that twice as many as there are processors keep two of these busy.
 */
const BUSY = 2;
const WAITING = 4;

/** One ring. Rings with the same order run at the same time; the fast ones come first, so that they fail first. */
function ring(name: string, include: string[], order: number, more: object = {}) {
  return {
    extends: true as const,
    test: {
      name,
      include,
      maxWorkers: order < 2 ? BUSY : WAITING,
      sequence: { groupOrder: order },
      testTimeout: TEST_MS,
      hookTimeout: HOOK_MS,
      ...more,
    },
  };
}

/** Their files share the loaded modules, which saves a third of the processor time; none of them may keep state in a module. */
const SHARED = { isolate: false };

/** What a ring needs and a machine may lack is made before its first hook: the Python SDKs, helm, the image … */
function setUpBy(folder: string) {
  return { globalSetup: [`test/${folder}/global-setup.ts`] };
}

const CONTAINERS = {
  ...setUpBy("container"),
  env: {
    TESTCONTAINERS_RYUK_DISABLED: "true", // its image may not be had, and the tests clear up themselves
    TESTCONTAINERS_HOST_OVERRIDE: "127.0.0.1",
  },
};

export default defineConfig({
  test: {
    // Of tests in one file that may run at the same time: they wait for timeouts, not for processors.
    maxConcurrency: 16,
    expect: { poll: { timeout: 60_000 } },
    reporters:
      resultsFile === undefined ? ["default"] : ["default", ["json", { outputFile: resultsFile }]],
    projects: [
      ring("unit", ["test/{unit,config,host,providers}/**/*.test.ts"], 0, SHARED),
      ring("exchanges", ["test/{exchanges,fuzz}/**/*.test.ts"], 1, SHARED),
      ring("cli", ["test/cli/**/*.test.ts"], 2),
      ring("envoy", ["test/envoy/**/*.test.ts"], 3, setUpBy("envoy")),
      ring("sdk", ["test/sdk/**/*.test.ts"], 4, setUpBy("sdk")),
      ring("agents", ["test/agents/**/*.test.ts"], 4, setUpBy("agents")),
      ring("deploy", ["test/deploy/**/*.test.ts"], 4, setUpBy("deploy")),
      ring("soak", ["test/soak/**/*.test.ts"], 4),
      ring("container", ["test/container/**/*.test.ts"], 5, CONTAINERS),
    ],
  },
});
