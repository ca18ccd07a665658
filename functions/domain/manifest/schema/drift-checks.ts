/** `spec.driftChecks`: how often Kubeloom checks for drift, and whether it reports or repairs it. */
import { z } from 'zod';
import { shown } from './names.ts';

const minutesOf = { m: 1, h: 60, d: 24 * 60 } as const;
/** As `after` of a pool with `repair`, unless it says otherwise: a more frequent check would replace nothing sooner. */
const shortest = 10;
const longest = 30 * 24 * 60;

/** Minutes of `10m`, `6h` or `7d`; undefined for `off`. */
export function intervalMinutes(interval: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(interval) ?? [];
  return count === undefined ? undefined : Number(count) * minutesOf[unit as keyof typeof minutesOf];
}

export const DriftChecks = z.strictObject({
  interval: z
    .string()
    .refine(
      (interval) => {
        const minutes = intervalMinutes(interval);
        return interval === 'off' || (minutes !== undefined && minutes >= shortest && minutes <= longest);
      },
      {
        error: (issue) =>
          `${shown(issue.input)} is not an interval between 10 minutes and 30 days; use a number with m, h or d, such as "6h", or "off"`,
      },
    )
    .default('6h')
    .describe('Time between two checks: a number with `m`, `h` or `d`, from `10m` to `30d`; `off`: no checks.'),
  onDrift: z
    .enum(['report', 'repair'])
    .default('report')
    .describe('`report`: reports drift and changes nothing. `repair`: also repairs it, once for each check.'),
  onExpiry: z
    .enum(['renew', 'report'])
    .optional()
    .describe(
      'Certificates of the control plane that are about to end. `renew` (default): renews them, one control node after the other, also with `onDrift: report`; a cluster with one control node does not answer for some seconds meanwhile. `report`: reports them only.',
    ),
  strays: z
    .enum(['report', 'quarantine', 'delete'])
    .optional()
    .describe(
      'Machines with the tags of the cluster that Kubeloom does not know. `report` (default): reports them, also with `onDrift: repair`. `quarantine`: stops them, where the provider type can, and keeps them until a person deletes them. `delete`: deletes them, where the provider type can. Local hosts that are not in quarantine are always deleted with the next change.',
    ),
});
export type DriftChecks = z.infer<typeof DriftChecks>;
