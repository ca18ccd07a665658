/** A platform that simulates for the tests of a file, the command line against it, and manifests as files. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Platform } from '#local/platform.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { kubeloom as run } from './kubeloom.ts';
import { root } from './kubeloom-process.ts';

const minimal = readFileSync(join(root, 'examples/sim-minimal.yaml'), 'utf8');
const settings = ['KUBELOOM_SIM_FAULTS', 'KUBELOOM_SIM_STAGE_MS', 'KUBELOOM_LOG', 'KUBELOOM_STAGE_RETRY_SECONDS'];

export function simulatedManifests() {
  let platform: Platform;
  let directory: string;
  const before = settings.map((name) => [name, process.env[name]] as const);

  const environment = () => ({ KUBELOOM_API_URL: platform.apiUrl, KUBELOOM_TOKEN: platform.token });
  const kubeloom = (args: readonly string[], stdin = '') => run(args, { stdin, environment: environment() });

  /** A manifest of that name with so many compute nodes, as a file. */
  function file(name: string, compute = 2): string {
    const path = join(directory, `${name}-${compute}.yaml`);
    const text = minimal.replaceAll(/name: (sim-)?minimal/g, `name: ${name}`).replace('count: 2', `count: ${compute}`);
    writeFileSync(path, text);
    return path;
  }

  /** Applies it and waits for its end, without the command line. */
  async function applied(name: string, compute?: number): Promise<void> {
    const answer = await fetch(`${platform.apiUrl}/v1/manifests/default/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${platform.token}`, 'content-type': 'application/yaml' },
      body: readFileSync(file(name, compute), 'utf8'),
    });
    expect(answer.status).toBe(202);
    await platform.executions.idle();
  }

  async function generationOf(name: string): Promise<number> {
    const { stdout } = await kubeloom(['describe', name, '--json']);
    return (JSON.parse(stdout) as { generation: number }).generation;
  }

  const faults = (list: readonly object[]): void => {
    process.env.KUBELOOM_SIM_FAULTS = JSON.stringify(list);
  };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'kubeloom-verbs-'));
    process.env.KUBELOOM_LOG = 'none';
    process.env.KUBELOOM_STAGE_RETRY_SECONDS = '0';
    platform = await startSimulatedPlatform();
  });
  beforeEach(() => {
    process.env.KUBELOOM_SIM_STAGE_MS = '0';
    faults([]);
  });
  afterAll(async () => {
    await platform.stop();
    rmSync(directory, { recursive: true, force: true });
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  return {
    environment,
    kubeloom,
    file,
    applied,
    generationOf,
    faults,
    /** A path in the directory of these manifests. */
    place: (name: string) => join(directory, name),
    /** Waits until no run is in progress. */
    idle: () => platform.executions.idle(),
  };
}
