/** Questions, as scenarios: one build is started of a question, and none of any other job. */
import { questionKeys } from '#contracts/job.ts';
import type { Pipeline } from '#test/pipeline/harness/pipeline.ts';
import type { Outcome } from '#test/pipeline/harness/state-machines.ts';
import type { Scenario } from './scenario.ts';

const key = { namespace: 'team', name: 'shop' };
const ssh = { kind: 'ssh', job: `${questionKeys.access(key, 'shop', 'ssh-0123abcd')}1` };

async function asked(pipeline: Pipeline, inputs: readonly object[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const input of inputs) outcomes.push(await pipeline.machines.run('ask-runner', input));
  return outcomes;
}

export const questionScenarios: readonly Scenario[] = [
  {
    name: 'questions: a build is started of each, and of no job of a run',
    short: true,
    play: (pipeline) =>
      asked(pipeline, [
        { kind: 'credentials', job: `${questionKeys.checks(key, 'cloud')}1` },
        { kind: 'certificate', job: `${questionKeys.access(key, 'shop', 'certificate-0123abcd')}1` },
        ssh,
        { kind: 'credentials', job: 'runs/team/shop/shop-abcde-g1-a1/shop/w00/infrastructure/do/1' },
        { ...ssh, kind: 'credentials' },
      ]),
    expected: {
      outcomes: [
        ...[{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }],
        ...[
          { status: 'FAILED', error: 'QuestionRefused' },
          { status: 'FAILED', error: 'QuestionRefused' },
        ],
      ],
    },
  },
  {
    name: 'a question whose build cannot be started ends with the error of CodeBuild, and a CodeBuild that does not answer is retried',
    async play(pipeline) {
      pipeline.runner.refuse('question', 'AccountLimitExceededException');
      const full = await asked(pipeline, [ssh]);
      pipeline.runner.refuse('question', 'AWSCodeBuildException', 2);
      return [...full, ...(await asked(pipeline, [ssh]))];
    },
    expected: {
      outcomes: [{ status: 'FAILED', error: 'CodeBuild.AccountLimitExceededException' }, { status: 'SUCCEEDED' }],
    },
  },
];
