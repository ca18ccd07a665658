/** What is reported about an undone grow: about each node no more than is known. */
import { describe, expect, it } from 'vitest';
import type { ClusterRecord } from '#contracts/records.ts';
import type { NodeFacts } from '#domain/observed/node-facts.ts';
import { failureOutcomeText } from '#domain/planning/text/failure-outcome-text.ts';
import { undoneStep } from '#functions/pipeline/clusters/failure-outcomes.ts';
import { cancelled } from '#functions/pipeline/records/cancellation.ts';
import { aClusterRecord } from '../api/records.ts';

const joins = (name: string, provider: string) => ({
  name,
  role: 'compute',
  pool: 'p',
  provider,
  part: 'joins' as const,
});

function undone(nodes: readonly ReturnType<typeof joins>[], facts: Readonly<Record<string, NodeFacts>>): string {
  const base = aClusterRecord({ current: null });
  const progress = {
    runId: 'r',
    direction: 'grow',
    waypoint: 1,
    waypoints: 1,
    step: 0,
    steps: 1,
    startedAt: '',
    updatedAt: '',
    nodes: [...nodes],
  } as ClusterRecord['progress'];
  const outcome = undoneStep('grow', { ...base, progress, facts: { ...base.facts, nodes: { ...facts } } });
  return failureOutcomeText({ class: 'user', code: 'ToolFailed', outcome });
}

describe('summary of a rollback', () => {
  it('the summary says of a static machine that was never reached only that it never joined', () => {
    expect(undone([joins('machines-01', 'static')], {})).toContain('undone: machines-01 never joined, nothing is left');
  });

  it('the summary says of a static machine that was reached that it left again', () => {
    const facts = { 'machines-01': { wireguardPublicKey: 'k' } };
    expect(undone([joins('machines-01', 'static')], facts)).toContain('machines-01 left the cluster again');
  });

  it('the summary claims no removal of nodes that may never have been created', () => {
    const text = undone([joins('a-01', 'aws'), joins('a-02', 'aws')], { 'a-01': { publicAddress: '192.0.2.1' } });
    expect(text).toContain('a-01 removed again, a-02 never created, or removed again');
  });
});

describe('cancelled runs', () => {
  it('a cancelled run keeps the failure that it had before', () => {
    const before = { code: 'HostUnreachable', message: 'n1 did not answer' };
    expect(cancelled('while configuration was running', before).message).toBe(
      'The run was cancelled while configuration was running. Before that it had failed: HostUnreachable: n1 did not answer',
    );
    expect(cancelled('before its next waypoint', cancelled('earlier')).message).not.toContain('Before that');
  });
});
