// What messages call the command line: as the user does, so that a hint can be copied.
import { expect, it } from "vitest";
import {
  CALLED_AS,
  commandFor,
  commandName,
} from "../../../../control-plane/report/command-name.ts";

it.each([
  ["on PATH", { [CALLED_AS]: "gateway" }, "gateway"],
  ["in a checkout", { [CALLED_AS]: "bin/gateway" }, "bin/gateway"],
  ["by an npm script of the checkout", { npm_package_name: "gateway" }, "bin/gateway"],
  ["in a container, where nothing says how", {}, "gateway"],
])("%s", (_, environment, name) => {
  expect(commandName(environment)).toBe(name);
  expect(commandFor("status", environment)).toBe(`${name} status`);
  expect(commandFor("up my.yaml", environment)).toBe(`${name} up my.yaml`);
});

it("npm start starts, and other commands are bin/gateway's", () => {
  const environment = { npm_lifecycle_event: "start", npm_package_name: "gateway" };
  expect(commandFor("up my.yaml", environment)).toBe("npm start -- my.yaml");
  expect(commandFor("down my.yaml", environment)).toBe("bin/gateway down my.yaml");
});
