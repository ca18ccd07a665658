/** How a roll-out proceeds: its waves, the pause after each, and how much may fail. */
import { z } from 'zod';

/** Limit of one roll-out: the history of one execution has room for so many. */
export const mostClusters = 500;

const percent = /^([1-9]\d?|100)%$/;
const Wave = z.union([z.int().min(1).max(mostClusters), z.string().regex(percent)], {
  error: `is neither a number of clusters (1 to ${mostClusters}) nor a share of them ("10%")`,
});
const Soak = z.string().regex(/^\d{1,4}[smh]$/, 'is not a time; write it like 90s, 30m or 2h');

export const RollOutSettings = z.strictObject({
  waves: z
    .array(Wave)
    .min(1, { error: 'is empty; write one wave at least' })
    .max(20)
    .describe('How many clusters, or which share of them, are done after each wave; the rest is a last one.'),
  soak: Soak.describe('How long a wave is watched before the next one starts.'),
  maxFailed: z
    .int()
    .min(1)
    .max(mostClusters)
    .describe(
      'The roll-out stops when this many clusters have failed; it never runs more clusters at once than may still fail.',
    ),
});
export type RollOutSettings = z.infer<typeof RollOutSettings>;

export const defaultRollOut: RollOutSettings = { waves: [1, '10%', '100%'], soak: '30m', maxFailed: 1 };

export function soakSecondsOf({ soak }: Pick<RollOutSettings, 'soak'>): number {
  const seconds = { s: 1, m: 60, h: 3600 }[soak.slice(-1)] ?? 1;
  return Number(soak.slice(0, -1)) * seconds;
}

/** The number of the wave that each of so many clusters is in, from 0 on. Waves that add no cluster are left out. */
export function waveNumbers(clusters: number, { waves }: Pick<RollOutSettings, 'waves'>): readonly number[] {
  const ends = [...waves.map((wave) => endOf(wave, clusters)), clusters];
  const kept = ends.filter((end, index) => end > Math.max(0, ...ends.slice(0, index)));
  return Array.from({ length: clusters }, (_, place) => kept.findIndex((end) => place < end));
}

function endOf(wave: RollOutSettings['waves'][number], clusters: number): number {
  if (typeof wave === 'number') return Math.min(wave, clusters);
  return Math.ceil((clusters * Number(wave.slice(0, -1))) / 100);
}

/** Those among the fields of a request or document. */
export function settingsIn({ waves, soak, maxFailed }: Partial<RollOutSettings>): Partial<RollOutSettings> {
  return { ...(waves && { waves }), ...(soak && { soak }), ...(maxFailed && { maxFailed }) };
}
