/** A whole check for drift as it runs on Lambda compute: no shared memory, and nothing to write to but the temporary directory. */
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { follow } from '#cli/follow/watch.ts';
import type { ClusterDescription } from '#contracts/api-bodies.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { type Machines, openMachines } from '../../demo/machines.ts';
import { isRoot } from './host-workshop.ts';
import { clusterOf, Installation } from './installation.ts';
import { smallManifest } from './small-manifest.ts';

const name = 'checked';
const key = { namespace: 'default', name };

/** In place of the runner: it takes those things away before a check. What is refused then is noted, to prove it. */
const confinedRunner = `
  import { spawnSync } from 'node:child_process';
  import { tmpdir } from 'node:os';
  import { fileURLToPath } from 'node:url';
  const script = \`set -e
    mount --make-rprivate /
    mkdir -p "$EMPTY"
    mount --bind "$EMPTY" /dev/shm
    mount -o remount,ro,bind /dev/shm
    mount --bind "$WRITABLE" "$WRITABLE"
    mount -o remount,ro,bind /
    { touch /dev/shm/note || true; touch /usr/note || true; ANSIBLE_LOCAL_TEMP="$WRITABLE" ansible localhost -m ping || true; } >> "$REFUSED" 2>&1
    exec "$@"\`;
  const url = new URL('itself.mjs', import.meta.url);
  if (/\\/drift\\//.test(process.env.KUBELOOM_JOB ?? '')) {
    const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));
    const env = { ...process.env, WRITABLE: tmpdir(), EMPTY: fileOf('no-memory'), REFUSED: fileOf('refused') };
    const command = [process.execPath, fileURLToPath(url)];
    const { status } = spawnSync('unshare', ['--mount', 'sh', '-c', script, 'sh', ...command], { env, stdio: 'inherit' });
    process.exit(status ?? 1);
  }
  await import(url);
`;

describe.runIf(isRoot)('a check for drift without shared memory', () => {
  let installation: Installation;
  let machines: Machines;
  let cluster: ClusterDescription;

  /** What a check finds. */
  async function check(): Promise<NonNullable<ClusterDescription['drift']>> {
    const { runId } = await installation.api.driftManifest(key, { repair: false });
    const { manifest } = await follow(installation.api, key, { runId, quiet: true, pollMs: 1000 });
    const drift = manifest && clusterOf(manifest).drift;
    if (!drift) throw new Error('nothing is known of drift');
    return drift;
  }
  const nodeOf = (pool: string) => {
    const node = cluster.nodes.find((row) => row.pool === pool);
    if (!node) throw new Error(`there is no node in ${pool}`);
    return node;
  };

  beforeAll(async () => {
    // What is broken here is broken for good: a second look need not wait.
    vi.stubEnv('KUBELOOM_SECOND_LOOK_SECONDS', '1');
    installation = await Installation.open();
    const folder = join(installation.home, 'runner');
    const [program = ''] = readdirSync(folder).filter((file) => file.endsWith('.mjs'));
    renameSync(join(folder, program), join(folder, 'itself.mjs'));
    writeFileSync(join(folder, program), confinedRunner);
    const compute = { near: { provider: 'local-1', region: 'here' } };
    const manifest = await installation.apply(name, smallManifest({ name, compute, balancer: { servesApi: false } }));
    cluster = clusterOf(manifest);
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    machines = await openMachines({
      ssmEndpoint: installation.platform.endpoints.ssm ?? '',
      accessKey: accessKeyOf(installation.platform.token),
      keyPrefix: `ssh/default/${name}/${cluster.cluster}`,
    });
  });
  afterAll(async () => {
    await machines?.close();
    await installation?.close();
    vi.unstubAllEnvs();
  });

  it('a check compares machines, mesh, load balancers, nodes and documents where Ansible cannot start', async () => {
    expect(await check()).toMatchObject({ items: [], unchecked: [], outcome: 'nothing differs from what was created' });
    const refused = readFileSync(join(installation.home, 'runner/refused'), 'utf8');
    expect(refused).toMatch(/\/dev\/shm\/note.*Read-only file system/);
    expect(refused).toMatch(/\/usr\/note.*Read-only file system/);
    expect(refused).toContain('Unable to use multiprocessing');
  });

  it('a check without shared memory finds a peer that is missing and a proxy that is stopped', async () => {
    const [near, balancer] = [nodeOf('near'), nodeOf('balancer')];
    await machines.ask(near, 'wg set wg0 peer "$(wg show wg0 peers | head -n 1)" remove');
    await machines.ask(balancer, 'systemctl stop haproxy');
    const { items, unchecked } = await check();
    const found = items.map(({ kind, where }) => ({ kind, node: where.node }));
    expect(found).toContainEqual({ kind: 'mesh', node: near.name });
    expect(found).toContainEqual({ kind: 'traffic', node: balancer.name });
    expect(unchecked).toEqual([]);
  });
});
