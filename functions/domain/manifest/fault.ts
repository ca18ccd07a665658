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
});
export type Fault = z.infer<typeof Fault>;

/** `['spec', 'nodes', 1, 'a b']` → `spec.nodes[1]["a b"]`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const key = String(part);
      if (!/^[A-Za-z_][\w-]*$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join('');
}
