// The test rings as vitest projects: `npm run test:unit` runs the first alone, `npm test` runs them all.
import { defineConfig } from "vitest/config";
import { RingRecorder } from "./test/conformance/ring-results.ts";

/** Where `.ci/run` wants the results as JSON; unset for everybody else. */
const resultsFile = process.env["GATEWAY_TEST_RESULTS"];

/** Limits, not expectations: a machine that does other things beside the tests may be ten times slower. */
const TEST_MS = 180_000;
const HOOK_MS = 300_000;

/** Rings that run at the same time, so that the processors are not idle while the last file of each ends. */
interface Group {
  /** The fast rings come first, so that they fail first. */
  order: number;
  /** Test files at a time. */
  workers: number;
}

/** They use the processor throughout. */
const FAST: Group = { order: 0, workers: 2 };
/**
 * Their files wait for processes to start, drain and time out for more than half of their time, so that twice as many as there
 * are processors keep two of these busy.
 */
const WAITING: Group = { order: 1, workers: 4 };
const DOCKER: Group = { order: 2, workers: 4 };

function ring(name: string, include: string[], { order, workers }: Group, more: object = {}) {
  return {
    extends: true as const,
    test: {
      name,
      include,
      maxWorkers: workers,
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

/** Programs are fifty times slower while their instructions are counted. */
const COUNTING = { ...setUpBy("instructions"), testTimeout: 4 * TEST_MS };

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
    reporters: [
      "default",
      new RingRecorder(),
      ...(resultsFile === undefined
        ? []
        : [["json", { outputFile: resultsFile }] satisfies [string, object]]),
    ],
    projects: [
      ring("unit", ["test/{unit,config,host,providers}/**/*.test.ts"], FAST, SHARED),
      ring("exchanges", ["test/{exchanges,fuzz}/**/*.test.ts"], FAST, SHARED),
      ring("cli", ["test/cli/**/*.test.ts"], WAITING),
      ring("envoy", ["test/envoy/**/*.test.ts"], WAITING, setUpBy("envoy")),
      ring("sdk", ["test/sdk/**/*.test.ts"], WAITING, setUpBy("sdk")),
      ring("agents", ["test/agents/**/*.test.ts"], WAITING, setUpBy("agents")),
      ring("conformance", ["test/conformance/**/*.test.ts"], WAITING),
      ring("deploy", ["test/deploy/**/*.test.ts"], WAITING, setUpBy("deploy")),
      ring("page", ["test/page/**/*.test.ts"], WAITING, setUpBy("page")),
      ring("instructions", ["test/instructions/**/*.test.ts"], WAITING, COUNTING),
      ring("soak", ["test/soak/**/*.test.ts"], WAITING),
      ring("container", ["test/container/**/*.test.ts"], DOCKER, CONTAINERS),
    ],
  },
});
