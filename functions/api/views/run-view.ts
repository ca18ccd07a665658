/** A run as it is shown: images of runners name accounts and registries, and are of use to the pipeline alone. */
import type { Run } from '#contracts/api-bodies.ts';
import type { RunRecord } from '#contracts/records.ts';

export const shownRun = ({ runners: _, ...run }: RunRecord): Run => run;
