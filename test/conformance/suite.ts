// What the page says of a run of a public suite.

export interface Failure {
  test: string;
  reason: string;
}

export interface SuiteRun {
  suite: string;
  /** Of the package, or the commit of the suite whose scenarios we run. */
  version: string;
  /** Where the suite can be read. */
  source: string;
  /** What was tested: the client's format and the provider's, or a revision. */
  subject: string;
  passed: number;
  /** Why each of them fails is in KNOWN_FAILURES (suites.ts). */
  failed: Failure[];
  /** Tests of what the gateway does not offer. */
  notOffered: string[];
}
