/** The steps of the GitHub Action, run for real: their shell, the command line and a platform that simulates; only GitHub is a stand-in. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Platform } from '#local/platform.ts';
import { compiled, type Outcome, root } from '#test/cli/kubeloom-process.ts';
import { startSimulatedPlatform } from '#test/scenarios/simulated-platform.ts';
import { type FakeGitHub, fakeGitHub } from './fake-github.ts';

const action = join(root, 'integrations/github-action');
const commit = 'c'.repeat(40);
const minimal = readFileSync(join(root, 'examples/sim-minimal.yaml'), 'utf8');
const bot = 'github-actions[bot]';

let platform: Platform;
let github: FakeGitHub;
let directory: string;

/** Runs a step with the environment that a job has, and no more. */
function step(script: string, environment: Readonly<Record<string, string>>): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = {
      PATH: process.env.PATH,
      HOME: directory,
      RUNNER_TEMP: directory,
      GITHUB_ENV: join(directory, 'env'),
      GITHUB_API_URL: github.url,
      GITHUB_REPOSITORY: 'team/shop',
      GITHUB_TOKEN: 'gh-token',
      NO_COLOR: '1',
      KUBELOOM: `${process.execPath} ${join(root, 'cli/main.ts')}`,
      KUBELOOM_FILES: file(),
      KUBELOOM_API_URL: platform.apiUrl,
      KUBELOOM_TOKEN: platform.token,
      GITHUB_RUN_ID: '1',
      GITHUB_EVENT_PATH: join(directory, 'event.json'),
      NODE_COMPILE_CACHE: compiled,
      ...environment,
    };
    execFile(join(action, script), [], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
    );
  });
}

let name = 'none';
const file = () => join(directory, `${name}.yaml`);
const write = (compute: number) =>
  writeFileSync(
    file(),
    minimal.replaceAll(/name: (sim-)?minimal/g, `name: ${name}`).replace('count: 2', `count: ${compute}`),
  );
const pullRequest = () => step('run.sh', { GITHUB_EVENT_NAME: 'pull_request' });
const push = () => step('run.sh', { GITHUB_EVENT_NAME: 'push', GITHUB_SHA: commit });
const generation = async () => {
  const headers = { authorization: `Bearer ${platform.token}` };
  const answer = await fetch(`${platform.apiUrl}/v1/manifests/default/${name}`, { headers });
  return answer.status === 404 ? 0 : ((await answer.json()) as { generation: number }).generation;
};
const applied = async () => {
  const headers = { authorization: `Bearer ${platform.token}`, 'content-type': 'application/yaml' };
  const body = readFileSync(file(), 'utf8');
  await fetch(`${platform.apiUrl}/v1/manifests/default/${name}`, { method: 'PUT', headers, body });
  await platform.executions.idle();
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kubeloom-action-'));
  process.env.KUBELOOM_SIM_STAGE_MS = '0';
  process.env.KUBELOOM_LOG = 'none';
  platform = await startSimulatedPlatform();
  writeFileSync(join(directory, 'event.json'), JSON.stringify({ pull_request: { number: 7 } }));
});
afterAll(async () => {
  delete process.env.KUBELOOM_SIM_STAGE_MS;
  delete process.env.KUBELOOM_LOG;
  await platform.stop();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  github = await fakeGitHub();
  github.requests.set(commit, [{ number: 7, merged_at: '2026-11-23T06:00:00Z', merge_commit_sha: commit }]);
});
afterEach(() => github.stop());

