/** The run that a path names. */
import type { ManifestKey, RunRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { asItStands } from '../pipeline/runs/passed-over.ts';
import type { ApiPorts } from '../rights/api-uses.ts';

/** As it really stands. Throws `NotFound`. */
export async function storedRun(
  deps: Pick<ApiPorts, 'runs' | 'manifests'>,
  path: ManifestKey & { readonly run: string },
): Promise<RunRecord> {
  const run = await deps.runs.get(path, path.run);
  if (run) return run.status === 'Queued' ? asItStands(run, await deps.manifests.get(path)) : run;
  throw new PipelineError('NotFound', `manifest "${path.name}" has no run "${path.run}"; list its runs to see them`);
}
