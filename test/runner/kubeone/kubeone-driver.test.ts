/** The kubernetes stage with a KubeOne that leaves what the test asks for. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kubeconfigText, readKubeconfig } from '#documents/kubeconfig.ts';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import { kubeconfigTo } from '#test/fakes/kubeconfigs.ts';
import {
  calls,
  closeKubeOne,
  fakeKubeOne,
  hosts,
  key,
  kubernetes,
  openKubeOne,
  recordings,
  world,
} from '../recorded-kubeone.ts';
import { aDocument } from '../stage-world.ts';

const read = readKubeconfig(kubeconfigTo());
const ours = 'parts' in read ? kubeconfigText('shop', read.parts) : '';

beforeEach(openKubeOne);
afterEach(closeKubeOne);

describe('KubeOne apply', () => {
  it('the kubeconfig and the backup of the certificate authority are stored', async () => {
    const result = await world.run('kubernetes');
    expect(result).toMatchObject({ ok: true, summary: { kubernetesVersion: '1.34.2' } });
    expect(calls()).toEqual(['version', 'apply -m kubeone.yaml -y']);
    expect((await world.facts()).kubeconfigKey).toBe(key);
    expect(await world.ports.artifacts.getText(key)).toBe(ours);
    expect(await world.ports.artifacts.getText('pki/team/shop/shop-1234567.tar.gz')).toBe('pki\n');
    expect((await world.facts()).simulated).toEqual([]);
  });

  it('a backup of the certificate authority that 0.1.0 kept next to the kubeconfig is moved', async () => {
    const former = `${key}.pki.tar.gz`;
    await world.ports.artifacts.putText(former, 'old');
    expect((await world.run('kubernetes')).ok).toBe(true);
    expect(await world.ports.artifacts.getText(former)).toBeUndefined();
  });

  it('a simulated control plane is recorded when the program reports one', async () => {
    writeFileSync(`${recordings}.version`, '{"kubeone":{"gitVersion":"v1.14.1","simulated":true}}');
    await world.run('kubernetes');
    expect((await world.facts()).simulated).toEqual(['control plane']);
    expect(await world.reported()).toEqual(['KubernetesInstalled: Kubernetes 1.34.2 runs (simulated control plane)']);
  });

  it('a KubeOne failure is reported with its last lines of output', async () => {
    writeFileSync(
      `${recordings}.fail`,
      'Error: workers-bbbbbbb-01: dial tcp 198.18.0.3:2222: connect: no route to host\n',
    );
    expect((await world.run('kubernetes')).error).toMatchObject({
      class: 'transient',
      code: 'HostUnreachable',
      resource: 'workers-bbbbbbb-01',
    });
  });

  describe('a failure that a full disk would explain', () => {
    const output = readFileSync(new URL('../kubeone-outputs/full-disk.txt', import.meta.url), 'utf8');
    const size = 'Filesystem     1024-blocks     Used Available Capacity Mounted on';
    const files = 'Filesystem       Inodes   IUsed    IFree IUse% Mounted on';
    const roomy = '/dev/vda         264212084 50418808  45082456      53% /';
    const many = '/dev/vda       16777216 1145198 15632018    7% /';
    async function failure(...answer: readonly string[]) {
      // The load balancer has another address than the nodes of Kubernetes.
      const balancer = { ...hosts.facts.nodes['edge-ccccccc-01'], publicAddress: '198.51.100.9' };
      await world.put(aDocument([kubernetes('apply')], { target: hosts.state() }), {
        ...hosts.facts,
        nodes: { ...hosts.facts.nodes, 'edge-ccccccc-01': balancer },
      });
      writeFileSync(`${recordings}.fail`, output.replaceAll(/198\.18\.\d+\.\d+/g, '127.0.0.1'));
      writeFileSync(`${recordings}.df`, `${answer.join('\n')}\n`);
      world.set(
        'KUBELOOM_SSH',
        world.script(
          'ssh',
          `#!/bin/bash\ncase "$*" in *"df -Pk"*) cat "$KUBELOOM_TEST_RECORDINGS.df";; *) exec ssh "$@";; esac\n`,
        ),
      );
      return (await world.run('kubernetes')).error;
    }

    it('the machine is asked for its disks, and the one that is full is the cause', async () => {
      const full = 'records               7876     7812        64      100% /var/lib/dpkg';
      expect(await failure(size, roomy, full, 'files', files, many)).toMatchObject({
        class: 'user',
        code: 'DiskFull',
        resource: 'basement-01',
        message: expect.stringMatching(/Unmet dependencies.*; its disk is full: \/var\/lib\/dpkg has 64 kB left$/),
        hint: expect.stringContaining('df -h'),
      });
    });

    it('a disk without room for more files is full, too', async () => {
      const none = '/dev/vda       16777216 16777216 0    100% /var';
      const { message = '' } = (await failure(size, roomy, 'files', files, many, none)) ?? {};
      expect(message).toMatch(/its disk is full: \/var has room for 0 more files$/);
    });

    it.each([
      ['has room on all of them', [size, roomy, 'files', files, many]],
      [
        'has file systems that do not count files',
        [size, roomy, 'files', files, 'btrfs 0 0 0 -  /', 'btrfs 0 0 0 0% /'],
      ],
      ['does not answer', []],
      [
        'says what is no table',
        ['/dev/vda 1 1 0 100% /\u001b[31m; rm -rf /', '/dev/vda 1 1 -5 100% /', `x 1 1 0 1% /${'a'.repeat(500)}`],
      ],
    ])('the failure is what KubeOne says when the machine %s', async (_, answer) => {
      expect(await failure(...answer)).toMatchObject({ class: 'user', code: 'PackagesBroken' });
    });
  });

  it('add-ons are found in KUBELOOM_ADDONS and in the templates, and one that is nowhere stops the stage before KubeOne', async () => {
    const target = hosts.state({ kubernetesOptions: { addons: 'site' } });
    await world.put(aDocument([kubernetes('apply')], { target }), hosts.facts);
    expect((await world.run('kubernetes')).error).toMatchObject({ class: 'user', code: 'AddonsMissing' });
    expect(existsSync(`${recordings}.manifest`)).toBe(false);
    for (const place of [join(world.templates, 'addons'), join(world.directory, 'own')]) {
      mkdirSync(join(place, 'site'), { recursive: true });
      writeFileSync(join(place, 'site', 'network.yaml'), '');
      if (place.endsWith('own')) world.set('KUBELOOM_ADDONS', `/nowhere:${place}`);
      expect((await world.run('kubernetes')).ok).toBe(true);
      const { addons } = parse(readFileSync(`${recordings}.manifest`, 'utf8'));
      expect(addons).toEqual({ enable: true, path: join(place, 'site') });
    }
  });

  it('a missing kubeconfig fails the stage', async () => {
    writeFileSync(`${recordings}.nothing`, '');
    expect((await world.run('kubernetes')).error?.code).toBe('KubeconfigMissing');
  });

  it('the KubeOne release that supports the Kubernetes version is used when it is installed', async () => {
    world.set('KUBELOOM_KUBEONE', '');
    world.script('kubeone-1.14.1', fakeKubeOne);
    world.set('PATH', `${world.directory}:${process.env.PATH}`);
    expect((await world.run('kubernetes')).ok).toBe(true);
  });

  it('a kubeone of an earlier directory of the PATH comes before releases of a later one', async () => {
    world.set('KUBELOOM_KUBEONE', '');
    const later = join(world.directory, 'later');
    mkdirSync(later);
    world.script('later/kubeone-1.14.1', '#!/bin/bash\nexit 1\n');
    world.set('PATH', `${world.directory}:${later}:${process.env.PATH}`);
    expect((await world.run('kubernetes')).ok).toBe(true);
  });
});

describe('an upgrade that was interrupted', () => {
  const fakeKubectl = `#!/bin/bash
out=$KUBELOOM_TEST_RECORDINGS
shift
echo "kubectl $*" >> "$out.calls"
case "$*" in
  get*) [ ! -e "$out.away" ] || { rm "$out.away"; echo 'The connection to the server was refused' >&2; exit 1; }
    cat "$out.nodes";;
  version*) cat "$out.server";;
esac
`;
  const label = 'kubeone.io/upgrade-in-progress';
  const node = (name: string, version: string, labels = {}) => ({
    metadata: { name, labels },
    status: { nodeInfo: { kubeletVersion: `v${version}` } },
  });
  const upgrade = async (server: string, nodes: readonly object[]) => {
    writeFileSync(`${recordings}.nodes`, JSON.stringify({ items: nodes }));
    writeFileSync(`${recordings}.server`, JSON.stringify({ serverVersion: { gitVersion: `v${server}` } }));
    const before = hosts.state({ kubernetesVersion: '1.34.1' });
    await world.put(aDocument([kubernetes('apply')], { direction: 'upgrade', before, target: hosts.state() }), {
      ...hosts.facts,
      kubeconfigKey: key,
    });
    expect((await world.run('kubernetes')).ok).toBe(true);
    return calls().map((call) => call.replace(/ --request.*/, ''));
  };

  beforeEach(async () => {
    world.set('KUBELOOM_KUBECTL', world.script('kubectl', fakeKubectl));
    await world.ports.artifacts.putText(key, kubeconfigTo());
  });

  it('an upgrade waits while a user holds a node that is not upgraded yet', async () => {
    const lock = { 'kubeloom.dev/upgrade-lock': '' };
    const held = node('workers-bbbbbbb-01', '1.34.1', lock);
    await expect(upgrade('1.34.1', [held])).rejects.toThrow();
    expect(calls().some((call) => call.startsWith('apply'))).toBe(false);
    const { error } = await world.run('kubernetes');
    expect(error).toMatchObject({ class: 'conflict', code: 'NodeLocked', resource: 'workers-bbbbbbb-01' });
    expect(error?.hint).toContain('once the node may be upgraded');
    const made = await upgrade('1.34.1', [node('workers-bbbbbbb-01', '1.34.2', lock)]);
    expect(made.at(-1)).toMatch(/^apply/);
  });

  it('an upgrade that starts is left to KubeOne', async () => {
    const made = await upgrade('1.34.1', [node('control-aaaaaaa-01', '1.34.1')]);
    expect(made.at(-1)).toBe('apply -m kubeone.yaml -y');
  });

  it('a node at which KubeOne was killed is uncordoned and loses its label, and the upgrade is forced', async () => {
    const nodes = [node('control-aaaaaaa-01', '1.34.2', { [label]: '' }), node('workers-bbbbbbb-01', '1.34.2')];
    expect(await upgrade('1.34.2', nodes)).toEqual([
      'version',
      'kubectl get nodes -o json',
      'kubectl uncordon control-aaaaaaa-01',
      `kubectl label node control-aaaaaaa-01 ${label}-`,
      'apply -m kubeone.yaml -y --force-upgrade',
    ]);
    expect((await world.reported()).join()).toContain(
      'UpgradeResumed: an earlier upgrade to 1.34.2 was interrupted at control',
    );
  });

  it('an API server that is restarted by what the killed KubeOne has started is waited for', async () => {
    writeFileSync(`${recordings}.away`, '');
    const made = await upgrade('1.34.2', [node('control-aaaaaaa-01', '1.34.1')]);
    expect(made.filter((call) => call.startsWith('kubectl get'))).toHaveLength(2);
    expect(made.at(-1)).toBe('apply -m kubeone.yaml -y --force-upgrade');
  });

  it('the upgrade is forced when the API server is upgraded and a kubelet is not', async () => {
    const made = await upgrade('1.34.2', [node('control-aaaaaaa-01', '1.34.2'), node('workers-bbbbbbb-01', '1.34.1')]);
    expect(made.at(-1)).toBe('apply -m kubeone.yaml -y --force-upgrade');
  });
});

