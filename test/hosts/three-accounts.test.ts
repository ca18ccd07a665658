/** One cluster on three accounts of one provider type: credentials of one break, only its pool is left out, then they are fixed. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocuments } from '#cli/submission/documents.ts';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { hostsHelper } from '#local/hosts-helper.ts';
import { accessKeyOf } from '#local/rights/access-key.ts';
import { bootIds, type Machines, openMachines } from '../../demo/machines.ts';
import { proveKubectl, proveMesh, proveUntouched } from '../../demo/proofs.ts';
import { clusterOf, Installation, nodesOf } from './installation.ts';

const example = fileURLToPath(new URL('../../examples/local-three-accounts.yaml', import.meta.url));
const name = 'local-three-accounts';
const passwords = {
  'account-east': 'Xq7-first-of-east',
  'account-west': 'Xq7-only-of-west',
  'account-north': 'Xq7-only-of-north',
};
type Account = keyof typeof passwords;
/** Pools in addition to those of the example: each is like one of them, with the given changes. */
const extraPools = {
  'spare-1': { like: 'compute-1' },
  'spare-2': { like: 'compute-2' },
  'other-region': { like: 'compute-1', region: 'there', count: 2 },
  bad: { like: 'compute-2', provider: 'local-4', region: 'off' },
  'bad-too': { like: 'compute-1', count: 2 },
} as const;
type ExtraPool = keyof typeof extraPools;
type Pool = 'compute-1' | 'compute-2' | 'compute-3' | ExtraPool;
const isExtra = (pool: Pool): pool is ExtraPool => pool in extraPools;
const wrong = 'Xq7-mistyped-word';
const rotated = 'Xq7-second-of-east';
/** Known to the machine before the Secret has it. */
const stale = 'Xq7-third-of-east';

interface Extra {
  readonly like: string;
  readonly provider?: string;
  readonly region?: string;
  readonly count?: number;
}

interface Manifest {
  readonly spec: {
    readonly providers: readonly { readonly name: string }[];
    readonly nodePools: { readonly dynamic: readonly { readonly name: string; readonly providerSpec: object }[] };
    readonly kubernetes: { readonly clusters: readonly { readonly pools: { readonly control: readonly string[] } }[] };
  };
}

