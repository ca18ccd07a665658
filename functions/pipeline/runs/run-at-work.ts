/** Which run of a manifest is under way: the newest may still wait for the one before it. */
import type { ManifestHead } from '#contracts/records.ts';
import type { Using } from '../../ports.ts';

/** Its id; undefined when nothing is under way. */
export async function runAtWork(deps: Using<'runs.list'>, manifest: ManifestHead): Promise<string | undefined> {
  if (!manifest.lease) return undefined;
  const recent = (await deps.runs.list(manifest, 10)).items;
  return recent.find(({ status }) => status === 'Running')?.runId ?? manifest.runId;
}
