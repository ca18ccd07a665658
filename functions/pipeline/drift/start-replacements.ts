/** Replacements that healing decided on: requested of the planner, in a run of their own. */
import type { ManifestRecord } from '#contracts/records.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import { isPipelineError } from '#domain/errors.ts';
import { keyOf } from '../clusters/cluster-records.ts';
import { requestReplacements } from '../clusters/demand-records.ts';
import { startNextAttempt } from '../manifests/next-attempt.ts';

interface Request {
  readonly run: ClusterRun;
  readonly manifest: ManifestRecord;
  readonly nodes: readonly { readonly node: string; readonly because: string }[];
  readonly now: Date;
}

/** The request stays if another one starts a run at the same moment: that run does it. */
export async function startReplacements(
  deps: Parameters<typeof requestReplacements>[0] & Parameters<typeof startNextAttempt>[1],
  { run, manifest, nodes, now }: Request,
): Promise<void> {
  const asking = { by: 'healing', at: now.toISOString() };
  await requestReplacements(deps, { key: keyOf(run), cluster: run.cluster }, nodes, asking);
  const { namespace, name, generation, attempt } = manifest;
  const names = nodes.map(({ node }) => node).join(', ');
  const reason = `healing: ${names} ${nodes.length === 1 ? 'is' : 'are'} replaced`;
  try {
    await startNextAttempt({ namespace, name, generation, attempt, reason }, deps);
  } catch (error) {
    if (!isPipelineError(error, 'VersionConflict')) throw error;
  }
}
