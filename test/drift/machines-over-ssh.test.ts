/** How a check asks machines: with the program `ssh` and one script each, within its time, and what counts when that is up. */
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waypointKeys } from '#contracts/stage.ts';
import { allNodes, type ClusterState } from '#domain/cluster-state.ts';
import { DriftReport } from '#domain/drift.ts';
import type { HealthCheck } from '#domain/health-check.ts';
import { proxySettings } from '#rendering/no-proxy.ts';
import { checkMesh } from '#runner/drift/check-mesh.ts';
import { longestVisitMs, machineScript, readScriptFiles } from '#runner/machines/machine-script.ts';
import { makeSshKeyPair } from '#runner/openssh-key.ts';
import type { Command, CommandResult } from '#runner/process.ts';
import type { DriftContext } from '#runner/stage-context.ts';
import { checkTooLong, StageFailure, stageCancelled } from '#runner/stage-failure.ts';
import { controlPool, twoProviderFacts, twoProviderState } from '#test/rendering/states.ts';
import { aCheck, prefix, type StageWorld, stageWorld } from '#test/runner/stage-world.ts';

const templates = join(import.meta.dirname, '../../templates');
const state = twoProviderState();
const names = allNodes(state).map(({ node }) => node.name);
const hanging = 'basement-01';
/** Its time is up, and it is stopped; its output until then was read. */
const tooSlow = -1;
const toolTooSlow = new StageFailure({ class: 'transient', code: 'ToolTooSlow', message: 'too slow', hint: 'wait' });

let world: StageWorld;
let commands: Command[];
let stop: AbortController;
/** What `ssh` does for a machine, by the time it is called. */
type Answer = (name: string, time: number) => Partial<CommandResult>;

beforeEach(async () => {
  world = stageWorld();
  commands = [];
  stop = new AbortController();
  world.set('KUBELOOM_SECOND_LOOK_SECONDS', '0');
  cpSync(join(templates, 'ansible/files'), join(world.templates, 'ansible/files'), { recursive: true });
  for (const pool of ['control-aaaaaaa', 'workers-bbbbbbb', 'edge-ccccccc']) {
    const { privateKey, publicKey } = makeSshKeyPair(pool);
    await world.ports.secrets.put(`ssh/team/shop/shop-1234567/${pool}`, {
      privatekey: privateKey,
      publickey: publicKey,
    });
  }
  await world.ports.secrets.put('user/team/basement-key', { privatekey: makeSshKeyPair('static').privateKey });
  await world.put(aCheck(state, twoProviderFacts));
});
afterEach(() => world.close());

/** A check of the machines alone. */
async function check(answer: Answer): Promise<DriftReport> {
  const times = new Map<string, number>();
  const look = (context: DriftContext) =>
    checkMesh({
      ...context,
      async run(command) {
        commands.push(command);
        const name = command.label.replace('ssh ', '');
        const time = (times.get(name) ?? 0) + 1;
        times.set(name, time);
        if (stop.signal.aborted) throw stageCancelled(stop.signal);
        const result = { code: 0, stdout: output(name), stderr: '', ...answer(name, time) };
        for (const line of result.stdout.split('\n')) command.onLine?.(line, 'stdout');
        if (result.code === tooSlow) throw toolTooSlow;
        if (stop.signal.aborted) throw stageCancelled(stop.signal);
        return result;
      },
    });
  const result = await world.checkDrift([look], { signal: stop.signal });
  expect(result.error).toBeUndefined();
  return DriftReport.parse(JSON.parse((await world.ports.artifacts.getText(waypointKeys.drift(prefix))) ?? 'null'));
}

const output = (name: string, more = ''): string =>
  `Welcome\nfact: mesh=${JSON.stringify(Object.fromEntries(names.flatMap((peer) => (peer === name ? [] : [[peer, true]]))))}\n${more}`;
const argumentsFor = (name: string): string =>
  commands.find(({ label }) => label === `ssh ${name}`)?.args.join(' ') ?? '';
const timesAsked = (name: string): number => commands.filter(({ label }) => label === `ssh ${name}`).length;

