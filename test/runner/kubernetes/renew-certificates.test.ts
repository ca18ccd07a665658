/** The renewal of certificates on control nodes, with the scripts of the nodes: in which order, what it waits for, how it continues. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { certificateTimes } from '#documents/pem.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { adminConfUntil, certificateUntil } from '#test/fakes/certificates.ts';
import { encoded } from '#test/fakes/kubeconfigs.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from '../stage-world.ts';

const state = twoProviderState();
const [first, second] = ['control-aaaaaaa-01', 'control-aaaaaaa-02'] as const;
const kubeconfigKey = 'kubeconfigs/team/shop/shop-1234567';

/** Runs what it is sent with the files of that machine in place of /etc/kubernetes. */
const ssh = `#!/bin/bash
for word in "$@"; do case $word in *known_hosts-*) host=\${word##*known_hosts-};; esac; done
[ ! -e "$MACHINES/$host.silent" ] || { echo 'Connection refused' >&2; exit 255; }
command="\${*: -1}"
export HOST=$host
{ case $command in */bin/bash*) cat;; *) echo "$command";; esac; } | sed "s#/etc/kubernetes#$MACHINES/$host#g;s#sleep 1#sleep 0#;s#seq 360#seq 3#" |
  bash | sed "s#$MACHINES/$host#/etc/kubernetes#g"
exit "\${PIPESTATUS[2]}"
`;
const kubeadm = `#!/bin/bash
echo "$HOST kubeadm $*" >>"$MACHINES/calls"
[ ! -e "$MACHINES/$HOST.broken" ] || { echo 'error: the disk is full' >&2; exit 1; }
cp -r "$MACHINES/$HOST.new/." "$MACHINES/$HOST/"
`;
/** Each container has a number, which the next one raises. */
const crictl = `#!/bin/bash
for word in "$@"; do case $word in --name=*) name=\${word#*=};; esac; done
if [ "$1" = ps ]; then echo "$name-$(cat "$MACHINES/$HOST.$name" 2>/dev/null || echo 0)"; exit; fi
id="\${*: -1}"
echo "$HOST stop \${id%-*}" >>"$MACHINES/calls"
[ "$(cat "$MACHINES/$HOST.stuck" 2>/dev/null)" != "\${id%-*}" ] && echo $((\${id##*-} + 1)) >"$MACHINES/$HOST.\${id%-*}"
exit 0
`;
const kubectl = `#!/bin/bash
echo "$HOST ready?" >>"$MACHINES/calls"
[ ! -e "$MACHINES/$HOST.unready" ]
`;

let world: StageWorld;
let machines: string;

beforeEach(async () => {
  world = stageWorld();
  machines = join(world.directory, 'machines');
  mkdirSync(machines);
  world.set('MACHINES', machines);
  for (const [name, text] of Object.entries({ ssh, kubeadm, crictl, kubectl })) world.script(name, text);
  world.set('KUBELOOM_SSH', join(world.directory, 'ssh'));
  world.set('PATH', `${world.directory}:${process.env.PATH}`);
  cpSync(join(import.meta.dirname, '../../../templates/ansible/files'), join(world.templates, 'ansible/files'), {
    recursive: true,
  });
  const { privateKey, publicKey } = makeSshKeyPair('control');
  await world.ports.secrets.put('ssh/team/shop/shop-1234567/control-aaaaaaa', {
    privatekey: privateKey,
    publickey: publicKey,
  });
  await world.ports.artifacts.putText(kubeconfigKey, adminConfUntil('2026-12-30T00:00:00Z'));
  for (const name of [first, second]) machine(name, '2026-12-30T00:00:00Z');
});
afterEach(() => world.close());

/** A control node whose certificates end then, and what kubeadm makes of them. */
function machine(name: string, until: string, renewed = '2027-11-20T12:00:00Z'): void {
  for (const [folder, end] of [
    [name, until],
    [`${name}.new`, renewed],
  ] as const) {
    mkdirSync(join(machines, folder, 'pki'), { recursive: true });
    writeFileSync(join(machines, folder, 'pki/apiserver.crt'), certificateUntil(end, '2025-12-30T00:00:00Z'));
    writeFileSync(join(machines, folder, 'admin.conf'), adminConfUntil(end, { from: '2025-12-30T00:00:00Z' }));
  }
}
const mark = (name: string, what: string, text = ''): void => writeFileSync(join(machines, `${name}.${what}`), text);
const calls = (): readonly string[] =>
  existsSync(join(machines, 'calls')) ? readFileSync(join(machines, 'calls'), 'utf8').trim().split('\n') : [];

async function renew(certificates: readonly string[] = [first, second]) {
  const facts = { ...twoProviderFacts, kubeconfigKey };
  const work = { action: 'renew' as const, certificates: [...certificates] };
  const plan = { stage: 'kubernetes' as const, reasons: ['certificates'], work };
  await world.put(aDocument([plan], { direction: 'repair', before: state, target: state, facts }));
  return world.run('kubernetes');
}
const storedEnd = async (): Promise<string | undefined> => {
  const text = (await world.ports.artifacts.getText(kubeconfigKey)) ?? '';
  return certificateTimes(/client-certificate-data: (\S+)/.exec(text)?.[1] ?? '')?.[0]?.until;
};

