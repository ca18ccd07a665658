/** Several simulated API servers of one cluster: one leads, all answer, nothing is lost when the leader goes. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SimulatedCluster } from './simulated-cluster.ts';

let cluster: SimulatedCluster;
const labelled = async (server: string, label: string): Promise<string> =>
  (await cluster.kubectl(server, 'get', 'nodes', '-l', label, '-o', 'name')).stdout;

beforeEach(async () => {
  cluster = await SimulatedCluster.start('first', 'second');
  await cluster.heartbeat('second', 'first', { control: true });
  await cluster.heartbeat('second', 'second', { control: true });
  await cluster.heartbeat('second', 'worker-3');
});
afterEach(() => cluster.stop());

test('an object that one member stores is known to the other', async () => {
  await cluster.kubectl('second', 'label', 'node', 'worker-3', 'from=second');
  expect(await labelled('first', 'from=second')).toBe('node/worker-3\n');
});

test('the second member takes over with all objects when the first dies', async () => {
  await cluster.kubectl('first', 'label', 'node', 'worker-3', 'kept=yes');
  await cluster.stopServer('first');
  expect(await labelled('second', 'kept=yes')).toBe('node/worker-3\n');
  expect((await cluster.kubectl('second', 'label', 'node', 'worker-3', 'later=yes')).code).toBe(0);
});

test('a member that returns learns what it missed before it leads again', async () => {
  await cluster.stopServer('first');
  await cluster.kubectl('second', 'label', 'node', 'worker-3', 'missed=no');
  await cluster.startServer('first');
  expect(await labelled('first', 'missed=no')).toBe('node/worker-3\n');
  await cluster.kubectl('first', 'label', 'node', 'worker-3', 'after=yes');
  expect(await labelled('second', 'missed=no,after=yes')).toBe('node/worker-3\n');
});

test('a leader whose node is deleted hands over, and forwards requests from then on', async () => {
  await cluster.kubectl('first', 'label', 'node', 'worker-3', 'kept=yes');
  expect((await cluster.kubectl('first', 'delete', 'node', 'first')).code).toBe(0);
  await cluster.kubectl('second', 'label', 'node', 'worker-3', 'later=yes');
  expect(await labelled('first', 'kept=yes,later=yes')).toBe('node/worker-3\n');
  await cluster.stopServer('second');
  expect((await cluster.kubectl('first', 'get', 'nodes')).stderr).toContain('no control-plane node answers');
});

test('a node without heartbeats is NotReady and tainted, and Ready again after the next one', async () => {
  await cluster.stopServer('first');
  await cluster.stopServer('second');
  await cluster.startServer('second', 100);
  await cluster.heartbeat('second', 'worker-3', { register: false });
  const status = ['get', 'node', 'worker-3', '-o', 'jsonpath={.status.conditions[*].status}'];
  await expect
    .poll(async () => (await cluster.kubectl('second', ...status)).stdout, { timeout: 15_000 })
    .toBe('Unknown');
  const taints = ['get', 'node', 'worker-3', '-o', 'jsonpath={.spec.taints[*].effect}'];
  expect((await cluster.kubectl('second', ...taints)).stdout).toBe('NoSchedule NoExecute');
  await cluster.stopServer('second');
  await cluster.startServer('second');
  await cluster.heartbeat('second', 'worker-3', { register: false });
  expect((await cluster.kubectl('second', ...taints)).stdout).toBe('');
});
