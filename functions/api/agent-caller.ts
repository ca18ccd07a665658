/** The agent of a workload cluster, by its token. Only the SHA-256 of a token is stored, in the facts of its cluster. */
import { timingSafeEqual } from 'node:crypto';
import { agentTokenHash } from '#contracts/agent-token.ts';
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import { knownFacts } from '../pipeline/records/known-facts.ts';
import type { AgentPorts } from '../rights/agent-uses.ts';

/** The cluster that a token speaks for. */
export interface Agent {
  readonly stored: ManifestRecord;
  readonly record: ClusterRecord;
}

const form = /^Bearer (kla\.([a-z0-9-]{1,63})\.([a-z0-9.-]{1,253})\.([a-z0-9-]{1,80})\.[A-Za-z0-9_-]{32,128})$/;

/** So long the token before is good after the cluster has a new one: kubelets bring it to the pods within minutes. */
const graceMs = 15 * 60_000;

/** Throws `Forbidden`, the same for every token that is not one: it shows nothing of what exists. */
export async function agentOf(deps: AgentPorts, headers: Readonly<Record<string, string>>): Promise<Agent> {
  const [, token = '', namespace = '', name = '', cluster = ''] = form.exec(headers.authorization ?? '') ?? [];
  const key = { namespace, name };
  const record = token === '' ? undefined : await deps.clusters.get(key, cluster);
  if (record && (await isTokenOf(deps, record, token))) {
    const stored = await deps.manifests.get(key);
    if (stored && !stored.deleting) return { stored, record };
  }
  throw new PipelineError('Forbidden', 'this is not the token of the agent of a cluster that exists');
}

/** A run that renewed the token and has not ended yet, or not well, has left its facts apart from the record. */
async function isTokenOf(deps: AgentPorts, record: ClusterRecord, token: string): Promise<boolean> {
  const given = Buffer.from(agentTokenHash(token), 'hex');
  const now = deps.clock.now().getTime();
  const isIn = ({ agent }: ClusterRecord['facts']): boolean => {
    const isOver = agent?.appliedAt !== undefined && now > Date.parse(agent.appliedAt) + graceMs;
    const hashes = [agent?.tokenHash, ...(isOver ? [] : [agent?.before, agent?.older])];
    return hashes.some((hash = '') => isSame(Buffer.from(hash, 'hex'), given));
  };
  return isIn(record.facts) || isIn(await knownFacts(deps, record));
}

function isSame(kept: Buffer, given: Buffer): boolean {
  return kept.length === given.length && timingSafeEqual(kept, given);
}
