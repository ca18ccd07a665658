/** What a release runs stages with, noted when a run starts: an upgrade of Kubeloom in the meantime changes neither tools nor templates of that run. */
import { z } from 'zod';

export const RunnerRelease = z.strictObject({
  /** Version of the input of runners (`job-contract.ts`): runners of another release can read it if this is equal. */
  contract: z.string(),
  /** Tool to image: a name that is never given to another image. */
  images: z.record(z.string(), z.string()),
});
export type RunnerRelease = z.infer<typeof RunnerRelease>;