describe('machines over SSH', () => {
  it('a machine is asked with its own key, address and port, as root or by sudo, and shares no connection', async () => {
    expect((await check(() => ({}))).items).toEqual([]);
    expect(commands).toHaveLength(names.length);
    expect(argumentsFor('workers-bbbbbbb-01')).toMatch(
      /-F \/dev\/null -i \S+\/keys\/workers-bbbbbbb\.key -p 2222 .*StrictHostKeyChecking=accept-new.* -l root -- 198\.18\.0\.3 \/bin\/bash -c/,
    );
    expect(argumentsFor(hanging)).toMatch(/basement-01\.key .* -l ops -- 203\.0\.113\.9 sudo -H -n \/bin\/bash -c/);
    for (const { args } of commands) {
      expect(args.join(' ')).not.toContain('PRIVATE KEY');
      expect(args.join(' ')).not.toMatch(/ControlMaster|ControlPersist/);
    }
  });

  it('a machine is asked by one script, which comes on its input: a load balancer also for its roles, all for their proxy settings', async () => {
    await check(() => ({}));
    const script = (name: string) => commands.find(({ label }) => label === `ssh ${name}`)?.input ?? '';
    expect(script('edge-ccccccc-01')).toMatch(/KUBELOOM_HAPROXY='[A-Za-z0-9+/=]+'/);
    expect(script('control-aaaaaaa-01')).not.toContain('KUBELOOM_HAPROXY=');
    const { endpoint } = proxySettings(state, twoProviderFacts);
    for (const name of names) expect(script(name)).toContain(`\nKUBELOOM_PROXY='${endpoint}'\nKUBELOOM_NO_PROXY='`);
    expect(script('control-aaaaaaa-01')).toContain("KUBELOOM_PEERS='control-aaaaaaa-02=192.168.2.2 ");
  });

  it('a login that a machine refuses is in the finding with what to do about it', async () => {
    const stderr = 'ops@203.0.113.9: Permission denied (publickey).';
    const { items } = await check((name) => (name === hanging ? { code: 255, stdout: '', stderr } : {}));
    expect(items.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${hanging} cannot be reached over SSH: ${stderr} (SshRefused: `),
    ]);
  });

  it('a script may name a thousand peers, of which the command says nothing', async () => {
    const nodes = Array.from({ length: 1000 }, (_, number) => ({
      name: `control-with-a-name-${number}`,
      privateAddress: `192.168.${number >> 8}.${number & 255}`,
    }));
    const large: ClusterState = { ...state, pools: [{ ...controlPool, nodes }] };
    const [machine] = allNodes(large);
    if (machine === undefined) throw new Error('no node');
    const script = machineScript(large, machine, await readScriptFiles(templates));
    expect(script).toMatch(/^KUBELOOM_PEERS='.{30000,}'$/m);
    expect(script).not.toMatch(/^export KUBELOOM/m);
    await check(() => ({}));
    for (const { args } of commands) expect(args.at(-1)?.length).toBeLessThan(100);
  });

  it('a machine that hangs up is asked once more, and one that does not answer in time is not', async () => {
    const refused = { code: 255, stdout: '', stderr: 'Connection closed by 203.0.113.9 port 22' };
    expect((await check((name, time) => (name === hanging && time === 1 ? refused : {}))).items).toEqual([]);
    expect(timesAsked(hanging)).toBe(2);
    commands = [];
    const late = { code: 255, stdout: '', stderr: 'ssh: connect to host 203.0.113.9 port 22: Connection timed out' };
    const { items } = await check((name) => (name === hanging ? late : {}));
    // In two looks.
    expect(timesAsked(hanging)).toBe(2);
    expect(items).toMatchObject([{ kind: 'mesh', where: { node: hanging }, repairable: false }]);
    expect(items[0]?.message).toContain('cannot be reached over SSH: ssh: connect to host 203.0.113.9 port 22');
  });

  it('a machine cannot be reached if it does not say what it is asked, or fails', async () => {
    const { items } = await check((name) => {
      if (name === 'control-aaaaaaa-01') return { stdout: 'Please log in as the user ubuntu\n' };
      if (name === 'control-aaaaaaa-02') return { code: 1, stdout: '', stderr: 'wg: command not found\n' };
      return {};
    });
    expect(items.map(({ message }) => message)).toEqual([
      'control-aaaaaaa-01 cannot be reached over SSH: it does not run the commands of the check',
      'control-aaaaaaa-02 cannot be reached over SSH: wg: command not found',
    ]);
  });

  it('an answer that our scripts do not print is refused and shown, and the machine is named', async () => {
    const { items } = await check((name) => {
      if (name === 'control-aaaaaaa-01') return { stdout: output(name, 'fact: evil=1') };
      if (name === 'control-aaaaaaa-02') return { stdout: output(name, output(name)) };
      if (name === hanging) return { stdout: `${'x'.repeat(5_000_000)}\n${output(name)}` };
      return {};
    });
    expect(items.map(({ message }) => message)).toEqual([
      'control-aaaaaaa-01 cannot be reached over SSH: it reports an unknown fact: "evil"',
      'control-aaaaaaa-02 cannot be reached over SSH: it reports the fact mesh twice',
      `${hanging} cannot be reached over SSH: it printed more than a check reads`,
    ]);
  });

  it('a machine that reported what it reaches and then fails, hangs or disconnects counts as reached; the rest is unchecked', async () => {
    for (const [code, stderr, why] of [
      [1, 'haproxy: command not found', 'haproxy: command not found'],
      [255, 'Connection closed by 203.0.113.9', 'Connection closed by 203.0.113.9'],
      [tooSlow, '', 'the connection timed out'],
    ] as const) {
      const { items, unchecked } = await check((name) => (name === hanging ? { code, stderr } : {}));
      expect(items).toEqual([]);
      expect(unchecked).toEqual([`${hanging} did not answer all questions: ${why}`]);
    }
  });

  it('a machine that is asked a second time keeps its answers of the first time', async () => {
    const peer = 'control-aaaaaaa-02';
    const { items } = await check((name, time) => {
      if (name !== hanging) return {};
      if (time % 2 === 0) return { code: 255, stdout: '', stderr: 'Connection refused' };
      return {
        code: 255,
        stdout: output(name).replace(`"${peer}":true`, `"${peer}":false`),
        stderr: 'Connection closed',
      };
    });
    expect(items).toMatchObject([{ where: { node: hanging }, message: expect.stringContaining(`reach ${peer}`) }]);
  });

  it('a machine has two seconds more for each try of a command that does not end, since it is killed then', () => {
    const [machine] = allNodes(state);
    if (machine === undefined) throw new Error('no node');
    const health = (kind: 'tcp' | 'exec'): HealthCheck => ({
      ask: kind === 'exec' ? { kind, command: 'true' } : { kind, port: 80 },
      timeout: 10,
      pause: 1,
      unhealthyAfter: 3,
      healthyAfter: 2,
    });
    const limit = (kind: 'tcp' | 'exec') =>
      longestVisitMs(state, { ...machine, pool: { ...machine.pool, health: [health(kind)] } });
    expect(limit('exec') - limit('tcp')).toBe(4 * 2000);
  });
});

describe('the time of a check', () => {
  it('a check whose time is up in the middle of a visit keeps the answers of that machine, and that it is reached', async () => {
    const { items, unchecked } = await check((name) => {
      if (name === hanging) stop.abort(checkTooLong(13));
      return {};
    });
    expect(items).toEqual([]);
    expect(unchecked).toContain(`${hanging} did not answer all questions: the time of the check was over`);
    expect(unchecked.join('\n')).not.toMatch(new RegExp(`were asked: .*${hanging}`));
  });

  it('a check whose time is up keeps the answers of the machines that it asked, and names the others', async () => {
    const { items, unchecked } = await check((name) => {
      if (name !== hanging) return {};
      stop.abort(checkTooLong(13));
      return { stdout: '' };
    });
    expect(items).toEqual([]);
    expect(unchecked).toEqual([
      expect.stringMatching(/^mesh, load balancers and health checks: .*time .* was over before .*: .*basement-01/),
    ]);
  });

  it('a check whose time is up reports nothing that it has seen once', async () => {
    const refused = { code: 1, stdout: '', stderr: 'no' };
    const { items, unchecked } = await check((name, time) => {
      if (time === 2) stop.abort(checkTooLong(13));
      return time === 2 || name === 'control-aaaaaaa-01' ? refused : {};
    });
    expect(items).toEqual([]);
    expect(unchecked).toHaveLength(1);
  });

  const found = { kind: 'node', where: { node: hanging }, message: 'it is not ready', repairable: true } as const;
  const endless = async ({ signal }: DriftContext): Promise<never> => {
    if (!signal.aborted) await once(signal, 'abort');
    throw stageCancelled(signal);
  };

  it('a check whose time is up keeps what its other parts found', async () => {
    const looks = [async () => ({ items: [found], unchecked: [] }), endless];
    expect(await world.checkDrift(looks, { longestMinutes: 0.0001 })).toMatchObject({ ok: true });
    const stored = await world.ports.artifacts.getText(waypointKeys.drift(prefix));
    expect(JSON.parse(stored ?? 'null')).toMatchObject({
      items: [found],
      unchecked: ['a part: not finished when the time of the check was over'],
    });
  });

  it('a check whose time is up before it found anything is not retried at once, and says what to do', async () => {
    const { error } = await world.checkDrift([endless], { longestMinutes: 0.0001 });
    expect(error).toMatchObject({ code: 'StageTooLong', retryable: false });
    expect(error?.hint).toMatch(/next check starts at its regular time.*containers.*lambdaRunners/);
    expect(error?.hint).not.toContain('runnerMinutes');
  });

  it('a check that was stopped keeps nothing', async () => {
    stop.abort();
    const looks = [async () => ({ items: [found], unchecked: [] })];
    expect(await world.checkDrift(looks, { signal: stop.signal })).toMatchObject({ error: { code: 'StageCancelled' } });
  });
});
