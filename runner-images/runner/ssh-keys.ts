/** SSH keys of nodes: one pair for each dynamic pool, generated here; static nodes have their own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodePoolState, NodeState } from '#domain/cluster-state.ts';
import { locatorTitle } from '#domain/secret-locator.ts';
import { sshKeyFileOf } from '#rendering/node-access.ts';
import { requiredField, userSecret } from './credentials.ts';
import { makeSshKeyPair } from './openssh-key.ts';
import type { ClusterContext, SecretReader } from './stage-context.ts';
import { StageFailure } from './stage-failure.ts';

type Around = Pick<SecretReader, 'ports' | 'mask' | 'document'>;

/** Where the pair of a pool is kept. */
export function sshKeyPath({ document }: Pick<SecretReader, 'document'>, clusterId: string, poolId: string): string {
  return `ssh/${document.namespace}/${document.manifest}/${clusterId}/${poolId}`;
}

/** The public half of a pool's pair; the pair is generated when there is none yet. */
export async function ensurePoolKey(
  around: Pick<ClusterContext<'secrets.get' | 'secrets.create'>, 'ports' | 'mask' | 'document'>,
  clusterId: string,
  poolId: string,
): Promise<string> {
  const path = sshKeyPath(around, clusterId, poolId);
  const stored = await around.ports.secrets.get(path);
  if (stored?.publickey !== undefined && stored.privatekey !== undefined) return stored.publickey;
  const pair = makeSshKeyPair(`kubeloom-${poolId}`);
  around.mask.add([pair.privateKey]);
  // The role of the runner can replace no key, whatever a template of a user tries.
  const created = await around.ports.secrets.create(path, { privatekey: pair.privateKey, publickey: pair.publicKey });
  return created ? pair.publicKey : knownPoolKey(around, clusterId, poolId);
}

/** The public half of a pool's pair, for callers that may not generate one. Throws `SshKeyMissing`. */
export async function knownPoolKey(around: Around, clusterId: string, poolId: string): Promise<string> {
  const stored = await around.ports.secrets.get(sshKeyPath(around, clusterId, poolId));
  if (stored?.publickey !== undefined) return stored.publickey;
  throw keyMissing(poolId);
}

export interface KeyHolder {
  readonly node: NodeState;
  readonly pool: NodePoolState;
  readonly clusterId: string;
}

/** Writes the private keys of these nodes, mode 0600, and returns their directory. Throws `SshKeyMissing`. */
export async function writeSshKeyFiles(
  around: Around & Pick<SecretReader, 'workDirectory'>,
  holders: readonly KeyHolder[],
): Promise<string> {
  const directory = join(around.workDirectory, 'keys');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const byFile = new Map(holders.map((holder) => [sshKeyFileOf(holder.node, holder.pool, directory), holder]));
  await Promise.all(
    [...byFile].map(async ([file, holder]) => {
      const key = await privateKeyOf(around, holder);
      around.mask.add([key]);
      await writeFile(file, key.endsWith('\n') ? key : `${key}\n`, { mode: 0o600 });
    }),
  );
  return directory;
}

async function privateKeyOf(around: Around, { node, pool, clusterId }: KeyHolder): Promise<string> {
  if (node.static !== undefined) {
    const { secret } = node.static;
    const fields = await userSecret(around, secret, `node ${node.name}`);
    return requiredField(fields, 'privatekey', locatorTitle(secret));
  }
  const stored = await around.ports.secrets.get(sshKeyPath(around, clusterId, pool.id));
  if (stored?.privatekey !== undefined) return stored.privatekey;
  throw keyMissing(pool.id);
}

function keyMissing(pool: string): StageFailure {
  return new StageFailure({
    class: 'bug',
    code: 'SshKeyMissing',
    message: `The SSH key of node pool ${pool} is gone from the secret store.`,
    resource: pool,
    hint: 'The machines of this pool cannot be reached any more: remove the pool from the manifest and add it again.',
  });
}
