/** The environment of a runner: read in one place, and refused by name when a value is wrong. */
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EnvironmentFaulty, limitsIn, runnerConfig } from '#runner/runner-config.ts';

const numbers = [
  ['KUBELOOM_TERRAFORM_WORKSPACES', 'a whole number above 0'],
  ['KUBELOOM_SECOND_LOOK_SECONDS', 'a number of seconds'],
  ['KUBELOOM_STAGE_MINUTES', 'a number of minutes'],
  ['KUBELOOM_GRACE_MS', 'a number of milliseconds'],
  ['KUBELOOM_STOP_POLL_MS', 'a number of milliseconds'],
  ['KUBELOOM_SIM_STAGE_MS', 'a number of milliseconds'],
] as const;

/** Files that read it, with why. */
const readers: Readonly<Record<string, string>> = {
  'main.ts': 'the program',
  'provider-check/main.ts': 'the program of a check on the machine of a user',
  'job-frame.ts': 'a job that was started without a program of ours, as tests do',
  'sim/run-sim-stage.ts': 'a job in the process of the platform',
  'process.ts': 'hands all of it on to a tool, without the identity',
  'provider-check/clouds/local.ts':
    'hands all of it on to the helper of the hosts, which the templates find by the same variable',
  'vault/signed-identity.ts': 'a variable of AWS, as its SDK reads it',
};

describe('the environment of a runner', () => {
  it.each(
    numbers.flatMap(([name, what]) =>
      ['soon', '-1', 'NaN', '1e9999', '0x10', '5 minutes'].map((value) => [name, value, what] as const),
    ),
  )('%s with the value %j is refused by name', (name, value, what) => {
    const read = () => runnerConfig({ [name]: value });
    expect(read).toThrow(EnvironmentFaulty);
    expect(read).toThrow(
      `The runner does not start: ${name}: it is "${value}" and has to be ${what}. Correct its environment.`,
    );
  });

  it('all values that are wrong are named at once', () => {
    const read = () => runnerConfig({ KUBELOOM_GRACE_MS: 'a', KUBELOOM_TERRAFORM_WORKSPACES: '1.5' });
    expect(read).toThrow(/KUBELOOM_TERRAFORM_WORKSPACES: it is "1\.5".*KUBELOOM_GRACE_MS: it is "a"/);
  });

  it('what is absent or empty has its usual value', () => {
    const empty = Object.fromEntries(numbers.map(([name]) => [name, '']));
    for (const environment of [{}, { ...empty, KUBELOOM_KUBECTL: '', KUBELOOM_KUBEONE: '', AWS_REGION: '' }]) {
      const read = runnerConfig(environment);
      expect(limitsIn(read)).toEqual({});
      expect(read).toMatchObject({
        workspacesAtOnce: 6,
        secondLookMs: 60_000,
        kubectl: 'kubectl',
        kubeone: undefined,
        ssh: 'ssh',
        ansiblePlaybook: 'ansible-playbook',
        region: 'us-east-1',
        workDirectory: tmpdir(),
        build: `process ${process.pid}`,
        path: [],
        simStageMs: 0,
      });
    }
  });

  it('each value is taken in its own unit', () => {
    const read = runnerConfig({
      KUBELOOM_TERRAFORM_WORKSPACES: '2',
      KUBELOOM_SECOND_LOOK_SECONDS: '0.5',
      KUBELOOM_STAGE_MINUTES: '85',
      KUBELOOM_GRACE_MS: '7000',
      KUBELOOM_STOP_POLL_MS: '0',
      KUBELOOM_DOCUMENTS: '/one::/two',
      CODEBUILD_BUILD_ID: 'kubeloom:1',
    });
    expect(limitsIn(read)).toEqual({ longestMinutes: 85, graceMs: 7000, stopPollMs: 0 });
    expect(read).toMatchObject({
      workspacesAtOnce: 2,
      secondLookMs: 500,
      documents: ['/one', '/two'],
      build: 'kubeloom:1',
    });
  });

  it('no other file of the runner reads it', () => {
    const root = join(import.meta.dirname, '../../runner-images/runner');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const found = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('process.env'));
    expect(found.toSorted()).toEqual(Object.keys(readers).toSorted());
  });
});
