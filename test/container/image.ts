// The images that the global set-up has built, for the hooks of the tests that use them.
import { inject } from "vitest";

/** Throws with the reason when the set-up could not build them. */
export function requireImages(): void {
  const problem = inject("imageProblem");
  if (problem !== "") throw new Error(problem);
}
