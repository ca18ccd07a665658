/** The agent of a workload cluster, by its token. Only the SHA-256 of a token is stored, in the facts of its cluster. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { ClusterRecord, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { PipelineError } from '#domain/errors.ts';
import type { ApiPorts } from '../rights/api-uses.ts';

/** The cluster that a token speaks for. */
export interface Agent {
  readonly stored: ManifestRecord;
  readonly record: ClusterRecord;
}

/** The token of the agent of a cluster: whose it is, and a secret. */
export function agentToken({ namespace, name }: ManifestKey, cluster: string, secret: string): string {
  return `kla.${namespace}.${name}.${cluster}.${secret}`;
}

/** What is stored of a token. */
export function agentTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

const form = /^Bearer (kla\.([a-z0-9-]{1,63})\.([a-z0-9-]{1,63})\.([a-z0-9-]{1,80})\.[A-Za-z0-9_-]{32,128})$/;

/** Throws `Forbidden`, the same for every token that is not one: it shows nothing of what exists. */
export async function agentOf(
  deps: Pick<ApiPorts, 'clusters' | 'manifests'>,
  headers: Readonly<Record<string, string>>,
): Promise<Agent> {
  const [, token = '', namespace = '', name = '', cluster = ''] = form.exec(headers.authorization ?? '') ?? [];
  const given = Buffer.from(agentTokenHash(token), 'hex');
  const key = { namespace, name };
  const record = token === '' ? undefined : await deps.clusters.get(key, cluster);
  const kept = Buffer.from(record?.facts.agent?.tokenHash ?? '', 'hex');
  const stored =
    kept.length === given.length && timingSafeEqual(kept, given) ? await deps.manifests.get(key) : undefined;
  if (record && stored && !stored.deleting) return { stored, record };
  throw new PipelineError('Forbidden', 'this is not the token of the agent of a cluster that exists');
}