describe('one cluster on three accounts', () => {
  let installation: Installation;
  let machines: Machines;
  let whole: Manifest;
  let made: ManifestDescription;
  let ids: ReadonlyMap<string, string> = new Map();

  const machineKnows = (account: Account, password: string) =>
    execFileSync(hostsHelper, ['account', 'set', account], {
      input: `${password}\n`,
      env: { ...process.env, KUBELOOM_HOSTS_DIR: installation.hostsDirectory },
    });
  const emit = (secret: string, account: Account, password: string) =>
    installation.api.putSecret(
      { namespace: 'default', name: secret },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: secret }, stringData: { account, password } },
    );

  /** The example with these compute pools. */
  function manifest(...pools: readonly Pool[]): unknown {
    const likes = whole.spec.nodePools.dynamic;
    const copies = pools.filter(isExtra).flatMap((name) => {
      const { like, provider, region, count }: Extra = extraPools[name];
      const place = { ...(provider && { name: provider }), ...(region && { region }) };
      return likes
        .filter((pool) => pool.name === like)
        .map((pool) => ({
          ...pool,
          name,
          providerSpec: { ...pool.providerSpec, ...place },
          ...(count && { count }),
        }));
    });
    // An instance of its own on an account that the cluster uses already.
    const fourth = whole.spec.providers
      .filter(({ name }) => name === 'local-2')
      .map((provider) => ({ ...provider, name: 'local-4' }));
    const providers = [...whole.spec.providers, ...fourth];
    const dynamic = [...likes, ...copies].filter(
      (pool) => pool.name === 'control' || pools.some((one) => one === pool.name),
    );
    const clusters = whole.spec.kubernetes.clusters.map((cluster) => ({
      ...cluster,
      pools: { control: cluster.pools.control, compute: pools },
    }));
    return { ...whole, spec: { ...whole.spec, providers, nodePools: { dynamic }, kubernetes: { clusters } } };
  }

  /** Every pair of nodes reaches each other, kubectl names them all, and of those before only nodes of `gone` were touched. */
  async function prove(shown: ManifestDescription, ...gone: readonly Pool[]): Promise<void> {
    const cluster = clusterOf(shown);
    const count = cluster.nodes.length;
    expect(await proveMesh(machines, cluster)).toBe(count * (count - 1));
    await proveKubectl(await installation.kubeconfig(name, cluster), nodesOf(shown));
    expect(await installation.hosts()).toEqual(nodesOf(shown));
    const now = await bootIds(machines, cluster);
    proveUntouched(new Map([...ids].filter(([node]) => !gone.some((pool) => node.startsWith(`${pool}-`)))), now);
    ids = now;
  }

  const providersOf = (shown: ManifestDescription) => [...new Set(clusterOf(shown).nodes.map((node) => node.provider))];
  const hostsOf = async (pool: Pool) => (await installation.hosts()).filter((host) => host.startsWith(`${pool}-`));
  const isDone = (shown: ManifestDescription) =>
    expect(shown.status, JSON.stringify(clusterOf(shown).failure)).toBe('Done');

  beforeAll(async () => {
    installation = await Installation.open();
    const { documents } = await readDocuments([example]);
    const found = documents.map(({ document }) => document as Manifest & { readonly kind: string });
    const [only] = found.filter(({ kind }) => kind === 'InputManifest');
    if (only === undefined) throw new Error(`${example} has no manifest`);
    whole = only;
    for (const account of Object.keys(passwords) as Account[]) machineKnows(account, passwords[account]);
    await emit('local-1', 'account-east', passwords['account-east']);
    await emit('local-2', 'account-west', passwords['account-west']);
    await emit('local-3', 'account-north', wrong);
  });

  afterAll(async () => {
    await machines?.close();
    await installation?.close();
  });

  it('a cluster is created in two of three accounts', async () => {
    made = await installation.apply(name, manifest('compute-1', 'compute-2'));
    isDone(made);
    machines = await openMachines({
      ssmEndpoint: installation.platform.endpoints.ssm ?? '',
      accessKey: accessKeyOf(installation.platform.token),
      keyPrefix: `ssh/default/${name}/${clusterOf(made).cluster}`,
    });
    expect(providersOf(made).toSorted()).toEqual(['local-1', 'local-2']);
    await prove(made);
  });

  it('a grow leaves out the pool whose account refuses the password, and names its Secret', async () => {
    made = await installation.apply(name, manifest('compute-1', 'compute-2', 'compute-3', 'spare-1', 'spare-2'));
    const { status, heldPools, failure } = clusterOf(made);
    expect([made.status, status], JSON.stringify(failure)).toEqual(['Failed', 'Degraded']);
    expect(heldPools.map(({ pool }) => pool)).toEqual(['compute-3']);
    const [held] = heldPools;
    expect(held?.reason).toContain('the credentials of local-3 are refused: wrong password');
    expect(failure).toMatchObject({ class: 'credentials', resource: 'local-3' });
    expect(failure?.hint).toContain('Check the Secret of this provider');
    expect(await hostsOf('compute-3')).toEqual([]);
    expect([await hostsOf('spare-1'), await hostsOf('spare-2')].map((hosts) => hosts.length)).toEqual([1, 1]);
    expect((await installation.regions(clusterOf(made).cluster)).join()).not.toContain('local-3');
    await prove(made);
  });

  it('a retry with the same Secret leaves the pool out again', async () => {
    made = await installation.retry(name);
    expect(clusterOf(made).status).toBe('Degraded');
    await prove(made);
  });

  it('a new generation with a correct Secret completes the cluster', async () => {
    await emit('local-3', 'account-north', passwords['account-north']);
    const { generation } = made;
    made = await installation.apply(name, manifest('compute-1', 'compute-2', 'compute-3', 'spare-1'));
    isDone(made);
    expect(made.generation).toBeGreaterThan(generation);
    expect(clusterOf(made).heldPools).toEqual([]);
    expect(providersOf(made).toSorted()).toEqual(['local-1', 'local-2', 'local-3']);
    expect(await hostsOf('compute-3')).toHaveLength(1);
    await prove(made, 'spare-2');
  });

  it('pools that cannot be created are held without leftovers, and the next try creates them', async () => {
    const fix = await installation.fault('bad-*', 'no power in this rack');
    const pools = ['compute-1', 'compute-2', 'compute-3', 'spare-1', 'other-region', 'bad', 'bad-too'] as const;
    made = await installation.apply(name, manifest(...pools));
    const { status, heldPools, failure } = clusterOf(made);
    expect([made.status, status], JSON.stringify(failure)).toEqual(['Failed', 'Degraded']);
    expect(heldPools.map(({ pool }) => pool).toSorted()).toEqual(['bad', 'bad-too']);
    expect(JSON.stringify(heldPools)).toContain('no power in this rack');
    expect(await hostsOf('other-region')).toHaveLength(2);
    expect(await installation.hosts()).toEqual(nodesOf(made));
    expect(await hostsOf('bad')).toEqual([]);

    await fix();
    made = await installation.retry(name);
    isDone(made);
    expect(await hostsOf('bad')).toHaveLength(3);
    await prove(made);
  });

  it('a new valid password is used for what is deleted: hosts, regions and the last pool of a provider', async () => {
    const { cluster } = clusterOf(made);
    const [places, dropped] = [await installation.regions(cluster), ['local-1/there', 'local-4/off']];
    expect(places).toEqual(expect.arrayContaining(dropped));
    machineKnows('account-east', rotated);
    await emit('local-1', 'account-east', rotated);
    made = await installation.apply(name, manifest('compute-1', 'compute-2', 'compute-3'));
    isDone(made);
    expect(await installation.regions(cluster)).toEqual(places.filter((place) => !dropped.includes(place)));
    await prove(made, 'spare-1', 'other-region', 'bad', 'bad-too');
  });

  it('a change with a stale password touches nothing, and succeeds with a correct Secret', async () => {
    machineKnows('account-east', stale);
    const refused = await installation.apply(name, manifest('compute-1', 'compute-2', 'compute-3', 'spare-1'));
    expect(refused.status).toBe('Failed');
    expect(clusterOf(refused).failure).toMatchObject({ class: 'credentials', resource: 'local-1' });
    expect(await hostsOf('spare-1')).toEqual([]);
    proveUntouched(ids, await bootIds(machines, clusterOf(made)));
    await emit('local-1', 'account-east', stale);
    made = await installation.retry(name);
    isDone(made);
    await prove(made);
  });

  it('a password is in no kept log, event, plan, state, history or answer', async () => {
    const planted = [...Object.values(passwords), wrong, rotated, stale];
    const forms = planted.flatMap((word) => [word, Buffer.from(word).toString('base64').slice(0, -4)]);
    const places: string[] = [];
    let searched = 0;
    for (const entry of await readdir(installation.home, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      const place = relative(installation.home, file);
      // The disks of the hosts are the hosts' own; of the accounts only hashes are kept.
      if (!entry.isFile() || /^hosts\/sites\/.*\/(up|work)\//.test(place)) continue;
      searched += 1;
      const text = await readFile(file, 'latin1').catch(() => '');
      if (forms.some((form) => text.includes(form))) places.push(place);
    }
    expect(searched).toBeGreaterThan(20);
    expect(places).toEqual([]);
    expect(JSON.stringify(await installation.api.getManifest({ namespace: 'default', name }))).not.toContain('Xq7-');
  });

  it('a deletion removes the cluster from all three accounts', async () => {
    await installation.remove(name);
    expect(await installation.leftovers()).toEqual([]);
  });
});
