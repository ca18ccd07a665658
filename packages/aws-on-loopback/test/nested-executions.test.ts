/** What executions start on one machine: executions of other machines, builds, and what the rule for failed ones starts. */
import { StopExecutionCommand } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { executionArn, stateMachineArn } from '../src/names.ts';
import { startWorkbench, task, type Workbench } from './workbench.ts';

const nested = 'arn:aws:states:::states:startExecution.sync:2';
const only = (state: object): object => ({ StartAt: 'Work', States: { Work: state } });
const caught = (state: object): object => ({
  StartAt: 'Work',
  States: {
    Work: { ...state, Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.fault', Next: 'Report' }] },
    Report: { Type: 'Pass', OutputPath: '$.fault', End: true },
  },
});
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });
/** Id of the build that an execution's history says was submitted. */
function buildOf({ store }: Workbench, arn: string): string {
  const events = JSON.stringify(store.history(arn).filter(({ type }) => type === 'TaskSubmitted'));
  return /"Id\\":\\"([^"\\]+)/.exec(events)?.[1] ?? '';
}
const forever = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));

describe('nested executions', () => {
  const parent = (more: object = {}): object =>
    task(nested, { Parameters: { StateMachineArn: '${Child}', Input: { 'n.$': '$.n' } }, ...more, End: true });

  it('a nested execution gives its output as JSON', async () => {
    const bench = await startWorkbench({ machines: { parent: only(parent()), child: only({ Type: 'Succeed' }) } });
    expect((await bench.run('parent', { n: 7 })).output).toMatchObject({ Status: 'SUCCEEDED', Output: { n: 7 } });
  });

  it('a nested execution that fails fails the task, with its description as cause', async () => {
    const child = only({ Type: 'Fail', Error: 'StageFailed', Cause: 'terraform' });
    const bench = await startWorkbench({ machines: { parent: caught(parent()), child } });
    const fault = (await bench.run('parent', { n: 7 })).output as { Error: string; Cause: string };
    expect(fault.Error).toBe('States.TaskFailed');
    expect(JSON.parse(fault.Cause)).toMatchObject({
      Status: 'FAILED',
      Error: 'StageFailed',
      Cause: 'terraform',
      Input: '{"n":7}',
      StateMachineArn: stateMachineArn('child'),
    });
  });

  it('a nested execution is aborted with its parent, and its builds are stopped', async () => {
    const started = Promise.withResolvers<void>();
    const bench = await startWorkbench({
      machines: {
        parent: only(parent()),
        child: only(
          task('arn:aws:states:::codebuild:startBuild.sync', { Parameters: { ProjectName: 'p' }, End: true }),
        ),
      },
      projects: {
        p: {
          kind: 'function',
          run: (_, { signal }) => {
            started.resolve();
            return forever(signal);
          },
        },
      },
    });
    const ended = bench.run('parent', { n: 1 }, 'one');
    await started.promise;
    await bench.sfn.send(new StopExecutionCommand({ executionArn: executionArn('parent', 'one'), cause: 'enough' }));
    expect(await ended).toMatchObject({ status: 'ABORTED', cause: 'enough' });
    const [child] = bench.store.list({ machine: 'child' });
    expect((await bench.executions.ended(child?.arn ?? '')).status).toBe('ABORTED');
    expect(await bench.historyOf('parent', 'one')).toContain('ExecutionAborted');
    expect((await bench.builds.ended(buildOf(bench, child?.arn ?? ''))).status).toBe('STOPPED');
  });

  it('a nested execution is aborted when a sibling fails', async () => {
    const branch = (name: string, state: object): object => ({ StartAt: name, States: { [name]: state } });
    const bench = await startWorkbench({
      functions: {
        hang: () => new Promise(() => {}),
        fail: async () => {
          while (bench.store.list({ machine: 'child', status: 'RUNNING' }).length === 0)
            await new Promise(setImmediate);
          throw named('Broken', 'it is');
        },
      },
      machines: {
        parent: only({
          Type: 'Parallel',
          End: true,
          Branches: [branch('A', parent()), branch('B', task('${Fail}', { End: true }))],
        }),
        child: only(task('${Hang}', { End: true })),
      },
    });
    expect(await bench.run('parent', { n: 1 })).toMatchObject({ status: 'FAILED', error: 'Broken' });
    const [child] = bench.store.list({ machine: 'child' });
    expect((await bench.executions.ended(child?.arn ?? '')).status).toBe('ABORTED');
  });
});

