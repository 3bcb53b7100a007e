// The bill of materials of the image or of the npm package, as CycloneDX 1.6. The same parts give the same bytes: no time, no serial number.
import { Enums, Models, Serialize, SPDX, Spec } from "@cyclonedx/cyclonedx-library";
import type { Part } from "./contents.ts";

/** JSON. */
export function billOfMaterials(
  version: string,
  parts: readonly Part[],
  kind = Enums.ComponentType.Container,
): string {
  const { Component, Metadata, Bom } = Models;
  const gateway = new Component(kind, "gateway", {
    version,
    bomRef: "gateway",
    licenses: new Models.LicenseRepository([new Models.SpdxLicense("Apache-2.0")]),
  });
  const components = parts.map((part) => component(part));
  for (const { bomRef } of components) gateway.dependencies.add(bomRef);
  const bom = new Bom({
    metadata: new Metadata({ component: gateway }),
    components: new Models.ComponentRepository(components),
  });
  const normalizers = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const serializer = new Serialize.JsonSerializer(normalizers);
  return `${serializer.serialize(bom, { sortLists: true, space: 1 })}\n`;
}

function component({ kind, name, version, licences, purl, sha256 }: Part): Models.Component {
  const isModel = sha256 !== undefined;
  const type = isModel
    ? Enums.ComponentType.MachineLearningModel
    : name === "envoy"
      ? Enums.ComponentType.Application
      : Enums.ComponentType.Library;
  return new Models.Component(type, name, {
    version,
    purl,
    bomRef: `${kind}:${purl}`,
    licenses: new Models.LicenseRepository(licences.map(licence)),
    ...(isModel
      ? { hashes: new Models.HashDictionary([[Enums.HashAlgorithm["SHA-256"], sha256]]) }
      : {}),
  });
}

/** A licence of SPDX's list by its id; several, or another word, by name: a component may hold one expression only. */
function licence(name: string): Models.License {
  return SPDX.isSupportedSpdxId(name)
    ? new Models.SpdxLicense(name)
    : new Models.NamedLicense(name);
}