describe('the renewal of certificates', () => {
  it('control nodes are renewed and restarted one after the other, and the new kubeconfig is kept', async () => {
    const { ok, error, summary } = await renew();
    expect(error).toBeUndefined();
    expect({ ok, summary }).toEqual({ ok: true, summary: { nodesRenewed: 2 } });
    const restarts = (name: string) =>
      [
        'kubeadm certs renew all',
        // No request waits for an etcd that is away.
        'stop kube-apiserver',
        'stop etcd',
        'stop kube-controller-manager',
        'stop kube-scheduler',
      ].map((what) => `${name} ${what}`);
    expect(calls().filter((call) => !call.endsWith('ready?'))).toEqual([...restarts(first), ...restarts(second)]);
    // The other one first, then its own when both are back.
    expect(calls()[0]).toBe(`${second} ready?`);
    expect(await storedEnd()).toBe('2027-11-20T12:00:00.000Z');
    expect((await world.facts()).kubeconfigExpiries).toContainEqual(
      expect.objectContaining({ what: 'kubeconfig', until: '2027-11-20T12:00:00.000Z' }),
    );
    expect((await world.reported()).filter((event) => event.startsWith('CertificatesRenewed'))).toHaveLength(2);
    expect(existsSync(join(machines, first, 'kubeloom-renewal'))).toBe(false);
  });

  it('a node whose certificates are new is left alone', async () => {
    machine(second, '2027-10-01T00:00:00Z');
    expect((await renew()).summary).toEqual({ nodesRenewed: 1 });
    expect(calls().some((call) => call.startsWith(`${second} stop`))).toBe(false);
  });

  it('nothing restarts while another control node is not ready, unless the end is near', async () => {
    machine(first, '2027-02-10T00:00:00Z');
    mark(second, 'unready');
    const { ok, error } = await renew([first]);
    expect(ok).toBe(false);
    expect(error).toMatchObject({ code: 'ControlPlaneNotReady', class: 'transient', resource: second });
    expect(calls().some((call) => call.includes('stop') || call.includes('renew'))).toBe(false);
    machine(first, '2026-11-25T00:00:00Z');
    rmSync(join(machines, 'calls'));
    expect((await renew([first])).error).toBeUndefined();
  });

  it('an interrupted renewal continues with what was not restarted, and does not renew twice', async () => {
    mark(first, 'stuck', 'kube-apiserver');
    const stopped = await renew([first]);
    expect(stopped.error).toMatchObject({ code: 'CertificatesNotRenewed', resource: first });
    expect(stopped.error?.message).toContain('kube-apiserver did not start again');
    expect(readFileSync(join(machines, first, 'kubeloom-renewal'), 'utf8')).toBe('renewed\n');
    rmSync(join(machines, `${first}.stuck`));
    rmSync(join(machines, 'calls'));
    expect((await renew([first])).error).toBeUndefined();
    expect(calls().filter((call) => call.includes('kubeadm'))).toEqual([]);
    const again = calls().filter((call) => call.includes('stop'));
    const all = ['kube-apiserver', 'etcd', 'kube-controller-manager', 'kube-scheduler'];
    expect(again).toEqual(all.map((name) => `${first} stop ${name}`));
  });

  it('all control nodes are renewed before one of them is waited for, if certificates have ended', async () => {
    for (const name of [first, second]) machine(name, '2026-11-19T00:00:00Z');
    for (const name of [first, second]) mark(name, 'unready');
    const stopped = await renew([first]);
    expect(stopped.error).toMatchObject({ code: 'CertificatesNotRenewed', resource: first });
    const renewals = calls().flatMap((call, index) =>
      call.includes('kubeadm') ? [[call.split(' ')[0], index] as const] : [],
    );
    expect(renewals.map(([name]) => name)).toEqual([first, second]);
    expect(calls().findIndex((call) => call.endsWith('ready?'))).toBeGreaterThan(renewals[1]?.[1] ?? Infinity);
    for (const name of [first, second]) rmSync(join(machines, `${name}.unready`));
    expect((await renew([first])).error).toBeUndefined();
    expect(await storedEnd()).toBe('2027-11-20T12:00:00.000Z');
  });

  it('a renewal that fails names the node and the words of kubeadm', async () => {
    mark(first, 'broken');
    const { error } = await renew([first]);
    expect(error).toMatchObject({ code: 'CertificatesNotRenewed', resource: first });
    expect(error?.message).toContain('the disk is full');
    expect(await storedEnd()).toBe('2026-12-30T00:00:00.000Z');
  });

  it('a kubeconfig that is older than those of the nodes is fetched, and no node restarts', async () => {
    for (const name of [first, second]) machine(name, '2027-09-01T00:00:00Z');
    expect((await renew([])).summary).toEqual({ nodesRenewed: 0 });
    expect(calls()).toEqual([]);
    expect(await storedEnd()).toBe('2027-09-01T00:00:00.000Z');
  });

  it('a node with another authority gives no kubeconfig', async () => {
    for (const name of [first, second]) machine(name, '2027-09-01T00:00:00Z');
    const authority = encoded(certificateUntil('2099-01-01T00:00:00Z'));
    writeFileSync(join(machines, first, 'admin.conf'), adminConfUntil('2098-01-01T00:00:00Z', { authority }));
    expect((await renew([])).error).toBeUndefined();
    expect(await storedEnd()).toBe('2027-09-01T00:00:00.000Z');
  });

  it('what a machine prints in place of its certificates is a failure with its name', async () => {
    world.script('ssh', '#!/bin/bash\ncat >/dev/null\nprintf "fact: certificates={\\"/etc/passwd\\":\\"x\\"}\\n"\n');
    const { error } = await renew([first]);
    expect(error).toMatchObject({ code: 'CertificatesNotRenewed', resource: first });
  });
});