describe('KubeOne reset', () => {
  const reset = (nodes: ClusterFacts['nodes'] = {}) =>
    world.put(aDocument([kubernetes('reset')], { before: hosts.state(), target: null }), {
      ...hosts.facts,
      nodes: { ...hosts.facts.nodes, ...nodes },
      kubeconfigKey: key,
    });
  beforeEach(() => reset());

  it('a reset deletes the backup of the certificate authority, also where 0.1.0 kept it', async () => {
    const backups = ['pki/team/shop/shop-1234567.tar.gz', `${key}.pki.tar.gz`];
    for (const backup of backups) await world.ports.artifacts.putText(backup, 'pki');
    expect((await world.run('kubernetes')).ok).toBe(true);
    expect(await Promise.all(backups.map((backup) => world.ports.artifacts.getText(backup)))).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('a reset deletes the kubeconfig', async () => {
    await world.ports.artifacts.putText(key, kubeconfigTo());
    expect((await world.run('kubernetes')).ok).toBe(true);
    const unasked = ['destroy-workers', 'remove-volumes', 'remove-lb-services'].map((option) => `--${option}=false`);
    expect(calls()[0]).toBe(`reset -m kubeone.yaml -y --remove-binaries ${unasked.join(' ')}`);
    expect(await world.ports.artifacts.list('kubeconfigs/')).toEqual([]);
    expect(await world.facts()).not.toHaveProperty('kubeconfigKey');
  });

  it('a reset continues when a node could not be reset', async () => {
    writeFileSync(`${recordings}.fail`, 'Error: no route to host\n');
    expect((await world.run('kubernetes')).ok).toBe(true);
    expect((await world.reported()).join()).toContain('ResetIncomplete');
  });

  it('a reset works without nodes that do not answer', async () => {
    await reset({ 'workers-bbbbbbb-01': hosts.dead });
    expect((await world.run('kubernetes')).summary).toEqual({ nodesReset: 3 });
    expect(readFileSync(`${recordings}.manifest`, 'utf8')).not.toContain('workers-bbbbbbb-01');
  });

  it('KubeOne is not run for a reset when no control node answers', async () => {
    await reset({ 'control-aaaaaaa-01': hosts.dead, 'control-aaaaaaa-02': hosts.dead });
    expect((await world.run('kubernetes')).ok).toBe(true);
    expect(existsSync(`${recordings}.calls`)).toBe(false);
    expect((await world.reported()).join()).toContain('ResetIncomplete: no control node answers');
  });
});
