/**
 * How much memory a check for drift takes at its peak while it asks many machines over SSH: the runner's own process and fifty programs
 * `ssh` at once, in a memory group of their own. `node bench/check-memory.ts [machines]`, as root, with cgroup v1 or v2. Machines are
 * a server on 127.0.0.1 that says nothing, so each `ssh` is alive for as long as it waits for a connection. JSON.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import { checkMesh } from '#runner/drift/check-mesh.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { staticPool, twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { aCheck, stageWorld } from '#test/runner/stage-world.ts';

const [machines = '100', port] = process.argv.slice(2);
if (port === undefined) await measure();
else await check(Number(machines), Number(port));

/** The check itself, in the group. */
async function check(count: number, sshPort: number): Promise<void> {
  const nodes = Array.from({ length: count }, (_, number) => ({
    name: `machine-${number}`,
    privateAddress: `192.168.${2 + (number >> 8)}.${number & 255}`,
    static: { endpoint: '127.0.0.1', username: 'root', secret: 'team/basement-key' },
  }));
  const state: ClusterState = { ...twoProviderState(), loadBalancers: [], pools: [{ ...staticPool, sshPort, nodes }] };
  const world = stageWorld();
  try {
    world.set('KUBELOOM_SECOND_LOOK_SECONDS', '0');
    const files = 'ansible/files';
    cpSync(join(import.meta.dirname, '../templates', files), join(world.templates, files), { recursive: true });
    await world.ports.secrets.put('user/team/basement-key', { privatekey: makeSshKeyPair('static').privateKey });
    await world.put(aCheck(state, twoProviderFacts));
    const { ok } = await world.checkDrift([checkMesh]);
    if (!ok || allNodes(state).length !== count) throw new Error('the check failed');
  } finally {
    world.close();
  }
}

/** Starts the check in a new group and follows what the group has. */
async function measure(): Promise<void> {
  const server = createServer((socket) => void socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const old = existsSync('/sys/fs/cgroup/memory');
  const group = join(old ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup', `kubeloom-check-${process.pid}`);
  mkdirSync(group);
  const child = spawn(
    'bash',
    ['-c', 'read -r _; exec "$@"', 'bash', process.execPath, import.meta.filename, machines, String(address.port)],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  );
  appendFileSync(join(group, 'cgroup.procs'), String(child.pid));
  child.stdin.end('go\n');
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let peak = 0;
  let processes = 0;
  while (child.exitCode === null) {
    const stat = readFileSync(join(group, 'memory.stat'), 'utf8');
    // Without files that the system could drop.
    peak = Math.max(peak, Number(new RegExp(`^${old ? 'total_rss' : 'anon'} (\\d+)$`, 'm').exec(stat)?.[1]));
    processes = Math.max(processes, readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').length - 1);
    await pause(20);
  }
  if ((await ended) !== 0) throw new Error('the check failed');
  const withFiles = Number(readFileSync(join(group, old ? 'memory.max_usage_in_bytes' : 'memory.peak'), 'utf8'));
  server.close();
  rmdirSync(group);
  const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
  console.log(
    JSON.stringify({
      machines: Number(machines),
      processesAtOnce: processes,
      peakMB: megabytes(peak),
      peakWithFilesMB: megabytes(withFiles),
    }),
  );
}
