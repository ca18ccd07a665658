/** Replacements that healing decided on: requested of the planner, in a run of their own. */
import type { ManifestRecord } from '#contracts/records.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import { isPipelineError } from '#domain/errors.ts';
import { startNextAttempt } from '../manifests/next-attempt.ts';
import { keyOf } from '../records/cluster-records.ts';
import { requestReplacements } from '../records/demand-records.ts';
import { byHealing } from './heal-nodes.ts';

interface Request {
  readonly run: ClusterRun;
  readonly manifest: ManifestRecord;
  readonly nodes: readonly { readonly node: string; readonly because: string }[];
  readonly now: Date;
}

/** Before anything else is stored: a task that is repeated finds the request, and takes no budget for it again. */
export async function askReplacements(
  deps: Parameters<typeof requestReplacements>[0],
  { run, nodes, now }: Omit<Request, 'manifest'>,
): Promise<void> {
  const asking = { by: byHealing, at: now.toISOString() };
  await requestReplacements(deps, { key: keyOf(run), cluster: run.cluster }, nodes, asking);
}

/** The request stays if another one starts a run at the same moment: that run does it. */
export async function startReplacements(
  deps: Parameters<typeof startNextAttempt>[1],
  { manifest, nodes }: Pick<Request, 'manifest' | 'nodes'>,
): Promise<void> {
  const { namespace, name, generation, attempt } = manifest;
  const names = nodes.map(({ node }) => node).join(', ');
  const reason = `healing: ${names} ${nodes.length === 1 ? 'is' : 'are'} replaced`;
  try {
    await startNextAttempt({ namespace, name, generation, attempt, reason }, deps);
  } catch (error) {
    if (!isPipelineError(error, 'VersionConflict')) throw error;
  }
}
