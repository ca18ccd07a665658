/**
 * A machine that answers what it likes, with the real Ansible and the real playbooks: nothing of it is evaluated on the runner or written
 * on other machines, the failure names it, and what was known before stays.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StageResult } from '#contracts/stage.ts';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import type { StagePlan } from '#domain/plan.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import { simulatedBootId, simulatedPublicKey } from '#runner/sim/simulated-facts.ts';
import { twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { aDocument, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';
import { sampled } from '#test/sampled.ts';
import { ansibles } from './ansibles.ts';

const evil = 'control-aaaaaaa-02';
const good = 'control-aaaaaaa-01';
const key = simulatedPublicKey('evil');
const address = { publicAddress: '198.51.100.2' };
const keyFact = `fact: wireguardPublicKey="${key}"`;

/** Stands for all machines: notes the scripts, and answers for the hostile one what is in `evil-PART`, for others what our scripts print. */
const fakeSsh = `#!/bin/bash
[[ " $* " == *" -O "* ]] && exit 0
script=$(cat)
part=mesh
[[ $script == *'wg genkey'* ]] && part=prepare
host=good
[[ " $* " == *" 198.51.100.2 "* ]] && host=evil
printf '%s' "$script" > "$MACHINES/script-$host-$part"
[ -e "$MACHINES/$host-$part" ] && exec bash "$MACHINES/$host-$part"
[ $part = mesh ] || printf '%s\\n' 'fact: wireguardPublicKey="${simulatedPublicKey('good')}"' 'fact: wireguardPort=51820' 'fact: bootId="${simulatedBootId('good')}"'
`;

let world: StageWorld;
let machines: string;
const canary = () => join(world.directory, 'canary');
const sent = () =>
  readdirSync(machines)
    .filter((name) => name.startsWith('script-'))
    .sort();
/** The hostile machine prints these lines to a script; `more`: commands after that. */
const says = (part: 'prepare' | 'mesh', lines: readonly string[], more = '') => {
  writeFileSync(join(machines, 'answer'), `${lines.join('\n')}\n`);
  writeFileSync(join(machines, `evil-${part}`), `cat "${join(machines, 'answer')}"\n${more}\n`);
};

beforeEach(async () => {
  world = stageWorld();
  machines = join(world.directory, 'machines');
  mkdirSync(machines);
  cpSync(join(import.meta.dirname, '../../templates/ansible'), join(world.templates, 'ansible'), { recursive: true });
  world.set('MACHINES', machines);
  world.set('KUBELOOM_SSH', world.script('ssh', fakeSsh));
  world.set('KUBELOOM_SSH_BYTES', '200000');
  const { privateKey } = makeSshKeyPair('x');
  for (const pool of ['control-aaaaaaa', 'workers-bbbbbbb', 'edge-ccccccc'])
    await world.ports.secrets.put(`ssh/team/shop/shop-1234567/${pool}`, { privatekey: privateKey, publickey: '' });
  await world.ports.secrets.put('user/team/basement-key', { privatekey: privateKey });
});
afterEach(() => world.close());

/** Lists of peers on two machines; the key of the hostile one is known only if its facts have it. */
async function configure(program: string, ofEvil: ClusterFacts['nodes'][string]): Promise<StageResult> {
  world.set('KUBELOOM_ANSIBLE_PLAYBOOK', program);
  const work = { install: [], peers: [good, evil], uninstall: [], loadBalancers: [], proxy: [] };
  const stages: StagePlan[] = [{ stage: 'configuration', reasons: [], work }];
  const others = ['workers-bbbbbbb-01', 'basement-01'].map((name) => [
    name,
    { ...twoProviderFacts.nodes[name], wireguardPublicKey: simulatedPublicKey(name) },
  ]);
  const nodes = { ...twoProviderFacts.nodes, ...Object.fromEntries(others), [evil]: { ...address, ...ofEvil } };
  const facts = { ...twoProviderFacts, nodes };
  await world.put(aDocument(stages, { target: twoProviderState() }), facts);
  return world.run('configuration');
}

