/**
 * Roles that are added to a load balancer under traffic, on real hosts of its own: connections that were refused, held ones that broke.
 * `node bench/role-additions.ts`: ROLES (20), HELD (100), PER_SECOND (200). Needs root; some two minutes. Exits with 1 if any connection failed.
 */
import { connect, type Socket } from 'node:net';
import { loadavg } from 'node:os';
import type { BalancedRole } from '#rendering/balancer-files.ts';
import { NodesFleet } from '../test/hosts/nodes-fleet.ts';
import { connectWhile, knock, startTargets, targetPort } from '../test/hosts/traffic.ts';
import { percentiles, round, setting } from './numbers.ts';

const names = ['one', 'two', 'three', 'four'];
const firstPort = 8083;
const [roles, held, perSecond] = [setting('ROLES', 20), setting('HELD', 100), setting('PER_SECOND', 200)];

const fleet = new NodesFleet([
  { name: 'lb', kind: 'loadbalancers', provider: 'north' },
  ...names.map((name) => ({ name, kind: 'compute', provider: 'north' }) as const),
]);
const role = (number: number): BalancedRole => ({
  ...{ name: `role-${number}`, protocol: 'tcp', port: firstPort + number, targetPort },
  ...{ proxyProtocol: false, stickySessions: false },
  targets: names.map((target) => ({ name: target, address: fleet.privateAddress(target) })),
});

/** Adds one role; seconds that the playbook took. Throws when it is not served then. */
async function add(number: number): Promise<number> {
  const all = Array.from({ length: number + 1 }, (_, index) => role(index));
  const { code, troubles, milliseconds } = await fleet.play('load-balancers', { balance: ['lb'], roles: all });
  if (code !== 0) throw new Error(`role ${number} was not added: ${JSON.stringify(troubles)}`);
  const { target } = await knock(fleet.address('lb'), firstPort + number);
  if (target === undefined) throw new Error(`role ${number} is not served`);
  return milliseconds / 1000;
}

function hold(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: fleet.address('lb'), port: firstPort });
    socket.once('data', () => resolve(socket));
    socket.once('error', reject);
  });
}

try {
  await fleet.start();
  const { troubles } = await fleet.play('configure', { install: ['lb', ...names] });
  if (troubles.length > 0) throw new Error(JSON.stringify(troubles));
  await startTargets(fleet, names);
  await add(0);
  const sockets = await Promise.all(Array.from({ length: held }, hold));
  let broken = 0;
  for (const socket of sockets) socket.once('close', () => broken++).on('error', () => undefined);
  const seconds: number[] = [];
  const load = [loadavg()[0] ?? 0];
  const connections = await connectWhile({ host: fleet.address('lb'), port: firstPort, perSecond }, async () => {
    for (let number = 1; number <= roles; number++) seconds.push(await add(number));
  });
  load.push(loadavg()[0] ?? 0);
  const failed = connections.filter(({ target }) => target === undefined).length;
  const heldBroken = broken;
  for (const socket of sockets) socket.destroy();
  const playbookSeconds = percentiles(seconds);
  const answerMs = percentiles(connections.map(({ milliseconds }) => milliseconds));
  const whole = seconds.reduce((sum, one) => sum + one, 0);
  const counts = {
    roles,
    held,
    heldBroken,
    connections: connections.length,
    failed,
    perSecond: Math.round(connections.length / whole),
  };
  console.log(JSON.stringify({ ...counts, playbookSeconds, answerMs, load: load.map(round) }, null, 2));
  process.exitCode = failed + heldBroken > 0 ? 1 : 0;
} finally {
  await fleet.stop();
}
