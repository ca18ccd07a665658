/** `SfnWorkflows` and `CodeBuildBuilds`: what they make of the answers of Step Functions and CodeBuild. */
import {
  BatchGetBuildsCommand,
  CodeBuildClient,
  InvalidInputException,
  ListBuildsForProjectCommand,
  StopBuildCommand,
} from '@aws-sdk/client-codebuild';
import {
  DescribeExecutionCommand,
  ExecutionAlreadyExists,
  ExecutionDoesNotExist,
  SFNClient,
  StartExecutionCommand,
  StartSyncExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CodeBuildBuilds } from '#adapters/codebuild-builds.ts';
import { SfnWorkflows } from '#adapters/sfn-workflows.ts';
import { forgetSent, notCalled, recordedClient, recordedPort, sentAndAllowed } from './recorded-actions.ts';

const machine = 'arn:aws:states:eu-central-1:000000000000:stateMachine:reconcile-manifest';
const execution = 'arn:aws:states:eu-central-1:000000000000:execution:reconcile-manifest:shop-abcde-g1-a1';
const sfn = mockClient(SFNClient);
const codebuild = mockClient(CodeBuildClient);
const workflows = recordedPort(
  'workflows',
  new SfnWorkflows(recordedClient('states', new SFNClient({ region: 'eu-central-1' })), {
    reconcile: machine,
    rollOut: machine.replace('reconcile-manifest', 'roll-out'),
    askRunner: machine.replace('reconcile-manifest', 'ask-runner'),
  }),
);
const builds = recordedPort(
  'builds',
  new CodeBuildBuilds(recordedClient('codebuild', new CodeBuildClient({ region: 'eu-central-1' })), [
    'ansible',
    'terraform',
    'ansible',
  ]),
);
const fault = { $metadata: {}, message: 'no' };

beforeAll(forgetSent);
afterAll(() => {
  sfn.restore();
  codebuild.restore();
});
beforeEach(() => {
  sfn.reset();
  codebuild.reset();
});

describe('SfnWorkflows', () => {
  it('an execution is started under the name of the run, with the same text every time', async () => {
    sfn.on(StartExecutionCommand).resolves({ executionArn: execution });
    expect(await workflows.startReconcile('shop-abcde-g1-a1', { name: 'shop', namespace: 'team' })).toBe(execution);
    expect(sfn.commandCalls(StartExecutionCommand)[0]?.args[0].input).toEqual({
      stateMachineArn: machine,
      name: 'shop-abcde-g1-a1',
      input: '{"namespace":"team","name":"shop"}',
    });
  });

  it('a roll-out is started under a name of its own, and a name that is taken is the same one', async () => {
    const arn = execution.replace(/reconcile.*/, 'roll-out:1-e2');
    sfn.on(StartExecutionCommand).resolvesOnce({ executionArn: arn }).rejects(new ExecutionAlreadyExists(fault));
    const start = () => workflows.startRollOut('1-e2', { id: '1', namespace: 'team', execution: 2 });
    expect([await start(), await start()]).toEqual([arn, arn]);
    expect(sfn.commandCalls(StartExecutionCommand)[0]?.args[0].input).toEqual({
      stateMachineArn: machine.replace('reconcile-manifest', 'roll-out'),
      name: '1-e2',
      input: '{"namespace":"team","id":"1","execution":2}',
    });
  });

  it('the build of a question is started by a state machine of its own, which answers with its id', async () => {
    sfn.on(StartSyncExecutionCommand).resolves({ status: 'SUCCEEDED', output: '{"buildId":"t:1"}' });
    expect(await workflows.askRunner({ job: 'checks/team/shop/cloud/1', kind: 'credentials' })).toBe('t:1');
    expect(sfn.commandCalls(StartSyncExecutionCommand)[0]?.args[0].input).toEqual({
      stateMachineArn: machine.replace('reconcile-manifest', 'ask-runner'),
      input: '{"kind":"credentials","job":"checks/team/shop/cloud/1"}',
    });
  });

  it.each([
    ['FAILED', { error: 'CodeBuild.AccountLimitExceededException', cause: 'Cannot have more than 1 builds in queue' }],
    ['TIMED_OUT', { error: 'States.Timeout' }],
  ] as const)('a question whose state machine ended %s has to be repeated, with the reason', async (status, fault) => {
    sfn.on(StartSyncExecutionCommand).resolves({ status, ...fault });
    await expect(workflows.askRunner({ kind: 'ssh', job: 'access/1' })).rejects.toMatchObject({
      name: 'ServiceUnavailable',
      message: expect.stringContaining('cause' in fault ? fault.cause : fault.error),
    });
  });

  it('a job that is no question is a fault of Kubeloom', async () => {
    sfn.on(StartSyncExecutionCommand).resolves({ status: 'FAILED', error: 'QuestionRefused', cause: 'no question' });
    const asked = workflows.askRunner({ kind: 'ssh', job: 'runs/1' });
    await expect(asked).rejects.toMatchObject({ name: 'InternalFault' });
  });

  it('an execution name that is taken already belongs to the same run', async () => {
    sfn.on(StartExecutionCommand).rejects(new ExecutionAlreadyExists(fault));
    expect(await workflows.startReconcile('shop-abcde-g1-a1', { namespace: 'team', name: 'shop' })).toBe(execution);
  });

  it('the status of an execution is returned; an execution that does not exist has none', async () => {
    sfn.on(DescribeExecutionCommand).resolvesOnce({ status: 'RUNNING' }).rejects(new ExecutionDoesNotExist(fault));
    expect(await workflows.status(execution)).toBe('RUNNING');
    expect(await workflows.status(execution)).toBeUndefined();
  });

  it('the status of a run is that of the execution of its name', async () => {
    sfn.on(DescribeExecutionCommand, { executionArn: execution }).resolvesOnce({ status: 'RUNNING' });
    expect(await workflows.statusOfRun('shop-abcde-g1-a1')).toBe('RUNNING');
  });

  it('the error of an execution is returned; an execution that did not fail has none', async () => {
    sfn
      .on(DescribeExecutionCommand)
      .resolvesOnce({ status: 'FAILED', error: 'States.Timeout', cause: 'too long' })
      .resolvesOnce({ status: 'RUNNING' })
      .rejects(new ExecutionDoesNotExist(fault));
    expect(await workflows.fault(execution)).toEqual({ Error: 'States.Timeout', Cause: 'too long' });
    expect(await workflows.fault(execution)).toBeUndefined();
    expect(await workflows.fault(execution)).toBeUndefined();
  });

  it('an execution is stopped, and stopping nothing is no error', async () => {
    sfn
      .on(StopExecutionCommand)
      .resolvesOnce({ stopDate: new Date(0) })
      .rejects(new ExecutionDoesNotExist(fault));
    await workflows.stop(execution, 'cancelled');
    await workflows.stop(execution, 'cancelled');
    expect(sfn.commandCalls(StopExecutionCommand)).toHaveLength(2);
  });
});

