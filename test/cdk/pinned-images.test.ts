/** An upgrade while runs are at work: their later builds run on the images that they began with, and every build can be stopped. */
import { expect, it } from 'vitest';
import { jobContract } from '#contracts/job-contract.ts';
import { installation, resourcesOf, roleId, type Statement, statementsOf } from './synthesised.ts';

const { pipeline } = installation;
const statementsIn = (type: string, role: string): readonly Statement[] =>
  resourcesOf(pipeline, type).flatMap(({ Properties }) => statementsOf(pipeline, roleId(Properties[role])));
const ofMachines = statementsIn('AWS::StepFunctions::StateMachine', 'RoleArn');
const ofFunctions = statementsIn('AWS::Lambda::Function', 'Role');
const allowing = (statements: readonly Statement[], action: string) =>
  statements.filter(({ Action, Effect }) => Effect === 'Allow' && [Action].flat().includes(action));
const [first] = resourcesOf(pipeline, 'AWS::Lambda::Function');
const variables = (first?.Properties.Environment as { Variables: Record<string, unknown> } | undefined)?.Variables;
/** As text, with the references to other resources in it. */
const textOf = (value: unknown): string => JSON.stringify(value).replaceAll('\\"', '"');

it('a stage is started with one variable and no override but the image, which is in the repository of the bootstrap of the CDK', () => {
  // The machine of questions starts builds, too, and stops none (rights.test.ts).
  const stages = resourcesOf(pipeline, 'AWS::StepFunctions::StateMachine').find(
    ({ Properties }) => Properties.StateMachineName === 'kubeloom-run-stage',
  );
  const [starts, ...more] = allowing(
    statementsOf(pipeline, roleId(stages?.Properties.RoleArn)),
    'codebuild:StartBuild',
  );
  expect(more).toEqual([]);
  const refused = ['serviceRole', 'source.buildspec', 'source.location'].map((key) => `codebuild:${key}`);
  expect(starts?.Condition).toEqual({
    'ForAllValues:StringEquals': { 'codebuild:environment.environmentVariables.name': ['KUBELOOM_JOB'] },
    Null: Object.fromEntries(refused.map((key) => [key, 'true'])),
    StringLikeIfExists: { 'codebuild:environment.image': expect.anything() },
  });
  // Whatever tag a release gave an image: all are in one repository, with those of other applications, and a tag is a hash.
  const pattern = textOf(starts?.Condition?.StringLikeIfExists);
  expect(pattern).toMatch(/container-assets-.*":\*"/);
  expect(pattern.match(/\*/g)).toHaveLength(1);
});

it('a check that started on the other compute type, before the option changed, is still read and stopped', () => {
  for (const statements of [ofMachines, ofFunctions]) {
    // The functions that search for running builds; the others ask about jobs that they started themselves.
    const looking = allowing(statements, 'codebuild:ListBuildsForProject');
    const stopping = looking.length > 0 ? looking : allowing(statements, 'codebuild:StopBuild');
    expect(stopping.length).toBeGreaterThan(0);
    for (const { Resource } of stopping)
      expect([...textOf(Resource).matchAll(/Runnerdrift((?:Lambda)?Project)/g)].map(([, name]) => name).sort()).toEqual(
        ['LambdaProject', 'Project'],
      );
  }
  expect(textOf(variables?.KUBELOOM_OTHER_PROJECTS)).toMatch(/^\{"Ref":"Runnerdrift\w*Project\w*"\}$/);
});

it('functions know the image of each tool by a tag that is the hash of what is in it, and what these read', () => {
  const release = textOf(variables?.KUBELOOM_RUNNER_RELEASE);
  expect(release).toContain(`"contract":"${jobContract()}"`);
  for (const tool of ['terraform', 'ansible', 'kubeone', 'kubectl', 'drift'])
    expect(release).toMatch(new RegExp(`"${tool}":".{0,300}?:[0-9a-f]{64}"`));
});
