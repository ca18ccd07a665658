/**
 * The playbook that configures nodes, on real hosts that have their packages: seconds of each step, next to Claudie's playbooks for the same.
 * `node bench/configure.ts`: ROUNDS (1), each with new hosts. Needs root. Claudie's seconds are of commit 237367e8b with the same
 * ansible-core 2.14.18 on two quiet cores, in turn with ours (22 Nov 2026): compare on a quiet machine only.
 */
import { loadavg } from 'node:os';
import { NodesFleet, type Work } from '../test/hosts/nodes-fleet.ts';
import { median, round, setting } from './numbers.ts';

const claudie = {
  'one node, first': { seconds: 16.42, aim: 8 },
  'one node, again': { seconds: 15.89, aim: 12 },
  'six nodes, first': { seconds: 40.15, aim: 10 },
  'six nodes, again': { seconds: 37.43, aim: 15 },
  'six nodes, one more': { seconds: 28.96, aim: 10 },
  'six nodes, one less': { seconds: 21.59, aim: 10 },
} as const;
type Step = keyof typeof claudie;

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const six = names.slice(0, 6);
const seconds: Partial<Record<Step, number[]>> = {};

async function oneRound(fleet: NodesFleet): Promise<void> {
  const keys: Record<string, string> = {};
  const play = async (step: Step, work: Work): Promise<void> => {
    const { code, troubles, facts, milliseconds } = await fleet.play('configure', { ...work, keys: { ...keys } });
    if (code !== 0 || troubles.length > 0) throw new Error(`${step}: ${JSON.stringify(troubles)}`);
    for (const [name, { wireguardPublicKey: key }] of Object.entries(facts))
      if (typeof key === 'string') keys[name] = key;
    seconds[step] = [...(seconds[step] ?? []), round(milliseconds / 1000)];
  };
  const [one = ''] = six;
  await play('one node, first', { mesh: [one], install: [one] });
  await play('one node, again', { mesh: [one], install: [one] });
  await fleet.ssh(one, 'systemctl disable --now wg-quick@wg0; rm -rf /etc/wireguard /etc/sysctl.d/zz-kubeloom.conf');
  delete keys[one];
  await play('six nodes, first', { mesh: six, install: six });
  await play('six nodes, again', { mesh: six, install: six });
  await play('six nodes, one more', { install: names.slice(6), peers: six });
  await play('six nodes, one less', { mesh: six, peers: six });
}

for (let turn = 0; turn < setting('ROUNDS', 1); turn += 1) {
  const fleet = new NodesFleet(
    names.map((name, index) => ({ name, kind: index === 0 ? 'control' : 'compute', provider: 'north' })),
  );
  try {
    await fleet.start();
    await oneRound(fleet);
  } finally {
    await fleet.stop();
  }
}
const steps = Object.entries(seconds).map(([step, taken]) => {
  const { seconds: theirs, aim } = claudie[step as Step];
  return [step, { seconds: taken, claudie: theirs, times: round(theirs / median(taken)), aim }] as const;
});
process.stdout.write(
  `${JSON.stringify({ what: 'configure.yml on nodes that have their packages', steps: Object.fromEntries(steps), load: loadavg().map(round) }, null, 2)}\n`,
);
