/** What is wrong with a document: where, why, and what to do about it. */
import { z } from 'zod';

export const Fault = z.strictObject({
  /** Place in the document, e.g. `spec.nodePools.dynamic[1].count`; empty for the document as a whole. */
  path: z.string(),
  /** What is wrong, a sentence without full stop. */
  reason: z.string(),
  /** What to do. */
  fix: z.string(),
  severity: z.enum(['error', 'warning']),
  /** Warnings only: the word by which it can be accepted. */
  id: z.string().optional(),
  /** Place in the text it was read from, counted from 1, where that is known. */
  line: z.int().optional(),
  column: z.int().optional(),
});
export type Fault = z.infer<typeof Fault>;

/** More are not reported: no one reads that many, and the answer must not become larger than the request. */
export const mostFaults = 100;

/** The first faults of a list, and how many more there are. */
export function firstFaults(faults: readonly Fault[], most = mostFaults): readonly Fault[] {
  if (faults.length <= most) return faults;
  const more = error([], `and ${faults.length - Math.max(0, most)} more faults`, 'correct these first');
  return [...faults.slice(0, Math.max(0, most)), more];
}

/** A fault that must be fixed before the document is accepted. */
export function error(path: readonly PropertyKey[], reason: string, fix: string): Fault {
  return { path: pathText(path), reason, fix, severity: 'error' };
}

/** Warnings that the annotation `kubeloom.dev/accept` may name. */
export const acceptableWarnings = [
  'single-control-node',
  'even-control-nodes',
  'no-compute-pool',
  'no-network-addon',
  'no-cluster',
  'single-api-load-balancer',
  'distant-api-load-balancer',
  'empty-load-balancer',
  'repeated-zone',
  'unused-role',
  'empty-role-target',
  'unused-storage-disk',
  'no-storage-node',
  'reserved-label',
  'repeated-taint',
  'public-network',
  'address-of-services',
  'foreign-proxy',
  'empty-secret',
  'keyless-login',
  'lasting-key',
  'nothing-scales',
  'unknown-capacity',
  'unknown-price',
  'unused-property',
  'unknown-region',
  'unknown-zone',
  'unknown-server-type',
  'unknown-image',
  'ended-image',
  'wrong-architecture',
  'foreign-zone',
] as const;
/** The others are about things that would be destroyed or are not understood: they stay. */
export type WarningId = (typeof acceptableWarnings)[number] | 'cluster-renamed' | 'unknown-warning';

/** Something that is valid but unwise. */
export function warning(id: WarningId, path: readonly PropertyKey[], reason: string, fix: string): Fault {
  return { path: pathText(path), reason, fix, severity: 'warning', id };
}

/** `['spec', 'nodes', 1, 'a b']` → `spec.nodes[1]["a b"]`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const key = String(part);
      if (!/^[A-Za-z_$][\w-]*$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join('');
}

/** Reads what `pathText` wrote. */
export function parsePath(text: string): (string | number)[] {
  const parts = text.matchAll(/\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\.?([A-Za-z_$][\w-]*)/g);
  return [...parts].map(([, index, quoted, key]) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? String(key) : String(JSON.parse(quoted));
  });
}
