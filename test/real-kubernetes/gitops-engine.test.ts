/**
 * Argo's gitops-engine as a second client of the operator: its agent, built by hand, brings a git repository into a real
 * kube-apiserver. `KUBELOOM_GITOPS_AGENT` names the program; without it the tests are skipped.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { OperatorWorld, type RunningOperator, simManifest } from './operator-world.ts';

const agent = process.env.KUBELOOM_GITOPS_AGENT;
const quiet = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', PATH: process.env.PATH ?? '' };
const author = ['-c', 'user.name=a', '-c', 'user.email=a@b'];

describe.skipIf(agent === undefined)('a repository that gitops-engine brings into Kubernetes', () => {
  const repository = mkdtempSync(join(tmpdir(), 'kubeloom-gitops-'));
  let world: OperatorWorld;
  let operator: RunningOperator;
  const children: ReturnType<typeof spawn>[] = [];
  let output = '';

  const git = (...args: readonly string[]) => execFileSync('git', ['-C', repository, ...args], { env: quiet });
  const commit = (): void => {
    git('add', '-A');
    git(...author, 'commit', '-q', '-m', 'change');
  };
  const push = (...manifests: readonly ReturnType<typeof simManifest>[]): void => {
    for (const one of manifests)
      writeFileSync(join(repository, 'clusters', `${one.metadata.name}.yaml`), JSON.stringify(one));
    commit();
  };
  const runsOf = async (name: string) => (await world.platform.api.listRuns({ namespace: 'default', name })).items;

  beforeAll(async () => {
    git('init', '-q', '-b', 'main');
    mkdirSync(join(repository, 'clusters'));
    world = await OperatorWorld.start();
    operator = world.operator();
    push(simManifest('shop'), simManifest('site'));
    const access = `--kubeconfig=${world.kubernetes.adminFile()}`;
    // It prunes in the foreground: then Kubernetes itself removes what the object owns, and the object at last.
    const collector = ['--controllers=garbage-collector-controller', '--leader-elect=false', '--secure-port=0'];
    const controllers = join(dirname(world.kubernetes.kubectl), 'kube-controller-manager');
    children.push(spawn(controllers, [access, ...collector], { stdio: 'ignore' }));
    const asked = ['--path', 'clusters', '--resync-seconds', '1', '--port', '0', '--default-namespace', 'default'];
    const client = spawn(agent ?? '', [repository, access, ...asked]);
    children.push(client);
    for (const stream of [client.stdout, client.stderr]) stream.on('data', (piece) => (output += String(piece)));
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await world?.stop();
    rmSync(repository, { recursive: true, force: true });
  });

  test('each committed manifest becomes a cluster, once', async () => {
    onTestFailed(() => void process.stderr.write(output.slice(-4000)));
    await world.until('it is applied', async () => (await world.get('shop')) !== undefined);
    await world.wait('shop', 'condition=Ready');
    await world.wait('site', 'condition=Ready');
    expect([await runsOf('shop'), await runsOf('site')].map((runs) => runs.length)).toEqual([1, 1]);
  });

  test('a commit that changes a manifest makes one run, and both then write nothing more', async () => {
    push(simManifest('shop', { compute: 3 }));
    await world.until('the change is done', async () => (await world.get('shop'))?.status?.manifestGeneration === 2);
    await world.wait('shop', 'condition=Ready');
    const before = (await world.get('shop'))?.metadata;
    operator.forget();
    const passes = () => operator.requests.filter((one) => one.endsWith('/secrets')).length;
    const syncs = () => output.split('Synchronization triggered by timer').length;
    const start = syncs();
    await world.until('some passes and syncs', () => passes() > 12 && syncs() > start + 3);
    expect(operator.requests.filter((one) => !one.startsWith('GET'))).toEqual([]);
    expect((await world.get('shop'))?.metadata.resourceVersion).toBe(before?.resourceVersion);
    expect(await runsOf('shop')).toHaveLength(2);
  });

  test('a commit with a fault is refused with its reason and starts no run, and the next commit is accepted', async () => {
    const faulty = simManifest('site');
    faulty.spec.kubernetes.clusters[0]?.pools.compute.push('nothing');
    push(faulty);
    await world.until(
      'it is refused',
      async () => (await world.condition('site', 'Accepted'))?.startsWith('False') === true,
    );
    expect(await runsOf('site')).toHaveLength(1);
    push(simManifest('site', { compute: 1 }));
    await world.until('it is accepted', async () => (await world.get('site'))?.status?.manifestGeneration === 2);
    await world.wait('site', 'condition=Ready');
    expect(await runsOf('site')).toHaveLength(2);
  });

  test('a file that is removed is pruned: its cluster is deleted first, then the object is gone', async () => {
    git('rm', '-q', 'clusters/site.yaml');
    commit();
    await world.until('the object is gone', async () => (await world.get('site')) === undefined);
    const { items } = await world.platform.api.listManifests({ namespace: 'default' });
    expect(items.map(({ name }) => name)).toEqual(['shop']);
    const secrets = await world.kubectl(['get', 'secrets', '-l', 'claudie.io/output', '-o', 'name']);
    expect(secrets).toContain('shop-one-');
    expect(secrets).not.toContain('site-one-');
    expect(await world.condition('shop', 'Ready')).toMatch(/^True/);
  });
});
