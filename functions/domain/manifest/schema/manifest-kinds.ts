/** Kinds of documents that a cluster is made from. */
export const manifestKinds = ['InputManifest', 'MachineGroups'] as const;
export type ManifestKind = (typeof manifestKinds)[number];
