// An npm registry on this machine that knows the packages of package-lock.json, at their versions: npm finds their files in its
// cache by their checksums, where `npm ci` has put them, so that an installation needs no network. What is not in the cache
// comes from the configured registry, by a redirect.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

interface LockedPackage extends Record<string, unknown> {
  name?: string;
  version: string;
  integrity: string;
}

/** Members of a version that npm reads from the lock file as well. */
const MEMBERS = ["dependencies", "optionalDependencies", "peerDependencies"].concat([
  "peerDependenciesMeta",
  "bin",
  "engines",
  "os",
  "cpu",
  "hasInstallScript",
]);

export interface LockRegistry {
  url: string;
  /** Paths of the files that were not in npm's cache. */
  redirected: string[];
  close: () => void;
}

/** @param upstream the configured registry */
export async function startLockRegistry(lockFile: string, upstream: string): Promise<LockRegistry> {
  const { packages } = JSON.parse(readFileSync(lockFile, "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  const redirected: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "").slice(1);
    if (path.endsWith(".tgz")) {
      redirected.push(path);
      response.writeHead(307, { location: new URL(path, upstream).href }).end();
      return;
    }
    const versions = versionsOf(packages, path, url);
    // Nothing of this registry is kept in npm's cache.
    response.writeHead(versions.length === 0 ? 404 : 200, {
      "content-type": "application/json",
      "cache-control": "no-store",
    });
    const latest = versions.at(-1)?.version;
    response.end(
      JSON.stringify({
        name: path,
        "dist-tags": { latest },
        versions: Object.fromEntries(versions.map((one) => [one.version, one])),
      }),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  return {
    url,
    redirected,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function versionsOf(packages: Record<string, LockedPackage>, name: string, url: string) {
  const file = name.slice(name.lastIndexOf("/") + 1);
  return Object.entries(packages)
    .filter(([path, locked]) => (locked.name ?? nameOf(path)) === name)
    .map(([, locked]) => ({
      name,
      version: locked.version,
      ...Object.fromEntries(MEMBERS.map((member) => [member, locked[member]])),
      dist: {
        integrity: locked.integrity,
        tarball: `${url}${name}/-/${file}-${locked.version}.tgz`,
      },
    }));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}