describe('builds of executions', () => {
  const build = (more: object = {}): object =>
    task('arn:aws:states:::codebuild:startBuild.sync', {
      Parameters: {
        ProjectName: 'p',
        EnvironmentVariablesOverride: [{ Name: 'SHOP_STAGE', Type: 'PLAINTEXT', Value: 'nodes' }],
      },
      End: true,
      ...more,
    });

  it('a build gets its environment and returns the shape of Step Functions', async () => {
    let seen: unknown;
    const run = async (environment: Readonly<Record<string, string>>): Promise<void> => {
      seen = environment.SHOP_STAGE;
    };
    const bench = await startWorkbench({ machines: { m: only(build()) }, projects: { p: { kind: 'function', run } } });
    const { output } = await bench.run('m');
    expect(output).toMatchObject({ Build: { BuildStatus: 'SUCCEEDED', ProjectName: 'p', BuildComplete: true } });
    expect(seen).toBe('nodes');
  });

  it('a build that fails fails the task, with the build as cause', async () => {
    const bench = await startWorkbench({
      machines: { m: caught(build()) },
      projects: { p: { kind: 'function', run: async () => false } },
    });
    const fault = (await bench.run('m')).output as { Error: string; Cause: string };
    expect(fault.Error).toBe('States.TaskFailed');
    expect(JSON.parse(fault.Cause)).toMatchObject({
      Build: { BuildStatus: 'FAILED', Id: expect.stringMatching(/^p:/) },
    });
  });

  it('a build runs on when its task times out, as in AWS', async () => {
    const work = Promise.withResolvers<void>();
    const bench = await startWorkbench({
      machines: { m: caught(build({ TimeoutSeconds: 0.2 })) },
      projects: { p: { kind: 'function', run: () => work.promise } },
    });
    const { output } = await bench.run('m', {}, 'one');
    expect(output).toMatchObject({ Error: 'States.Timeout' });
    expect(await bench.historyOf('m', 'one')).toContain('TaskTimedOut');
    const id = buildOf(bench, executionArn('m', 'one'));
    expect(bench.builds.get(id)?.status).toBe('IN_PROGRESS');
    work.resolve();
    expect((await bench.builds.ended(id)).status).toBe('SUCCEEDED');
  });

  it('a build of an unknown project is refused with the error name of AWS', async () => {
    const bench = await startWorkbench({ machines: { m: caught(build()) } });
    expect((await bench.run('m')).output).toMatchObject({ Error: 'CodeBuild.ResourceNotFoundException' });
  });
});

describe('the rule for failed executions', () => {
  const rules = [{ machine: 'main', statuses: ['FAILED', 'ABORTED', 'TIMED_OUT'] as const, target: 'tidy' }];
  const machines = { main: only(task('${Work}', { End: true })), tidy: only(task('${CleanUp}', { End: true })) };

  it('a failed execution starts the machine of the rule with the event that EventBridge delivers', async () => {
    const event = Promise.withResolvers<unknown>();
    const functions = {
      work: () => {
        throw named('Broken', 'it is');
      },
      'clean-up': (input: unknown) => event.resolve(input),
    };
    const bench = await startWorkbench({ functions, machines, rules });
    await bench.run('main', { a: 1 }, 'one');
    expect(await event.promise).toMatchObject({
      source: 'aws.states',
      'detail-type': 'Step Functions Execution Status Change',
      detail: {
        executionArn: executionArn('main', 'one'),
        stateMachineArn: stateMachineArn('main'),
        name: 'one',
        status: 'FAILED',
        input: '{"a":1}',
        error: 'Broken',
      },
    });
  });

  it('the rule runs for executions that the end of the platform aborted, and again if interrupted itself', async () => {
    const work = Promise.withResolvers<void>();
    const functions = { work: () => work.resolve() };
    const hanging = { 'clean-up': () => ({}), work: () => new Promise(() => work.resolve()) };
    const first = await startWorkbench({ functions: hanging, machines, rules });
    const main = first.machines.find(({ name }) => name === 'main');
    if (main) first.executions.start({ machine: main, name: 'one', input: '{"a":1}' });
    await work.promise;
    first.close();

    const started = Promise.withResolvers<void>();
    const tidyHangs = { ...functions, 'clean-up': () => new Promise(() => started.resolve()) };
    const second = await startWorkbench({ directory: first.directory, functions: tidyHangs, machines, rules });
    second.executions.recover();
    expect(second.executions.get(executionArn('main', 'one'))).toMatchObject({ status: 'ABORTED' });
    second.rules.resume();
    await started.promise;
    second.close();

    const tidied = Promise.withResolvers<unknown>();
    const tidies = { ...functions, 'clean-up': (input: unknown) => tidied.resolve(input) };
    const third = await startWorkbench({ directory: first.directory, functions: tidies, machines, rules });
    third.executions.recover();
    third.rules.resume();
    expect(await tidied.promise).toMatchObject({ detail: { name: 'one', status: 'ABORTED' } });
    await third.executions.idle();
    expect(third.store.list({ followUp: 'pending' })).toEqual([]);
  });
});
