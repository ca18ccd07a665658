/** The state machine that asks runners: which project's build each question starts, and which questions start no build. */
import { describe, expect, it } from 'vitest';
import { Question, questionKeys } from '#contracts/job.ts';
import { type BuildRequest, StateMachines } from './harness/state-machines.ts';

const key = { namespace: 'team', name: 'shop' };
type Kind = Question['kind'];

/** Where each kind is stored, and the tool whose project answers it. */
const questions = {
  credentials: [`${questionKeys.checks(key, 'cloud')}1`, 'terraform'],
  templates: [`${questionKeys.lookups(key, '0123abcd')}1`, 'terraform'],
  plugin: [`${questionKeys.plugins('team', '0123abcd')}1`, 'terraform'],
  source: [questionKeys.sources(key, 'a000001'), 'terraform'],
  catalogue: [`${questionKeys.catalogues('team', 'hetzner')}1`, 'terraform'],
  certificate: [`${questionKeys.access(key, 'shop', 'certificate-0123abcd')}1`, 'kubectl'],
  ssh: [`${questionKeys.access(key, 'shop', 'ssh-0123abcd')}1`, 'ansible'],
  state: [`${questionKeys.access(key, 'shop', 'state-0123abcd')}1`, 'drift'],
} as const satisfies Record<Kind, readonly [job: string, tool: string]>;

async function started(input: unknown): Promise<readonly BuildRequest[]> {
  const builds: BuildRequest[] = [];
  const machines = new StateMachines({
    invoke: () => Promise.reject(new Error('no function is called')),
    build: async (request) => {
      builds.push(request);
      return { Build: { Id: 'tool:1' } };
    },
  });
  const { status, error } = await machines.run('ask-runner', input);
  const ended = builds.length > 0 ? { status: 'SUCCEEDED' } : { status: 'FAILED', error: 'QuestionRefused' };
  expect({ status, error }).toEqual({ error: undefined, ...ended });
  return builds;
}

describe('the state machine ask-runner', () => {
  it.each(Object.entries(questions))(
    'a question of the kind %s starts one build, with one variable',
    async (kind, [job, tool]) => {
      const builds = await started({ kind, job });
      expect(builds).toEqual([
        {
          ProjectName: tool,
          IdempotencyToken: expect.stringMatching(/^[0-9a-f]{64}$/),
          EnvironmentVariablesOverride: [{ Name: 'KUBELOOM_JOB', Type: 'PLAINTEXT', Value: job }],
        },
      ]);
    },
  );

  it('each kind of question is asked above', () => {
    expect(Object.keys(questions).sort()).toEqual(Question.options.map(({ shape }) => shape.kind.value).sort());
  });

  it('the same question uses the same build, and a different question another build', async () => {
    const token = async (job: string) =>
      (await started({ kind: 'source', job })).map(({ IdempotencyToken }) => IdempotencyToken);
    expect(await token('checks/a/1')).toEqual(await token('checks/a/1'));
    expect(await token('checks/a/1')).not.toEqual(await token('checks/a/2'));
  });

  it.each([
    ['a stage', { kind: 'ssh', job: 'runs/team/shop/shop-abcde-g1-a1/shop/w00/infrastructure/do/1' }],
    ['a job of no folder', { kind: 'credentials', job: 'x/checks/1' }],
    ['an access of a kind that no runner answers', { kind: 'credentials', job: 'access/team/shop/shop/ssh-1/1' }],
  ])('%s is refused: it starts no build', async (_, input) => {
    expect(await started(input)).toEqual([]);
  });

  it('a question of checks/ is one for Terraform, whatever kind its asker names: who asks git repositories gets no certificate', async () => {
    const builds = await started({ kind: 'certificate', job: 'checks/_sources/team/shop/a000001' });
    expect(builds.map(({ ProjectName }) => ProjectName)).toEqual(['terraform']);
  });

  it('whatever else the input has overrides nothing of a build', async () => {
    const more = { ArtifactsOverride: {}, PrivilegedModeOverride: true, project: 'ansible', IdempotencyToken: 'x' };
    const [build] = await started({ kind: 'source', job: 'checks/1', ...more });
    expect(Object.keys(build ?? {}).sort()).toEqual([
      'EnvironmentVariablesOverride',
      'IdempotencyToken',
      'ProjectName',
    ]);
    expect(build?.ProjectName).toBe('terraform');
  });
});
