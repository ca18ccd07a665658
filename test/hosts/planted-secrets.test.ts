/** A full life on real hosts: the keys of its pools and of its kubeconfig are nowhere but where they belong. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { at } from '../local/clients.ts';
import { clusterOf, Installation } from './installation.ts';
import { smallManifest } from './small-manifest.ts';

const name = 'planted';
const compute = (count: number) => ({ 'compute-1': { provider: 'local-2', region: 'here', count } });

describe('keys of a cluster on real hosts', () => {
  let installation: Installation;
  /** What to look for, by what it is. */
  const planted = new Map<string, string>();

  beforeAll(async () => {
    installation = await Installation.open();
  });
  afterAll(() => installation.close());

  /** Places in the data directory that hold one of them; the disks of the hosts are the hosts' own. */
  async function places(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const entry of await readdir(installation.home, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      const place = relative(installation.home, file);
      if (!entry.isFile() || place.startsWith('hosts/')) continue;
      const text = await readFile(file, 'latin1').catch(() => '');
      for (const [what, value] of planted) {
        const forms = [value, Buffer.from(value).toString('base64').slice(0, -4)];
        if (forms.some((form) => text.includes(form))) found.push(`${place.split('/')[0]}: ${what}`);
      }
    }
    return [...new Set(found)];
  }

  it('keys are created with their cluster', async () => {
    const manifest = await installation.apply(name, smallManifest({ name, compute: compute(1) }));
    const cluster = clusterOf(manifest);
    expect(manifest.status, JSON.stringify(cluster.failure)).toBe('Done');
    const ssm = new SSMClient(at(installation.platform.endpoints.ssm ?? '', installation.platform.token));
    const { Parameters = [] } = await ssm.send(
      new GetParametersByPathCommand({ Path: '/kubeloom/ssh', Recursive: true, WithDecryption: true }),
    );
    for (const { Name = '', Value = '{}' } of Parameters) {
      const { privatekey } = JSON.parse(Value) as { privatekey: string };
      planted.set(`key of ${Name.split('/').at(-1)}`, privatekey.split('\n')[2] ?? '');
    }
    const kubeconfig = await installation.kubeconfig(name, cluster);
    const { users } = parse(await readFile(kubeconfig, 'utf8')) as { users: { user: Record<string, string> }[] };
    planted.set('kubeconfig', users[0]?.user['client-key-data'] ?? users[0]?.user.token ?? '');
    expect([...planted.values()].every((value) => value.length > 30)).toBe(true);
    expect(planted.size).toBe(3);
  });

  it("keys are in no kept log, event, state, history or answer, and the kubeconfig is the owner's", async () => {
    // `kubeconfig` is the copy that this test was given.
    expect((await places()).toSorted()).toEqual(['kubeconfig: kubeconfig', 's3: kubeconfig']);
  });

  it('keys are in no file after a change and a deletion', async () => {
    const manifest = await installation.apply(name, smallManifest({ name, compute: compute(2) }));
    expect(manifest.status).toBe('Done');
    expect((await places()).toSorted()).toEqual(['kubeconfig: kubeconfig', 's3: kubeconfig']);
    await installation.remove(name);
    expect(await places()).toEqual(['kubeconfig: kubeconfig']);
  });
});
