/** A provider type that is only a git repository with a folder, on real hosts: from the document to its deletion. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { follow } from '#cli/follow/watch.ts';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { hostsHelper } from '#local/hosts-helper.ts';
import { type ArchiveServer, startArchiveServer } from '#test/plugins/archive-server.ts';
import { houseHosts, houseHostsFiles, houseHostsRepository } from '#test/plugins/house-hosts.ts';
import { allowGitServer, type GitServer, startGitServer } from '#test/templates/git-server.ts';
import { isRoot } from './host-workshop.ts';
import { clusterOf, Installation, nodesOf } from './installation.ts';

const name = 'house';

describe.runIf(isRoot)('a provider type from a git repository, or from an archive', () => {
  let server: GitServer;
  let archives: ArchiveServer;
  let installation: Installation;
  let forget: () => void;
  let made: ManifestDescription;

  /** As users of Kadende write it. */
  const document = (resourceProperties: object, size = 1): object => ({
    version: '0.0.1',
    name,
    groups: { web: { size, resourcePlugin: { name: houseHosts, url: `https://${server.url}` }, resourceProperties } },
  });
  const mottos = (): readonly string[] =>
    readdirSync(installation.hostsDirectory)
      .filter((file) => file.endsWith('.motto'))
      .map((file) => `${file} ${readFileSync(join(installation.hostsDirectory, file), 'utf8')}`)
      .toSorted();

  const checked = async (of: string, options: { repair?: boolean }) => {
    const key = { namespace: 'default', name: of };
    const { runId } = await installation.api.driftManifest(key, options);
    const { manifest } = await follow(installation.api, key, { runId, quiet: true });
    if (manifest === undefined) throw new Error('the manifest is gone');
    return clusterOf(manifest).drift;
  };

  beforeAll(async () => {
    server = await startGitServer();
    server.commit(houseHostsRepository());
    server.git('tag', 'v1.9.0');
    server.git('tag', 'v1.10.0');
    archives = await startArchiveServer();
    forget = allowGitServer(archives, server);
    installation = await Installation.open();
  });
  afterAll(async () => {
    await installation?.close();
    await server?.close();
    await archives?.close();
    forget?.();
  });

  it('properties that its schema refuses are faults with their places, and no machine is made', async () => {
    await expect(installation.apply(name, document({ motto: 'x', flour: 2 }))).rejects.toMatchObject({
      problem: {
        faults: [
          { path: 'spec.groups.web.resourceProperties.motto', reason: expect.stringMatching(/>=3/) },
          { path: 'spec.groups.web.resourceProperties.flour', reason: 'is not a property of the type' },
        ],
      },
    });
    expect(await installation.hosts()).toEqual([]);
  });

  it('machines of a plugin are created with the properties of the document', async () => {
    made = await installation.apply(name, document({ motto: 'stay warm', floor: 2 }));
    expect(made.status, JSON.stringify(clusterOf(made).failure)).toBe('Done');
    expect(await installation.hosts()).toEqual(nodesOf(made));
    expect(mottos()).toEqual(nodesOf(made).map((node) => `${node}.motto stay warm 2`));
  });

  it('a retry makes another machine by the version that was pinned, although there is a newer one', async () => {
    const lift = await installation.fault('web-*', 'no power');
    const failed = await installation.apply(name, document({ motto: 'stay warm', floor: 2 }, 2));
    expect(failed.status).toBe('Failed');
    server.commit(houseHostsRepository({ title: 'Newer hosts' }));
    server.git('tag', 'v1.11.0');
    await lift();
    const more = await installation.retry(name);
    expect(more.status, JSON.stringify(clusterOf(more).failure)).toBe('Done');
    expect(nodesOf(more)).toHaveLength(2);
    // Another version would replace the machine that exists.
    expect(nodesOf(more)).toEqual(expect.arrayContaining([...nodesOf(made)]));
    made = more;
  });

  it('a machine with its tags that no one knows is reported, and deleted on request', async () => {
    const { installation: id } = await installation.api.getVersion();
    const { cluster } = clusterOf(made);
    const [site] = readdirSync(join(installation.hostsDirectory, 'sites', id, cluster));
    const place = ['--installation', id, '--cluster', cluster, '--provider', site ?? '', '--region', 'default'];
    execFileSync(hostsHelper, ['up', ...place, '--host', 'who-is-that', '--id', 'unknown'], {
      env: {
        ...process.env,
        KUBELOOM_HOSTS_DIR: installation.hostsDirectory,
        KUBELOOM_SSH_PUBLIC_KEY: `ssh-ed25519 ${'A'.repeat(68)}`,
      },
      stdio: 'ignore',
    });
    expect(await checked(name, {})).toMatchObject({
      items: [{ kind: 'stray', where: { name: 'who-is-that' }, repairable: true }],
    });
    expect(await installation.hosts()).toContain('who-is-that');
    expect(await checked(name, { repair: true })).toMatchObject({ items: [], repair: { state: 'helped' } });
    expect(await installation.hosts()).toEqual(nodesOf(made));
  });

  it('changed properties replace the machines', async () => {
    const other = await installation.apply(name, document({ motto: 'keep cool', floor: 2 }, 2));
    expect(other.status, JSON.stringify(clusterOf(other).failure)).toBe('Done');
    expect(mottos()).toEqual(nodesOf(other).map((node) => `${node}.motto keep cool 2`));
    expect(nodesOf(other).filter((node) => nodesOf(made).includes(node))).toEqual([]);
    made = other;
  });

  it('a repository that is gone refuses the next document, and the machines are untouched', async () => {
    await server.close();
    const changed = installation.apply(name, document({ motto: 'too late' }, 2));
    await expect(changed).rejects.toMatchObject({ problem: { faults: [{ path: 'spec.groups.web.resourcePlugin' }] } });
    expect(await installation.hosts()).toEqual(nodesOf(made));
  });

  it('a deletion leaves nothing although the repository is gone: a copy of the type is kept', async () => {
    await installation.remove(name);
    expect(await installation.hosts()).toEqual([]);
    expect(mottos()).toEqual([]);
    const { items } = await installation.api.listAllEvents({ manifest: name, kind: ['DeletionReceipt'] });
    expect(items.map(({ message }) => message)).toEqual([
      expect.stringMatching(/: removed web-.*, web-.*; nothing with the tags of the cluster is left$/),
    ]);
    expect(await installation.leftovers()).toEqual([]);
  });

  it('an archive with another sum is refused, and one with the sum of the document makes machines', async () => {
    const sha256 = archives.put('house.tar.gz', houseHostsFiles());
    const packed = (sum: string): object => ({
      version: '0.0.1',
      name: 'packed',
      groups: {
        web: {
          size: 1,
          resourcePlugin: { name: houseHosts, url: `https://${archives.host}/house.tar.gz`, sha256: sum },
          resourceProperties: { motto: 'packed well' },
        },
      },
    });
    await expect(installation.apply('packed', packed('a'.repeat(64)))).rejects.toMatchObject({
      problem: {
        faults: [{ path: 'spec.groups.web.resourcePlugin', reason: expect.stringContaining(`the SHA-256 ${sha256}`) }],
      },
    });
    expect(await installation.hosts()).toEqual([]);
    const first = await installation.apply('packed', packed(sha256));
    expect(first.status, JSON.stringify(clusterOf(first).failure)).toBe('Done');
    expect(await installation.hosts()).toEqual(nodesOf(first));
    expect(mottos()).toEqual(nodesOf(first).map((node) => `${node}.motto packed well 0`));
  });

  it('the machines of an archive stay, are compared and are deleted when the archive is gone', async () => {
    await archives.close();
    const before = await installation.hosts();
    expect(await checked('packed', {})).toMatchObject({ items: [], unchecked: [] });
    expect(await installation.hosts()).toEqual(before);
    await installation.remove('packed');
    expect([...(await installation.hosts()), ...mottos(), ...(await installation.leftovers())]).toEqual([]);
  });
});
