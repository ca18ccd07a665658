/** The record of a run that starts: older runs that never started are superseded by it. */
import type { ManifestRecord, RunRecord } from '#contracts/records.ts';
import { counted } from '#domain/words.ts';
import type { Using } from '../../ports.ts';

export interface Beginning {
  readonly manifest: ManifestRecord;
  /** How many have to be touched. */
  readonly clusters: number;
  readonly now: string;
}

export async function beginRun(
  deps: Using<'config' | 'events.append' | 'runs.get' | 'runs.list' | 'runs.put'>,
  { manifest, clusters, now }: Beginning,
): Promise<void> {
  const { namespace, name, runId, generation, attempt, deleting, updatedAt } = manifest;
  const key = { namespace, name };
  const first = generation === 1 && attempt === 1;
  const others = first ? [] : (await deps.runs.list(key, 10)).items;
  const passedOver = others.filter((run) => run.status === 'Queued' && run.runId !== runId && run.queuedAt <= now);
  const queued = await deps.runs.get(key, runId);
  const known = { namespace, manifest: name, runId, generation, attempt, queuedAt: updatedAt, clusters: {} };
  const { KUBELOOM_RUNNER_RELEASE: runners } = deps.config;
  // A start that is repeated after an upgrade keeps what the first one noted.
  const noted = { ...(runners && { runners }), ...queued };
  const run: RunRecord = { reason: 'started', ...known, ...noted, status: 'Running', startedAt: now };
  const what = deleting ? 'everything will be deleted' : `generation ${generation}`;
  const work = clusters === 0 ? 'nothing to change' : `${counted(clusters, 'cluster')} to touch`;
  const check = `a drift check of generation ${generation}: ${counted(clusters, 'cluster')} to check`;
  const edit = `an edit of a Terraform state of generation ${generation}`;
  const other = manifest.stateEdit === undefined ? check : edit;
  const message = manifest.check === undefined ? `${what}, attempt ${attempt}: ${work}` : other;
  await Promise.all([
    deps.runs.put(run),
    ...passedOver.map((old) => deps.runs.put({ ...old, status: 'Superseded', endedAt: now })),
    deps.events.append(key, [{ at: now, runId, level: 'info', kind: 'RunStarted', message }]),
  ]);
}
