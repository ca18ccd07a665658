/** Labels that Kubeloom sets on nodes, and whether the user may override each: the only list of them. */
import { trimmedEnd } from './trimmed-end.ts';

/** Labels by which users hold a node while something on it must not be disturbed. */
export const lockLabels = ['kubeloom.dev/upgrade-lock', 'claudie.io/upgrade-lock'] as const;

/** Whether a user holds the node with these labels. */
export function isLocked(labels: Readonly<Record<string, string>>): boolean {
  return lockLabels.some((label) => labels[label] !== undefined);
}

/** Longhorn's own label for nodes that have a disk of it. On a pool with taints: Longhorn runs on its nodes all the same. */
const storageLabel = 'node.longhorn.io/create-default-disk';

/** Whether the user wants Longhorn on the pool with these labels, whatever its taints are. */
export function takesStorage(labels: Readonly<Record<string, unknown>>): boolean {
  return labels[storageLabel] === 'true';
}

/** Keys that users of Claudie's manifests select by. */
export const labelKeys = {
  nodePool: 'claudie.io/nodepool',
  provider: 'claudie.io/provider',
  providerInstance: 'claudie.io/provider-instance',
  nodeType: 'claudie.io/node-type',
  spot: 'claudie.io/spot',
  region: 'topology.kubernetes.io/region',
  zone: 'topology.kubernetes.io/zone',
  os: 'kubernetes.io/os',
  operatingSystem: 'v1.kubeone.io/operating-system',
} as const;

/** On static pools only the user can know these. */
const places: readonly string[] = [labelKeys.provider, labelKeys.providerInstance, labelKeys.region, labelKeys.zone];
const reserved: ReadonlySet<string> = new Set(Object.values(labelKeys));

/** True when a label of the user's is ignored, because Kubeloom decides about it on pools of this kind. */
export function isReservedLabel(key: string, kind: 'dynamic' | 'static'): boolean {
  const onNode = labelText(key);
  return reserved.has(onNode) && !(kind === 'static' && places.includes(onNode));
}

/** A key or value as Kubernetes accepts it: lower case; white space, `:` and `_` become `-`. */
export function labelText(text: string): string {
  return text.toLowerCase().replaceAll(/[\s:_]/g, '-');
}

/** The same of any text, such as a region: Kubernetes refuses a node with a value of other letters, ends or lengths. */
export function labelValueText(text: string): string {
  const letters = labelText(text)
    .replaceAll(/[^a-z0-9.-]/g, '-')
    .replace(/^[.-]+/, '');
  return trimmedEnd(letters.slice(0, 63), '.-');
}
