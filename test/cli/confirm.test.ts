/** The question before machines are removed, on a terminal as a person has it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CliClient, cliClient } from '#cli/connection/api-client.ts';
import type { Platform } from '#local/platform.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { root } from './kubeloom-process.ts';

let platform: Platform;
let api: CliClient;
let directory: string;
const settings = ['KUBELOOM_SIM_STAGE_MS', 'KUBELOOM_LOG'];
const before = settings.map((name) => [name, process.env[name]] as const);
const minimal = readFileSync(join(root, 'examples/sim-minimal.yaml'), 'utf8');
const key = { namespace: 'default', name: 'asked' };

/** The manifest with so many compute nodes, as a file. */
function file(compute: number): string {
  const path = join(directory, `asked-${compute}.yaml`);
  writeFileSync(
    path,
    minimal.replaceAll(/name: (sim-)?minimal/g, 'name: asked').replace('count: 2', `count: ${compute}`),
  );
  return path;
}

/** Gives a command a terminal of its own; what comes in is what a person types. */
const terminal = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

/** Starts the command on a terminal, and types `answer` once it asks. */
function onTerminal(
  args: readonly string[],
  answer: string | (() => Promise<string>),
): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve) => {
    const command = ['-c', terminal, process.execPath, join(root, 'cli/main.ts'), ...args];
    const child = spawn('python3', command, {
      env: { ...process.env, KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token, NO_COLOR: '1' },
    });
    let text = '';
    child.stdout.on('data', (piece: Buffer) => {
      const asked = text.includes('Type yes');
      text += piece.toString();
      if (asked || !text.includes('Type yes')) return;
      void Promise.resolve(typeof answer === 'string' ? answer : answer()).then((typed) => child.stdin.write(typed));
    });
    child.once('exit', (code) => resolve({ code, text }));
  });
}

const generation = async (): Promise<number> => (await api.getManifest(key)).generation;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-confirm-'));
  process.env.KUBELOOM_LOG = 'none';
  process.env.KUBELOOM_SIM_STAGE_MS = '0';
  platform = await startSimulatedPlatform();
  api = cliClient({ apiUrl: platform.apiUrl, token: platform.token });
  const text = minimal.replaceAll(/name: (sim-)?minimal/g, 'name: asked');
  await api.putManifest(key, parse(text));
  await platform.executions.idle();
});
afterAll(async () => {
  await platform.stop();
  rmSync(directory, { recursive: true, force: true });
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

describe('confirmation at a terminal', () => {
  it('apply shows the plan before a deletion, and any answer but yes changes nothing', async () => {
    const { code, text } = await onTerminal(['delete', 'asked'], 'no\n');
    expect([code, text]).toEqual([
      9,
      expect.stringMatching(/1\. destroy: 3 nodes[\s\S]*delete default\/asked\? 1 clus/),
    ]);
    expect(await generation()).toBe(1);
  });

  it('Ctrl-C or a closed terminal changes nothing', async () => {
    const stopped = await onTerminal(['apply', '-f', file(1)], '\u0003');
    expect([stopped.code, stopped.text]).toEqual([130, expect.stringContaining('nothing was changed')]);
    expect((await onTerminal(['rollback', 'asked', '--to', '9'], '')).code).toBe(5);
    expect((await onTerminal(['apply', '-f', file(1)], '\u0004')).code).toBe(9);
    expect(await generation()).toBe(1);
  });

  it('a change that only adds needs no confirmation', async () => {
    const { code, text } = await onTerminal(['apply', '-f', file(3)], '');
    expect([code, text]).toEqual([0, expect.stringContaining('generation 2')]);
    await platform.executions.idle();
  });

  it('yes applies the plan that was shown, or nothing if the manifest changed meanwhile', async () => {
    const other = await api.getManifest(key);
    const late = await onTerminal(['apply', '-f', file(1)], async () => {
      await api.putManifest(key, {
        ...(other.document as object),
        metadata: { name: 'asked', labels: { new: 'yes' } },
      });
      await platform.executions.idle();
      return 'yes\n';
    });
    expect([late.code, late.text]).toEqual([5, expect.stringContaining('generation 3, attempt 1 is stored')]);
    expect((await onTerminal(['apply', '-f', file(1)], 'yes\n')).code).toBe(0);
    expect(await generation()).toBe(4);
    await platform.executions.idle();
  });
});
