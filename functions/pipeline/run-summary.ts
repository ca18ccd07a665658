/** What a run came to: the outcome of each cluster, and of the manifest. */
import type { ClusterRecord, RunRecord } from '#contracts/records.ts';
import type { SettleManifestOutput } from '#contracts/state-inputs.ts';

/** Outcome of each cluster, a sentence with it. */
export function outcomesOf(records: readonly ClusterRecord[], runId: string): RunRecord['clusters'] {
  return Object.fromEntries(
    records.map((record) => [record.cluster, { status: record.status, message: messageOf(record, runId) }]),
  );
}

/** Done when no cluster is left behind: none that the planner would still touch. */
export function outcomeOf(clusters: number, behind: readonly ClusterRecord[]): SettleManifestOutput {
  const [first] = behind;
  if (!first) return { outcome: 'done', Error: '', Cause: '' };
  const names = behind.map((record) => `${record.cluster}: ${record.status}`).join(', ');
  const cause = `${behind.length} of ${clusters} clusters did not get there (${names})`;
  return { outcome: 'failed', Error: first.failure?.code ?? 'StageFailed', Cause: cause.slice(0, 500) };
}

function messageOf(record: ClusterRecord, runId: string): string {
  if (record.status === 'Converged') return 'as the manifest wishes';
  const { failure } = record;
  if (failure?.runId === runId) return `${failure.code}: ${failure.message} (${failure.outcome})`.slice(0, 1000);
  return 'its execution ended without saying how; a retry goes on from what is there';
}
