/** The run that a path names. */
import type { ManifestKey, RunRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import type { Deps } from '../ports.ts';

/** Throws `NotFound`. */
export async function storedRun(
  deps: Pick<Deps, 'runs'>,
  path: ManifestKey & { readonly run: string },
): Promise<RunRecord> {
  const run = await deps.runs.get(path, path.run);
  if (run) return run;
  throw new PipelineError('NotFound', `manifest "${path.name}" has no run "${path.run}"; list its runs to see them`);
}
