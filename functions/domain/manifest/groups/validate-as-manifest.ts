/** Validates a document of any kind of manifest by the rules of its kind. */
import type { ValidationContext } from '../rules/manifest-index.ts';
import type { InputManifest } from '../schema/input-manifest.ts';
import { type ManifestVerdict, validateManifest } from '../validate-manifest.ts';
import { isGroups } from './groups-as-manifest.ts';
import type { MachineGroups } from './machine-groups.ts';
import { validateMachineGroups } from './validate-machine-groups.ts';

export interface VerdictAsManifest extends ManifestVerdict {
  /** The document in its own kind, with its defaults; absent when there are faults. */
  readonly document?: InputManifest | MachineGroups;
}

/** What is no MachineGroups is judged as an InputManifest. Never throws. */
export function validateAsManifest(document: unknown, context: ValidationContext): VerdictAsManifest {
  if (isGroups(document)) return validateMachineGroups(document, context);
  const verdict = validateManifest(document, context);
  return { ...verdict, ...(verdict.manifest && { document: verdict.manifest }) };
}
