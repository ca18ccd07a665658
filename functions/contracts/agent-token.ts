/** The token of the agent of a cluster: the nodes stage makes it, the cluster has it in a Secret, and only its SHA-256 is stored. */
import { createHash } from 'node:crypto';
import type { ManifestKey } from './records.ts';

/** The token of the agent of a cluster: whose it is, and a secret. */
export function agentToken({ namespace, name }: ManifestKey, cluster: string, secret: string): string {
  return `kla.${namespace}.${name}.${cluster}.${secret}`;
}

/** What is stored of a token. */
export function agentTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
