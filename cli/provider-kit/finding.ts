/** A finding of the kit about a provider type: one sentence about one thing, and what to do. */

export interface Finding {
  /** A fault must be fixed; a warning is for the author to judge. */
  readonly severity: 'fault' | 'warning';
  /** Which part of the contract. */
  readonly check: CheckName;
  /** File or thing it is about, relative to the directory of the type. */
  readonly place: string;
  readonly message: string;
  readonly fix: string;
}

/** The parts of the contract that need no Terraform, in the order of the report. */
export const checkNames = {
  descriptions: 'provider.json and permissions.json are valid and fit the modules',
  modules: 'modules are there, readable, and free of what only the root may set',
  interface: 'variables and outputs are those of the contract',
  nodes: 'resources of a pool are keyed by var.nodes',
  changes: 'no change of tags, image or first boot replaces or changes what works',
  tags: 'resources that can have tags have them',
  outputs: 'no secret is in an output',
} as const;
export type CheckName = keyof typeof checkNames;

/** Makes the findings of one check about one place. */
export function findingsAbout(check: CheckName, place: string) {
  const made =
    (severity: Finding['severity']) =>
    (message: string, fix: string): Finding => ({ severity, check, place, message, fix });
  return { fault: made('fault'), warning: made('warning') };
}
