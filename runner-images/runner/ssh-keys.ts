/** SSH keys of nodes: one pair for each dynamic pool, generated here; static nodes have their own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { poolKeyPath } from '#contracts/stage.ts';
import type { NodePoolState, NodeState } from '#domain/cluster-state.ts';
import { locatorTitle } from '#domain/secret-locator.ts';
import { sshKeyFileOf } from '#rendering/node-access.ts';
import { requiredField, userSecret } from './credentials.ts';
import { makeSshKeyPair, publicKeyOf } from './openssh-key.ts';
import type { ClusterContext, SecretReader } from './stage-context.ts';
import { StageFailure } from './stage-failure.ts';

type Around = Pick<SecretReader, 'ports' | 'mask' | 'document'>;

/** The public half of a pool's pair; the pair is generated when it does not exist yet. Throws `SshKeyDamaged`. */
export async function ensurePoolKey(
  around: Pick<ClusterContext<'secrets.get' | 'secrets.create'>, 'ports' | 'mask' | 'document'>,
  clusterId: string,
  poolId: string,
): Promise<string> {
  const stored = await storedPair(around, clusterId, poolId);
  if (stored !== undefined) return publicHalf(stored, poolId);
  const pair = makeSshKeyPair(commentOf(poolId));
  around.mask.add([pair.privateKey]);
  // The role of the runner can replace no key, whatever a template of a user tries.
  const path = poolKeyPath(around.document, clusterId, poolId);
  const created = await around.ports.secrets.create(path, { privatekey: pair.privateKey, publickey: pair.publicKey });
  return created ? pair.publicKey : knownPoolKey(around, clusterId, poolId);
}

/** The public half of a pool's pair, for callers that may not generate one. Throws `SshKeyMissing` and `SshKeyDamaged`. */
export async function knownPoolKey(around: Around, clusterId: string, poolId: string): Promise<string> {
  const stored = await storedPair(around, clusterId, poolId);
  if (stored === undefined) throw keyMissing(poolId);
  return publicHalf(stored, poolId);
}

type StoredPair = Readonly<Record<string, string>>;

const commentOf = (poolId: string): string => `kubeloom-${poolId}`;

async function storedPair(around: Around, clusterId: string, poolId: string): Promise<StoredPair | undefined> {
  return around.ports.secrets.get(poolKeyPath(around.document, clusterId, poolId));
}

/** A lost public half is in the private one; without that one no machine of the pool can be reached. */
function publicHalf({ privatekey, publickey }: StoredPair, poolId: string): string {
  const found = privatekey === undefined ? undefined : (publickey ?? publicKeyOf(privatekey, commentOf(poolId)));
  if (found === undefined) throw keyDamaged(poolId);
  return found;
}

export interface KeyHolder {
  readonly node: NodeState;
  readonly pool: NodePoolState;
  readonly clusterId: string;
}

/** Writes the private keys of these nodes, mode 0600, and returns their directory. Throws `SshKeyMissing` and `SshKeyDamaged`. */
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
  const stored = await storedPair(around, clusterId, pool.id);
  if (stored === undefined) throw keyMissing(pool.id);
  if (stored.privatekey === undefined) throw keyDamaged(pool.id);
  return stored.privatekey;
}

function keyMissing(pool: string): StageFailure {
  return new StageFailure({
    class: 'bug',
    code: 'SshKeyMissing',
    message: `The SSH key of node pool ${pool} is gone from the secret store.`,
    resource: pool,
    hint: 'The machines of this pool can no longer be reached: remove the pool from the manifest and add it again.',
  });
}

function keyDamaged(pool: string): StageFailure {
  return new StageFailure({
    class: 'bug',
    code: 'SshKeyDamaged',
    message: `The SSH key of node pool ${pool} in the secret store has no private half that can be read.`,
    resource: pool,
    hint: 'Machines of the pool can no longer be reached: remove the pool from the manifest and add it again. If the pool was being created, retry: its key was deleted when the creation was undone, and the retry makes another one.',
  });
}