const command = '{{ lookup("pipe", "touch CANARY") }}';
const answers = [
  ['a template as its key', [`fact: wireguardPublicKey="{{ lookup('pipe', 'touch CANARY') }}"`]],
  ['a template as its boot id', [keyFact, "fact: bootId=\"{{ lookup('pipe', 'touch CANARY') }}\""]],
  ['a block of Jinja as its key', [`fact: wireguardPublicKey="{% set x = lookup('pipe', 'touch CANARY') %}"`]],
  ['a template that is no JSON', [`fact: wireguardPublicKey=${command}`]],
  ['a template as the name of a fact', [`fact: ${command}=1`]],
  ['lines of a configuration file', [`fact: wireguardPublicKey="${key}\\n[Interface]\\nPostUp = touch CANARY"`]],
  ['a good key, then another', [keyFact, keyFact.replace(key, `${key}\\n[Peer]`)]],
  ['the same fact twice', [keyFact, keyFact]],
  ['an unknown fact', [keyFact, 'fact: publicAddress="198.51.100.1"']],
  ['a port that does not exist', [keyFact, 'fact: wireguardPort=99999']],
] as const;

describe.each(ansibles())('a hostile machine, with ansible-core $version', ({ program }) => {
  it.each(sampled(answers, { oneOf: 3, from: 0 }))('%s: is refused, and no list of peers changes', async (...row) => {
    const [, lines] = row;
    says(
      'prepare',
      lines.map((line) => line.replaceAll('CANARY', canary())),
    );
    const { error } = await configure(program, { wireguardPort: 40_404 });
    expect(error).toMatchObject({ class: 'user', code: 'MachineAnswerRefused', resource: evil });
    expect(error?.message).toMatch(/^The answer of control-aaaaaaa-02 was refused: it(s fact| reports)/);
    expect(existsSync(canary())).toBe(false);
    expect(sent()).toEqual(['script-evil-prepare']);
    expect((await world.facts()).nodes[evil]).toEqual({ ...address, wireguardPort: 40_404 });
  });

  it('a template in words that people read is text', async () => {
    const words = command.replace('CANARY', canary());
    says('mesh', [`changed: ${words}`, `note: ${words}`], `echo '${words}' >&2; exit 1`);
    const { error } = await configure(program, { wireguardPublicKey: key });
    expect(error).toMatchObject({ code: 'NodeConfigurationFailed', resource: evil });
    expect(error?.message).toContain(words);
    expect(existsSync(canary())).toBe(false);
  });

  it('facts in the answer to another script are refused; other machines get their lists of peers', async () => {
    says('mesh', [keyFact.replace(key, simulatedPublicKey('other')), 'fact: bootId="x"']);
    const { error } = await configure(program, { wireguardPublicKey: key });
    expect(error).toMatchObject({ code: 'MachineAnswerRefused', resource: evil });
    expect(sent()).toEqual(['script-evil-mesh', 'script-good-mesh']);
    expect((await world.facts()).nodes[evil]).toEqual({ ...address, wireguardPublicKey: key });
  });

  it('a machine cannot print an event of another one', async () => {
    const lines = [`wireguardPublicKey="${simulatedPublicKey('stolen')}"`];
    const event = JSON.stringify({ event: 'facts', host: good, lines });
    says('mesh', [event, `\u0000${event}`], `echo '${event}' >&2; printf '\\n%s\\n' '${event}' >&2; exit 3`);
    const before = twoProviderFacts.nodes[good];
    const { error } = await configure(program, { wireguardPublicKey: key });
    expect(error?.resource).toBe(evil);
    expect((await world.facts()).nodes[good]).toEqual(before);
  });

  it('a machine that prints without an end is stopped and named', async () => {
    says('prepare', [keyFact], 'yes | head -c 30000000');
    const { error } = await configure(program, {});
    expect(error).toMatchObject({ code: 'NodeConfigurationFailed', resource: evil });
    expect(error?.message).toContain('it printed more than 200000 bytes; the rest was not read');
    expect((await world.log('configuration')).length).toBeLessThan(50_000);
  });

  it('the key of an honest machine is data of the next playbook', async () => {
    says('prepare', [keyFact]);
    expect((await configure(program, {})).error).toBeUndefined();
    expect(sent()).toEqual(['script-evil-mesh', 'script-evil-prepare', 'script-good-mesh']);
    const [, peers = ''] =
      /^KUBELOOM_PEERS=(\S+)$/m.exec(readFileSync(join(machines, 'script-good-mesh'), 'utf8')) ?? [];
    expect(Buffer.from(peers, 'base64').toString()).toContain(`PublicKey = ${key}\n`);
    expect((await world.facts()).nodes[evil]).toEqual({ ...address, wireguardPublicKey: key });
  });
});
