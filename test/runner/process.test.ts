/** Tools as processes: their lines, their end, and how they are stopped. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Command, runCommand } from '#runner/process.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { StageFailure } from '#runner/stage-failure.ts';
import { StageLog } from '#runner/stage-log.ts';
import { Stopwatch } from '#runner/stopwatch.ts';
import { type StageWorld, stageWorld } from './stage-world.ts';

let world: StageWorld;
let lines: string[];
let mask: SecretMask;
const controller = () => new AbortController();
beforeEach(() => {
  world = stageWorld();
  lines = [];
  mask = new SecretMask();
});
afterEach(() => world.close());

function run(script: string, command: Partial<Command> = {}, signal = controller().signal, graceMs = 5000) {
  const { artifacts, clock } = world.ports;
  const log = new StageLog({ artifacts, key: 'log', mask, clock, echo: (line) => lines.push(line.slice(13)) });
  const stopwatch = new Stopwatch(() => performance.now());
  return runCommand(
    { label: 'tool', program: 'bash', args: ['-c', script], cwd: world.directory, ...command },
    { signal, log, stopwatch, graceMs },
  );
}

async function failureOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof StageFailure ? error.error.code : String(error);
}

/** Aborts as soon as the tool says `ready`. */
function whenReady(stop: AbortController): Partial<Command> {
  return {
    onLine(line) {
      if (line === 'ready') stop.abort();
      return line;
    },
  };
}

const isAlive = (pid: number) => existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

async function gone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    if (!isAlive(pid)) return true;
    await new Promise((resolve) => setImmediate(resolve));
    await run('true');
  }
  return false;
}

describe('the environment of a tool', () => {
  it('credentials and kubeconfigs of the runner reach no tool', async () => {
    world.set('AWS_SESSION_TOKEN', 'of-the-runner');
    world.set('KUBECONFIG', '/of/the/runner');
    const script = 'echo "$AWS_SESSION_TOKEN $KUBECONFIG $OWN"';
    expect((await run(script, { environment: { OWN: 'own' } })).stdout).toBe('  own\n');
  });
});

