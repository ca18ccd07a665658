/** Which generation a rollback without a number goes back to: the last one before that was reached, by an attempt or by checks since. */
import { describe, expect, it } from 'vitest';
import { rollbackGoal } from '#functions/pipeline/manifests/rollback-goal.ts';
import { aRecord, aRun } from '#test/api/records.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';

const document = { kind: 'InputManifest' };
const stored = { ...aRecord(), generation: 2, document, checksum: 'second' };

async function goal(runs: readonly Parameters<typeof aRun>[0][]) {
  const deps = fakeDeps();
  await deps.manifests.create(aRecord());
  await deps.manifests.replace(stored, { generation: 1, attempt: 1 });
  for (const run of runs) await deps.runs.put(aRun(run));
  return rollbackGoal(deps, stored, undefined);
}

const first = `${stored.name}-${stored.uid}-g1`;
const web = (status: 'Converged' | 'RolledBack') => ({ web: { status, message: '' } });

describe('the goal of a rollback', () => {
  it('a generation counts as reached by a check of it that found what it asks for, when its attempt is no longer kept', async () => {
    const check = { runId: `${first}-d1z`, generation: 1, status: 'Succeeded', clusters: web('Converged') } as const;
    expect(await goal([check])).toMatchObject({ generation: 1 });
  });

  it('a check of a generation that failed does not count, although the check succeeded', async () => {
    const attempt = { runId: `${first}-a1`, generation: 1, status: 'Failed', clusters: web('RolledBack') } as const;
    const check = { runId: `${first}-d1`, generation: 1, status: 'Succeeded', clusters: web('RolledBack') } as const;
    await expect(goal([attempt, check])).rejects.toMatchObject({ name: 'VerbRefused' });
  });

  it('an attempt that succeeded counts, also with a cluster that it did not touch and an earlier one rolled back', async () => {
    const attempt = { runId: `${first}-a1`, generation: 1, status: 'Succeeded', clusters: web('RolledBack') } as const;
    expect(await goal([attempt])).toMatchObject({ generation: 1 });
  });
});
