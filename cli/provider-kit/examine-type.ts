/** The static part of the kit: everything that can be checked of a provider type without Terraform and without a plugin. */
import { checkDescriptions } from './check-descriptions.ts';
import { checkInterface, checkOutputs } from './check-interface.ts';
import { checkModules } from './check-modules.ts';
import { checkChanges, checkFirewall, checkNodeResources, checkTags } from './check-resources.ts';
import { checkNames, type Finding } from './finding.ts';
import type { TypeSource } from './type-source.ts';

/** All findings, in the order of `checkNames`. */
export function examineType(source: TypeSource): readonly Finding[] {
  const findings = [
    checkDescriptions,
    checkModules,
    checkFirewall,
    checkInterface,
    checkNodeResources,
    checkChanges,
    checkTags,
    checkOutputs,
  ].flatMap((check) => [...check(source)]);
  const order = Object.keys(checkNames);
  return findings.toSorted((a, b) => order.indexOf(a.check) - order.indexOf(b.check));
}
