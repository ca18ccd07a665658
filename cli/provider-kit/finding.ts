/** What the kit has to say about a provider type: one sentence about one thing, and what to do. */

export interface Finding {
  /** A fault must be mended; a warning is for judging. */
  readonly severity: 'fault' | 'warning';
  /** Which part of the contract. */
  readonly check: CheckName;
  /** File or thing it is about, relative to the directory of the type. */
  readonly place: string;
  readonly message: string;
  readonly fix: string;
}

/** The parts of the contract that need no Terraform, in the order in which they are told. */
export const checkNames = {
  descriptions: 'provider.json and permissions.json are valid and fit the modules',
  modules: 'modules are there, readable, and free of what only the root may say',
  interface: 'variables and outputs are those of the contract',
  nodes: 'resources of a pool are keyed by var.nodes',
  changes: 'no change of tags, image or first boot replaces or alters what works',
  tags: 'tags are put on what can carry them',
  outputs: 'no secret is in an output',
} as const;
export type CheckName = keyof typeof checkNames;

type Told = Omit<Finding, 'severity' | 'check'>;
export const fault = (check: CheckName, reported: Told): Finding => ({ severity: 'fault', check, ...reported });
export const warning = (check: CheckName, reported: Told): Finding => ({ severity: 'warning', check, ...reported });