describe('CodeBuildBuilds', () => {
  const build = (id: string, buildStatus: 'IN_PROGRESS' | 'SUCCEEDED', waypoint: string) => ({
    id,
    buildStatus,
    environment: {
      type: 'LINUX_CONTAINER' as const,
      image: 'x',
      computeType: 'BUILD_GENERAL1_SMALL' as const,
      environmentVariables: [{ name: 'KUBELOOM_JOB', value: `${waypoint}/nodes/do/1` }],
    },
  });

  it('the builds of a waypoint that still run are found, in every project once', async () => {
    codebuild.on(ListBuildsForProjectCommand).resolves({ ids: [] });
    codebuild.on(ListBuildsForProjectCommand, { projectName: 'ansible' }).resolves({ ids: ['a:1', 'a:2', 'a:3'] });
    codebuild.on(BatchGetBuildsCommand, { ids: ['a:1', 'a:2', 'a:3'] }).resolves({
      builds: [
        build('a:1', 'SUCCEEDED', 'p/w00'),
        build('a:2', 'IN_PROGRESS', 'p/w00'),
        build('a:3', 'IN_PROGRESS', 'p/w01'),
      ],
    });
    expect(await builds.running('p/w00')).toEqual(['a:2']);
    expect(codebuild.commandCalls(ListBuildsForProjectCommand)).toHaveLength(2);
    expect(codebuild.commandCalls(BatchGetBuildsCommand)).toHaveLength(1);
  });

  it('a running build is found among hundreds of newer ones, and builds of yesterday are not read', async () => {
    const page = (name: string, hoursAgo: number, next?: string) => {
      const ids = Array.from({ length: 100 }, (_, index) => `${name}:${index}`);
      codebuild
        .on(ListBuildsForProjectCommand, { projectName: 'ansible', ...(name !== 'new' && { nextToken: name }) })
        .resolves({ ids, ...(next !== undefined && { nextToken: next }) });
      const startTime = new Date(Date.now() - hoursAgo * 3_600_000);
      const found = ids.map((id) => ({
        ...build(id, id === 'old:7' ? 'IN_PROGRESS' : 'SUCCEEDED', 'p/w00'),
        startTime,
      }));
      codebuild.on(BatchGetBuildsCommand, { ids }).resolves({ builds: found });
    };
    codebuild.on(ListBuildsForProjectCommand).resolves({ ids: [] });
    page('new', 1, 'old');
    page('old', 3.6, 'yesterday');
    page('yesterday', 24);
    expect(await builds.running('p/w00')).toEqual(['old:7']);
    expect(codebuild.commandCalls(BatchGetBuildsCommand)).toHaveLength(2);
  });

  it('the end of a build is reported; an unknown build has no status', async () => {
    codebuild
      .on(BatchGetBuildsCommand)
      .resolvesOnce({ builds: [build('a:1', 'IN_PROGRESS', '')] })
      .resolvesOnce({ builds: [build('a:1', 'SUCCEEDED', '')] })
      .resolves({ builds: [], buildsNotFound: ['a:1'] });
    expect(await builds.status('a:1')).toBe('running');
    expect(await builds.status('a:1')).toBe('ended');
    expect(await builds.status('a:1')).toBeUndefined();
  });

  it('a build is found with its project and what it was started with, and only if it exists', async () => {
    codebuild.on(BatchGetBuildsCommand).resolves({
      builds: [{ ...build('a:1', 'IN_PROGRESS', 'runs/x'), projectName: 'a' }],
      buildsNotFound: ['b:1'],
    });
    expect(await builds.find(['a:1', 'b:1'])).toEqual([
      {
        id: 'a:1',
        project: 'a',
        status: 'running',
        variables: expect.objectContaining({ KUBELOOM_JOB: expect.stringContaining('runs/x') }),
      },
    ]);
  });

  it('a build is stopped, and stopping one that has ended is no error', async () => {
    codebuild.on(StopBuildCommand).rejectsOnce(new InvalidInputException(fault)).rejects(new Error('boom'));
    await builds.stop('a:2');
    await expect(builds.stop('a:2')).rejects.toThrow('boom');
  });
});

describe('rights', () => {
  it('the rights of each method are what its adapter sends in the tests above, no more and no less', () => {
    const { sent, allowed } = sentAndAllowed();
    expect(notCalled('workflows', 'builds')).toEqual([]);
    expect(allowed).toEqual(sent);
  });
});
