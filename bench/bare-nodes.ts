/**
 * Playbooks on nodes that lack their packages, on real hosts: seconds, and what apt was asked. `node bench/bare-nodes.ts`: ROUNDS (3),
 * BEFORE (a directory of older templates, measured in turn with these). Needs root, and apt lists of Debian 12 on this machine: the archive
 * of the nodes is all of these lists, on a disk of theirs, so nothing is downloaded while it is measured.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { NodesFleet } from '../test/hosts/nodes-fleet.ts';
import { round, setting } from './numbers.ts';

const missing = ['haproxy', 'nftables', 'wireguard-tools', 'wireguard-go', 'iputils-ping'];
const names = ['lb', 'worker'];
const fleet = new NodesFleet([
  { name: 'lb', kind: 'loadbalancers', provider: 'north' },
  { name: 'worker', kind: 'compute', provider: 'north' },
]);
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');

/** A directory that apt reads as an archive: the lists of this machine, and files of the missing packages alone. */
function makeArchive(): string {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-archive-'));
  const lists = '/var/lib/apt/lists';
  const files = readdirSync(lists).filter((name) => /_main_binary-\w+_Packages/.test(name));
  const text = files
    .map((name) => execFileSync('/usr/lib/apt/apt-helper', ['cat-file', join(lists, name)], { maxBuffer: 1 << 28 }))
    .join('\n');
  const downloads = mkdtempSync(join(tmpdir(), 'kubeloom-packages-'));
  execFileSync('apt-get', ['download', '-q', ...missing], { cwd: downloads, stdio: 'ignore' });
  for (const file of readdirSync(downloads)) {
    const name = file.replaceAll('%3a', ':').replace(/^([^_]+)_(?:\d+:)?/, '$1_');
    const path = text.split('\n').find((line) => line.startsWith('Filename: ') && line.endsWith(`/${name}`));
    if (path === undefined) throw new Error(`the lists of this machine do not name ${name}: apt-get update`);
    const target = join(directory, path.slice('Filename: '.length));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(downloads, file), target);
  }
  rmSync(downloads, { recursive: true });
  writeFileSync(join(directory, 'Packages'), text);
  const sums = ` ${sha256(text)} ${Buffer.byteLength(text)} Packages`;
  writeFileSync(join(directory, 'Release'), `Date: ${new Date().toUTCString()}\nSHA256:\n${sums}\n`);
  return directory;
}

/** An apt that notes what it is asked and how long it takes, before the node's own. */
const noted = `#!/bin/bash
began=$(date +%s%N)
/usr/bin/apt-get "$@"; code=$?
verb=install; [[ " $* " != *" update"* ]] || verb=update
echo "$verb $(( ($(date +%s%N) - began) / 1000000 ))" >>/root/apt-calls
exit $code
`;

async function prepare(archive: string): Promise<void> {
  for (const name of names) {
    const tar = execFileSync('tar', ['-C', archive, '-cz', '.'], { maxBuffer: 1 << 28 });
    await fleet.ssh(name, 'mkdir -p /opt/archive && rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*');
    const login = ['-i', fleet.keyFile, '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'];
    execFileSync('ssh', [...login, `root@${fleet.address(name)}`, 'tar -xzC /opt/archive'], {
      input: tar,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const encoded = Buffer.from(noted).toString('base64');
    await fleet.ssh(name, `echo 'deb [trusted=yes] file:/opt/archive ./' >/etc/apt/sources.list`);
    await fleet.ssh(name, `echo ${encoded} | base64 -d >/usr/local/bin/apt-get && chmod 755 /usr/local/bin/apt-get`);
  }
}

/** As an image of a cloud: without our packages, and without lists. */
async function strip(): Promise<void> {
  for (const name of names) {
    await fleet.ssh(name, 'systemctl stop wg-quick@wg0 haproxy 2>/dev/null; true');
    await fleet.ssh(name, `dpkg --purge --force-depends ${missing.join(' ')} >/dev/null 2>&1; true`);
    await fleet.ssh(name, 'rm -rf /var/lib/apt/lists/* /run/kubeloom-apt /root/apt-calls /etc/wireguard /etc/haproxy');
  }
}

/** By node: what apt was asked, with milliseconds. */
async function aptCalls(): Promise<Record<string, string[]>> {
  const calls = names.map(async (name) => [name, (await fleet.ssh(name, 'cat /root/apt-calls')).split('\n')] as const);
  return Object.fromEntries(await Promise.all(calls));
}

async function measure(templates: string | undefined) {
  await strip();
  if (templates === undefined) delete process.env.KUBELOOM_TEMPLATES;
  else process.env.KUBELOOM_TEMPLATES = templates;
  const firewall = {
    kubeloom_firewall: {
      ssh_port: 22,
      wireguard_port: 51820,
      tcp: [],
      udp: [],
      pod_devices: ['lxc*'],
      admin: ['0.0.0.0/0'],
      peers: names.map((name) => `${fleet.address(name)}/32`),
    },
  };
  const variables = Object.fromEntries(names.map((name) => [name, firewall]));
  const configured = await fleet.play('configure', { install: names, variables });
  const directed = await fleet.play('load-balancers', { balance: ['lb'], variables });
  const troubles = [...configured.troubles, ...directed.troubles];
  if (troubles.length > 0) throw new Error(JSON.stringify(troubles));
  return { seconds: (configured.milliseconds + directed.milliseconds) / 1000, apt: await aptCalls() };
}

/** The apt runs of Claudie's playbooks for the same packages: lists and packages twice. Without its Ansible, and without recommended packages. */
async function measureFourRuns() {
  await strip();
  const started = performance.now();
  await Promise.all(
    names.map(async (name) => {
      const second = name === 'lb' ? 'haproxy nftables' : 'nftables iputils-ping';
      const runs = ['wireguard-tools wireguard-go', second].map(
        (packages) => `update && apt-get install --no-install-recommends -y ${packages}`,
      );
      await fleet.ssh(name, runs.map((run) => `DEBIAN_FRONTEND=noninteractive apt-get ${run} >/dev/null`).join(' && '));
    }),
  );
  return { seconds: (performance.now() - started) / 1000, apt: await aptCalls() };
}

const archive = makeArchive();
try {
  await fleet.start();
  await prepare(archive);
  const versions = { before: process.env.BEFORE, now: undefined };
  const seconds: Record<string, number[]> = {};
  const apt: Record<string, unknown> = {};
  for (let turn = 0; turn < setting('ROUNDS', 3); turn++) {
    for (const [name, templates] of Object.entries(versions)) {
      if (name === 'before' && templates === undefined) continue;
      const run = await measure(templates);
      seconds[name] = [...(seconds[name] ?? []), round(run.seconds)];
      apt[name] = run.apt;
    }
    const four = await measureFourRuns();
    seconds['apt alone, in four runs'] = [...(seconds['apt alone, in four runs'] ?? []), round(four.seconds)];
    apt['apt alone, in four runs'] = four.apt;
  }
  const load = loadavg().map(round);
  process.stdout.write(
    `${JSON.stringify({ what: 'configure and load-balancers on two bare nodes', seconds, apt, load }, null, 2)}\n`,
  );
} finally {
  await fleet.stop();
  rmSync(archive, { recursive: true, force: true });
}
