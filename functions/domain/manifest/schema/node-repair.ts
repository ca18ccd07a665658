/** `repair` of a dynamic pool: what is done about nodes that are not ready, or whose machines are gone. */
import { z } from 'zod';
import { intervalMinutes } from './drift-checks.ts';
import { shown } from './names.ts';

/** From `5m` to `24h`. */
const Time = z.string().refine(
  (text) => {
    const minutes = intervalMinutes(text);
    return minutes !== undefined && minutes >= 5 && minutes <= 24 * 60;
  },
  {
    error: (issue) =>
      `${shown(issue.input)} is not a time between 5 minutes and 24 hours; use a number with m or h, such as "10m"`,
  },
);

const few = z.int().min(1, { error: 'is less than 1; use 1 or more, or `onUnhealthy: report`' }).max(255);

export const NodeRepair = z.strictObject({
  onUnhealthy: z
    .enum(['report', 'replace'])
    .default('report')
    .describe('`report`: reports unhealthy nodes. `replace`: also replaces them; what is on their disks is lost.'),
  after: Time.default('10m').describe('How long a node has to be unhealthy, in two checks, before it is replaced.'),
  startAfter: Time.default('20m').describe('How long a new node may take to become ready.'),
  atOnce: few.default(1).describe('Nodes of the pool that may be replaced at once.'),
  perHour: few.default(2).describe('Replacements of the pool within an hour.'),
  maxUnhealthy: z
    .string()
    .refine((share) => /^([1-9]\d?|100)%$/.test(share), {
      error: (issue) => `${shown(issue.input)} is not a share of the pool; use 1% to 100%, such as "40%"`,
    })
    .default('40%')
    .describe('If more of the pool is unhealthy, nothing is replaced; one node may always be unhealthy.'),
});
export type NodeRepair = z.infer<typeof NodeRepair>;