describe('tools', () => {
  it('the output of a tool is read line by line on both streams, with an unfinished last line', async () => {
    const result = await run('echo one; echo two >&2; printf three');
    expect(result).toEqual({ code: 0, stdout: 'one\nthree\n', stderr: 'two\n' });
    expect(lines).toEqual(expect.arrayContaining(['tool: one', 'tool: two', 'tool: three']));
  });

  it('a tool gets its input and environment, and its exit code is returned', async () => {
    const result = await run('read -r x; echo "$x $Y"; exit 3', { input: 'in\n', environment: { Y: 'env' } });
    expect(result).toMatchObject({ code: 3, stdout: 'in env\n' });
  });

  it('the secrets of a tool are hidden in the log, also when multiline or in base64', async () => {
    const key = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nAAAABG5vbmUAAAAEbm9u\n-----END-----\n';
    mask.add([key, 'tok:en/42+x']);
    const output = `tok:en/42+x ${Buffer.from('tok:en/42+x').toString('base64')} ${encodeURIComponent('tok:en/42+x')}`;
    await run(`echo '${output}'; printf '%s' '${key}'; echo 'http://user:hunter22@proxy:1'`);
    const log = lines.join('\n');
    for (const leak of [
      'tok:en',
      Buffer.from('tok:en/42+x').toString('base64'),
      'b3BlbnNzaC1rZXk',
      'AAAABG5vbmU',
      'hunter22',
    ]) {
      expect(log).not.toContain(leak);
    }
    expect(log).toContain('http://user:***@proxy:1');
  });

  it('a tool that cannot be started is reported as missing', async () => {
    expect(await failureOf(run('', { program: join(world.directory, 'nothing') }))).toBe('ToolMissing');
  });

  it('a tool that leaves a daemon with its pipes open still ends', async () => {
    // Longer than this test may take.
    const { stdout } = await run('setsid sleep 3600 & echo $!');
    process.kill(Number(stdout), 'SIGKILL');
  });

  it('a cancelled tool is interrupted and may clean up', async () => {
    const stop = controller();
    const script = 'trap "echo saved > state; exit 1" INT; echo ready; while :; do sleep 0.05; done';
    expect(await failureOf(run(script, whenReady(stop), stop.signal))).toBe('StageCancelled');
    expect(readFileSync(join(world.directory, 'state'), 'utf8')).toBe('saved\n');
  });

  it('a tool that does not end in time is killed with everything it started', async () => {
    const stop = controller();
    const script = 'trap "" INT; sleep 100 & echo $! > child; echo $$ > self; echo ready; while :; do sleep 1; done';
    expect(await failureOf(run(script, whenReady(stop), stop.signal, 50))).toBe('StageCancelled');
    for (const file of ['self', 'child']) {
      expect(await gone(Number(readFileSync(join(world.directory, file), 'utf8')))).toBe(true);
    }
  });

  it('a cancelled tool that ends leaves none of its child processes running', async () => {
    const stop = controller();
    const script = 'trap "exit 1" INT; (trap "" INT; sleep 100) & echo $! > child; echo ready; wait';
    expect(await failureOf(run(script, whenReady(stop), stop.signal))).toBe('StageCancelled');
    expect(await gone(Number(readFileSync(join(world.directory, 'child'), 'utf8')))).toBe(true);
  });

  it('a tool is stopped when it prints nothing for too long, and when it takes too long', async () => {
    expect(await failureOf(run('sleep 100', { quietMs: 50 }))).toBe('ToolSilent');
    const chatter = { totalMs: 200, graceMs: 50 };
    expect(await failureOf(run('while :; do echo x; sleep 0.01; done', chatter))).toBe('ToolTooSlow');
  });

  it('a tool whose line has no end is not silent, and its line is cut', async () => {
    // Each byte comes well before the tool would count as silent, all of them together long after.
    const { stdout } = await run('for i in $(seq 40); do printf xx; sleep 0.05; done', { quietMs: 1000 });
    expect(stdout).toBe(`${'x'.repeat(80)}\n`);
  });

  it('a line of megabytes is handed on and logged cut, and kept whole for the caller up to a limit', async () => {
    const seen: number[] = [];
    const onLine = (line: string) => {
      seen.push(line.length);
      return line;
    };
    const { stdout, cut } = await run('head -c 3000000 /dev/zero | tr "\\0" x; echo; echo end', { onLine });
    expect(seen).toEqual([1_000_000, 3]);
    expect([stdout.length, cut]).toEqual([3_000_005, undefined]);
    expect(lines.map((line) => line.length)).toEqual([
      expect.toSatisfy((length) => length < 17_000),
      'tool: end'.length,
    ]);
    const much = await run('head -c 21000000 /dev/zero', { onLine: () => undefined });
    expect([much.stdout.length, much.cut]).toEqual([20_000_001, true]);
  });

  it('the end of what a tool complains about is kept, however much it is', async () => {
    const { stderr } = await run('{ yes debug | head -n 900000; echo "Error: the cause"; } >&2', {
      onLine: () => undefined,
    });
    expect(stderr).toMatch(/\nError: the cause\n$/);
    expect(stderr.length).toBeLessThan(2_500_000);
  });

  it('a tool that another program kills may succeed the next time, and what it had started is killed, too', async () => {
    const child = join(world.directory, 'child');
    const killed = run(`sleep 60 & echo $! > ${child}; kill -9 $$`);
    await expect(killed).rejects.toMatchObject({
      error: { class: 'transient', code: 'ToolKilled', retryable: true, message: expect.stringContaining('SIGKILL') },
    });
    expect(await gone(Number(readFileSync(child, 'utf8')))).toBe(true);
  });

  it('a tool is not started once the stage is cancelled', async () => {
    const stop = controller();
    stop.abort();
    expect(await failureOf(run('touch started', {}, stop.signal))).toBe('StageCancelled');
    expect(existsSync(join(world.directory, 'started'))).toBe(false);
  });
});

describe('stopwatch', () => {
  it('the stopwatch counts tools that run in parallel once', () => {
    let now = 0;
    const watch = new Stopwatch(() => now);
    const first = watch.start();
    now = 10;
    const second = watch.start();
    now = 20;
    first();
    now = 30;
    second();
    now = 50;
    expect(watch.totalMs).toBe(30);
  });
});