describe('a pull request', () => {
  it('a pull request gets one comment with the plan, which the next push updates', async () => {
    name = 'commented';
    write(2);
    // Someone else's comment that looks alike is left alone.
    github.comment(7, 'mallory', `<!-- kubeloom-plan -->\n<!-- kubeloom-ids ${'a'.repeat(40)} -->`);
    for (let page = 0; page < 100; page++) github.comment(7, 'ada', 'looks good');
    const { code, stdout, stderr } = await pullRequest();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('total: 1 cluster added');
    const own = () => github.comments.filter(({ user }) => user.login === bot);
    expect(own()[0]?.body).toMatch(/^<!-- kubeloom-plan -->\n### Kubeloom: plan\n\n```\ndefault\/commented/);
    const [before = ''] = own().map(({ body }) => body);
    write(3);
    expect((await pullRequest()).code).toBe(0);
    expect(own()).toHaveLength(1);
    expect(own()[0]?.body).not.toBe(before);
    expect(await generation()).toBe(0);
  });

  it('a pull request with faults gets them as its comment, and the job fails', async () => {
    name = 'faulty';
    writeFileSync(file(), 'kind: InputManifest\nspek: {}\n```\n');
    writeFileSync(file(), minimal.replace('count: 2', 'count: minus'));
    const { code } = await pullRequest();
    expect(code).toBe(3);
    expect(github.comments[0]?.body).toContain('### Kubeloom: the documents have faults');
    expect(github.comments[0]?.body).toMatch(/<!-- kubeloom-ids +-->/);
  });

  it('a token that GitHub refuses fails the job with the message of GitHub', async () => {
    name = 'refused';
    write(2);
    const { code, stdout, stderr } = await step('run.sh', {
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_TOKEN: 'old',
    });
    expect(code).not.toBe(0);
    expect(`${stdout}${stderr}`).toContain('401');
  });
});

describe('a merge', () => {
  it('a merge carries out exactly the plan of the comment, and refuses it once it was carried out by another', async () => {
    name = 'merged';
    write(2);
    await pullRequest();
    const { code, stdout } = await push();
    expect([code, stdout]).toEqual([0, expect.stringContaining('accepted: generation 1')]);
    const ids = /<!-- kubeloom-ids ([0-9a-f]{40}) /.exec(github.comments[0]?.body ?? '')?.[1];
    expect(stdout).toContain(`plan ${ids}`);
    write(3);
    await pullRequest();
    write(4);
    await applied();
    write(3);
    const late = await push();
    expect(late.code).toBe(5);
    expect(late.stderr).toContain('is no longer valid: the manifest moved from');
    expect(await generation()).toBe(2);
  });

  it('a comment of someone else approves nothing, and neither does a push without a pull request', async () => {
    name = 'forged';
    write(2);
    github.comment(7, 'mallory', `<!-- kubeloom-plan -->\n<!-- kubeloom-ids ${'a'.repeat(40)} -->`);
    expect((await push()).code).toBe(3);
    github.requests.clear();
    const { code, stderr } = await push();
    expect([code, stderr]).toEqual([3, expect.stringContaining('came from no merged pull request')]);
    expect(await generation()).toBe(0);
  });
});

describe('the login', () => {
  const identity = () => ({
    ACTIONS_ID_TOKEN_REQUEST_URL: `${github.url}/token?api=1`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
    GITHUB_ENV: join(mkdtempSync(join(directory, 'job-')), 'env'),
  });

  it('the token of the job becomes the identity of a role, in a file that only the job reads', async () => {
    const environment = { ...identity(), KUBELOOM_ROLE: 'arn:aws:iam::123456789012:role/plans' };
    const { code, stdout } = await step('log-in.sh', environment);
    expect([code, stdout]).toEqual([0, '::add-mask::identity-for-sts.amazonaws.com\n']);
    const variables = readFileSync(environment.GITHUB_ENV, 'utf8');
    expect(variables).toContain('AWS_ROLE_ARN=arn:aws:iam::123456789012:role/plans\n');
    expect(variables).not.toContain('identity-for');
    expect(readFileSync(join(directory, 'kubeloom-identity'), 'utf8')).toBe('identity-for-sts.amazonaws.com');
  });

  it('the API gets the token itself where there is no role; without an identity the job says which permission is missing', async () => {
    const environment = { ...identity(), KUBELOOM_AUDIENCE: 'kubeloom' };
    expect((await step('log-in.sh', environment)).code).toBe(0);
    expect(readFileSync(environment.GITHUB_ENV, 'utf8')).toBe('KUBELOOM_TOKEN=identity-for-kubeloom\n');
    const { code, stderr } = await step('log-in.sh', {});
    expect([code, stderr]).toEqual([8, expect.stringContaining('id-token: write')]);
  });
});

it('the action passes all of its inputs to scripts that exist', () => {
  const { inputs, runs } = parse(readFileSync(join(action, 'action.yml'), 'utf8')) as {
    readonly inputs: Readonly<Record<string, unknown>>;
    readonly runs: {
      readonly steps: readonly { readonly run: string; readonly env: Readonly<Record<string, string>> }[];
    };
  };
  const text = JSON.stringify(runs);
  for (const input of Object.keys(inputs)) expect(text).toContain(`inputs.${input} `);
  for (const { run } of runs.steps) {
    const script = /GITHUB_ACTION_PATH\/([\w.-]+)/.exec(run)?.[1] ?? '';
    expect(readFileSync(join(action, script), 'utf8')).toMatch(/^#!/);
  }
});
