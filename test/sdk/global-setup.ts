// Once for all tests of the SDKs: installs those of Python, which takes a minute the first time.
import { pythonSdks } from "./python.ts";

export async function setup(): Promise<void> {
  try {
    await pythonSdks();
  } catch (error) {
    // The tests that need them fail with the same reason; the other rings run.
    console.log(`· ${String(error)}`);
  }
}
