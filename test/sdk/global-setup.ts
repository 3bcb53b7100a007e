// Once for all tests of the SDKs: installs those of Python, which takes a minute the first time.
import { pythonPackages } from "./python.ts";

export function setup(): void {
  try {
    pythonPackages();
  } catch (error) {
    // The tests that need them fail with the same reason; the other rings run.
    console.log(`· ${String(error)}`);
  }
}
