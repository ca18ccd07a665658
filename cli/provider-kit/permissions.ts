/** `permissions.json` of a provider type: what its credentials must be allowed to do, in the cloud's own words. */
import { z } from 'zod';

const permissions = z.array(z.string().trim().min(1));

export const Permissions = z.strictObject({
  /** Resource type → what making, reading, changing and removing one needs. */
  resources: z.record(z.string(), permissions),
  /** Data source → what reading it needs. */
  data: z.record(z.string(), permissions).default({}),
  /** What the plugin needs for itself, e.g. to ask who it is. */
  always: permissions.default([]),
});
export type Permissions = z.infer<typeof Permissions>;

/** All permissions that `used` resource types and data sources need, each once, sorted. */
export function permissionsFor(
  table: Permissions,
  used: { readonly resources: readonly string[]; readonly data: readonly string[] },
): readonly string[] {
  const needed = [
    ...table.always,
    ...used.resources.flatMap((type) => table.resources[type] ?? []),
    ...used.data.flatMap((type) => table.data[type] ?? []),
  ];
  return [...new Set(needed)].sort();
}
