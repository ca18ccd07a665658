/** Strays of real hosts: a machine that no one knows is put in quarantine by a check, kept by every change, and deleted on request. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { follow } from '#cli/follow/watch.ts';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { hostsHelper } from '#local/hosts-helper.ts';
import { ClockedInstallation } from './clocked-installation.ts';
import { isRoot } from './host-workshop.ts';
import { clusterOf, nodesOf } from './installation.ts';

const name = 'fleet';
const stray = 'who-is-that';

const document = (size: number): object => ({
  apiVersion: 'kubeloom.dev/v1',
  kind: 'MachineGroups',
  metadata: { name },
  spec: {
    groups: { web: { size, resourcePlugin: { name: 'local' }, resourceProperties: { instanceType: 'small' } } },
    driftChecks: { interval: '30m', strays: 'quarantine' },
  },
});

describe.runIf(isRoot)('a machine that no one knows', () => {
  let installation: ClockedInstallation;
  let made: ManifestDescription;
  let site: readonly string[];

  const hosts = (command: string, ...words: readonly string[]): string =>
    execFileSync(hostsHelper, [command, ...words], {
      env: {
        ...process.env,
        KUBELOOM_HOSTS_DIR: join(installation.home, 'hosts'),
        KUBELOOM_SSH_PUBLIC_KEY: `ssh-ed25519 ${'A'.repeat(68)}`,
      },
    }).toString();
  const stateOf = (host: string) =>
    (JSON.parse(hosts('status')) as { host: string; state: string; held: boolean }[]).find((one) => one.host === host);
  const checked = async (options: { repair?: boolean }) => {
    const key = { namespace: 'default', name };
    const { runId } = await installation.api.driftManifest(key, options);
    const { manifest } = await follow(installation.api, key, { runId, quiet: true });
    if (manifest === undefined) throw new Error('the manifest is gone');
    return clusterOf(manifest).drift;
  };

  beforeAll(async () => {
    installation = await ClockedInstallation.open(name);
    made = await installation.apply(document(1));
    expect(made.status, JSON.stringify(clusterOf(made).failure)).toBe('Done');
    const { installation: id } = await installation.api.getVersion();
    const [node] = clusterOf(made).nodes;
    site = ['--installation', id, '--cluster', clusterOf(made).cluster, '--provider', node?.provider ?? ''];
    hosts('up', ...site, '--region', node?.region ?? '', '--host', stray, '--id', 'unknown');
  });
  afterAll(() => installation?.close());

  it('a check does nothing to a host with the same name and another id', () => {
    for (const command of ['hold', 'down']) hosts(command, ...site, '--host', stray, '--id', 'another');
    expect(stateOf(stray)).toMatchObject({ state: 'running', held: false });
  });

  it('a check stops a stray, keeps it in quarantine, and reports that', async () => {
    expect(stateOf(stray)).toMatchObject({ state: 'running', held: false });
    const { drift } = clusterOf(await installation.pass(35));
    expect(stateOf(stray)).toMatchObject({ state: 'dead', held: true });
    expect(drift).toMatchObject({ items: [{ kind: 'stray', hold: 'held' }], repair: { state: 'helped' } });
    expect(await installation.reported('StrayQuarantined')).toEqual([expect.stringContaining(stray)]);
    expect(stateOf(nodesOf(made)[0] ?? '')).toMatchObject({ state: 'running' });
  });

  it('later checks and changes do not touch a stray in quarantine', async () => {
    await installation.pass(35);
    const more = await installation.apply(document(2));
    expect(more.status, JSON.stringify(clusterOf(more).failure)).toBe('Done');
    expect(nodesOf(more)).toHaveLength(2);
    expect(stateOf(stray)).toMatchObject({ state: 'dead', held: true });
    expect(await installation.reported('StrayQuarantined')).toHaveLength(1);
  });

  it('a repair on request deletes it, and nothing else', async () => {
    const before = await installation.hosts();
    expect(await checked({ repair: true })).toMatchObject({ items: [], repair: { state: 'helped', strays: 'delete' } });
    expect(stateOf(stray)).toBeUndefined();
    expect([...(await installation.hosts())].toSorted()).toEqual(before.filter((host) => host !== stray).toSorted());
  });

  it('the receipt of the deletion does not mention a stray that was deleted before', async () => {
    await installation.remove();
    expect(JSON.parse(hosts('status'))).toEqual([]);
  });
});
