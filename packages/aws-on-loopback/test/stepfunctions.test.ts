/** Step Functions on one machine: executions, as the SDK and the states of a machine see them. */
import {
  DescribeStateMachineCommand,
  ListExecutionsCommand,
  ListStateMachinesCommand,
  StartExecutionCommand,
  StartSyncExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import { executionArn, stateMachineArn } from '../src/names.ts';
import { refusal } from './clients.ts';
import { startWorkbench, task, type Workbench } from './workbench.ts';

const invoke = 'arn:aws:states:::lambda:invoke';
const only = (state: object): object => ({ StartAt: 'Work', States: { Work: state } });
const caught = (state: object): object => ({
  StartAt: 'Work',
  States: {
    Work: { ...state, Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.fault', Next: 'Report' }] },
    Report: { Type: 'Pass', OutputPath: '$.fault', End: true },
  },
});
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });
const forever = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));

describe('machines whose starter waits', () => {
  const start = 'arn:aws:states:::codebuild:startBuild';
  const one = task(start, {
    Parameters: { ProjectName: 'tool' },
    ResultSelector: { 'buildId.$': '$.Build.Id' },
    End: true,
  });
  const send = (bench: Workbench, machine: string) =>
    bench.sfn.send(new StartSyncExecutionCommand({ stateMachineArn: stateMachineArn(machine), input: '{}' }));

  it('the starter of an Express machine gets its output while the build that it started still runs', async () => {
    const bench = await startWorkbench({
      machines: { 'ask-runner': only(one) },
      projects: { tool: { kind: 'function', run: (_, { signal }) => forever(signal) } },
    });
    const { status, output = '' } = await send(bench, 'ask-runner');
    expect(status).toBe('SUCCEEDED');
    const { buildId } = JSON.parse(output);
    expect(bench.builds.get(buildId)).toMatchObject({ status: 'IN_PROGRESS' });
    bench.builds.stop(buildId);
  });

  it('an Express machine that fails says why', async () => {
    const bench = await startWorkbench({ machines: { 'ask-runner': only(one) } });
    expect(await send(bench, 'ask-runner')).toMatchObject({
      status: 'FAILED',
      error: 'CodeBuild.ResourceNotFoundException',
      cause: expect.stringContaining('tool'),
    });
  });

  it('an Express machine does not wait for executions of other machines', async () => {
    const work = only(task('${Work}', { End: true }));
    let end = (_: unknown): void => {};
    const held = new Promise((resolve) => {
      end = resolve;
    });
    const bench = await startWorkbench({
      machines: { busy: work, 'ask-runner': only({ Type: 'Pass', End: true }) },
      functions: { work: () => held },
      executionsAtOnce: 1,
    });
    const busy = bench.run('busy');
    expect(await send(bench, 'ask-runner')).toMatchObject({ status: 'SUCCEEDED' });
    end(null);
    expect(await busy).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('a Standard machine gives no output to its starter', async () => {
    const bench = await startWorkbench({ machines: { plain: only({ Type: 'Pass', End: true }) } });
    expect(await refusal(send(bench, 'plain'))).toMatchObject({ name: 'StateMachineTypeNotSupported' });
  });
});

describe('executions', () => {
  it('an execution passes JSON through functions, by name and by the invoke integration', async () => {
    const bench = await startWorkbench({
      functions: { 'add-one': (input) => ({ n: (input as { n: number }).n + 1, gone: undefined }) },
      machines: {
        plain: only(task('${AddOne}', { End: true })),
        invoking: only(task(invoke, { Parameters: { FunctionName: '${AddOne}', 'Payload.$': '$' }, End: true })),
      },
    });
    expect(await bench.run('plain', { n: 1 })).toMatchObject({ status: 'SUCCEEDED', output: { n: 2 } });
    expect((await bench.run('invoking', { n: 1 })).output).toMatchObject({ StatusCode: 200, Payload: { n: 2 } });
  });

  it('an execution fails with the name of the error of a function, and its message in the cause', async () => {
    const functions = {
      refuse: () => {
        throw named('LeaseLost', 'another run holds it');
      },
    };
    const machines = {
      plain: only(task('${Refuse}', { End: true })),
      catching: caught(task('${Refuse}', { End: true })),
    };
    const bench = await startWorkbench({ functions, machines });
    const cause = JSON.stringify({ errorType: 'LeaseLost', errorMessage: 'another run holds it' });
    expect(await bench.run('plain')).toMatchObject({ status: 'FAILED', error: 'LeaseLost', cause });
    expect((await bench.run('catching')).output).toEqual({ Error: 'LeaseLost', Cause: cause });
  });

  it('an execution knows its own id, name and machine, inside a Map too', async () => {
    const Parameters = {
      'id.$': '$$.Execution.Id',
      'name.$': '$$.Execution.Name',
      'machine.$': '$$.StateMachine.Id',
      'text.$': "States.Format('{} of {}', $.word, $$.Execution.Name)",
    };
    const ItemProcessor = { StartAt: 'In It', States: { 'In It': { Type: 'Pass', Parameters, End: true } } };
    const bench = await startWorkbench({
      machines: { map: only({ Type: 'Map', ItemsPath: '$.items', ItemProcessor, End: true }) },
    });
    const { output } = await bench.run('map', { word: 'outer', items: [{ word: 'inner' }] }, 'run-1');
    expect(output).toEqual([
      {
        id: executionArn('map', 'run-1'),
        name: 'run-1',
        machine: stateMachineArn('map'),
        text: 'inner of run-1',
      },
    ]);
  });

  it('a second start with the same name is the same execution, or a conflict with other input', async () => {
    const gate = Promise.withResolvers<object>();
    const bench = await startWorkbench({
      functions: { wait: () => gate.promise },
      machines: { m: only(task('${Wait}', { End: true })) },
    });
    const start = (input: string) =>
      bench.sfn.send(new StartExecutionCommand({ stateMachineArn: stateMachineArn('m'), name: 'one', input }));
    const first = await start('{"a":1}');
    expect(await start('{"a":1}')).toMatchObject({ executionArn: first.executionArn, startDate: first.startDate });
    expect((await refusal(start('{"a":2}'))).name).toBe('ExecutionAlreadyExists');
    gate.resolve({});
    await bench.executions.ended(first.executionArn ?? '');
    expect((await refusal(start('{"a":1}'))).name).toBe('ExecutionAlreadyExists');
  });

  it('an execution returns its history in the events of AWS, and counts its transitions', async () => {
    const bench = await startWorkbench({
      functions: { ok: () => ({ go: true }) },
      machines: {
        m: {
          StartAt: 'Work',
          States: {
            Work: task('${Ok}', { Next: 'Go?' }),
            'Go?': {
              Type: 'Choice',
              Choices: [{ Variable: '$.go', BooleanEquals: true, Next: 'Done' }],
              Default: 'Lost',
            },
            Done: { Type: 'Succeed' },
            Lost: { Type: 'Fail' },
          },
        },
      },
    });
    await bench.run('m', {}, 'one');
    expect(await bench.historyOf('m', 'one')).toEqual([
      'ExecutionStarted',
      ...['TaskStateEntered', 'LambdaFunctionScheduled', 'LambdaFunctionStarted', 'LambdaFunctionSucceeded'],
      ...['TaskStateExited', 'ChoiceStateEntered', 'ChoiceStateExited', 'SucceedStateEntered', 'SucceedStateExited'],
      'ExecutionSucceeded',
    ]);
    expect(bench.executions.get(executionArn('m', 'one')).transitions).toBe(3);
  });

  it('a payload over 256 KiB fails the execution, which States.ALL does not catch', async () => {
    const bench = await startWorkbench({
      functions: { much: () => ({ text: 'x'.repeat(262_144) }) },
      machines: { m: caught(task('${Much}', { End: true })) },
    });
    expect(await bench.run('m')).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' });
  });

  it('a state is retried with the given pauses, and each try counts as a transition', async () => {
    let calls = 0;
    const functions = {
      flaky: () => {
        calls += 1;
        if (calls < 3) throw named('ServiceUnavailable', 'again');
        return { calls };
      },
    };
    const Retry = [{ ErrorEquals: ['ServiceUnavailable'], IntervalSeconds: 0.01, MaxAttempts: 5 }];
    const bench = await startWorkbench({ functions, machines: { m: only(task('${Flaky}', { Retry, End: true })) } });
    expect((await bench.run('m', {}, 'one')).output).toEqual({ calls: 3 });
    expect(bench.executions.get(executionArn('m', 'one')).transitions).toBe(3);
  });

  it('the time of a state counts from the start of its function, without the wait for its turn', async () => {
    const gate = Promise.withResolvers<void>();
    const functions = { hold: () => gate.promise, quick: () => ({ ok: true }) };
    const bench = await startWorkbench({
      functions,
      machines: {
        holding: only(task('${Hold}', { End: true })),
        late: only(task('${Quick}', { TimeoutSeconds: 0.02, End: true })),
      },
    });
    const holding = Array.from({ length: 6 }, () => bench.run('holding'));
    while (bench.store.list({ machine: 'holding' }).length < 6) await new Promise(setImmediate);
    const late = bench.run('late', {}, 'one');
    while (!(await bench.historyOf('late', 'one').catch((): string[] => [])).includes('LambdaFunctionScheduled'))
      await new Promise(setImmediate);
    // Longer than the state may take: a timer that was started before this one would have ended by then.
    await new Promise((done) => setTimeout(done, 50));
    gate.resolve();
    expect(await late).toMatchObject({ status: 'SUCCEEDED', output: { ok: true } });
    await Promise.all(holding);
  });

  it('executions over the limit wait for their turn, and start in the order they came', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const started: number[] = [];
    const functions = {
      hold: (input: unknown) => {
        const { n } = input as { n: number };
        started.push(n);
        return gates[n]?.promise;
      },
    };
    const bench = await startWorkbench({
      functions,
      machines: { m: only(task('${Hold}', { End: true })) },
      executionsAtOnce: 1,
    });
    const runs = [0, 1, 2].map((n) => bench.run('m', { n }, `run-${n}`));
    while (started.length === 0 || bench.store.list({ status: 'RUNNING' }).length < 3) await new Promise(setImmediate);
    const first = started[0] ?? 0;
    expect(started).toEqual([first]);
    const [stopped, other] = [0, 1, 2].filter((n) => n !== first);
    await bench.sfn.send(new StopExecutionCommand({ executionArn: executionArn('m', `run-${stopped}`) }));
    for (const gate of gates) gate.resolve();
    const ends = await Promise.all(runs);
    expect(ends[stopped ?? 0]).toMatchObject({ status: 'ABORTED' });
    expect(ends[other ?? 0]).toMatchObject({ status: 'SUCCEEDED' });
    expect(started).toEqual([first, other]);
  });

  it('an execution that waited when the platform ended starts after its next start', async () => {
    const started = Promise.withResolvers<void>();
    const machines = { m: only(task('${Work}', { End: true })) };
    const hanging = { work: () => new Promise(() => started.resolve()) };
    const first = await startWorkbench({ functions: hanging, machines, executionsAtOnce: 1 });
    const machine = first.machines[0];
    for (const name of ['one', 'two']) if (machine) first.executions.start({ machine, name, input: '{}', waits: true });
    await started.promise;
    first.close();

    const next = await startWorkbench({ directory: first.directory, functions: { work: () => ({}) }, machines });
    next.executions.recover();
    const status = async (name: string) => (await next.executions.ended(executionArn('m', name))).status;
    expect(await status('one')).toBe('ABORTED');
    expect(await status('two')).toBe('SUCCEEDED');
  });

  it('executions can be listed by status and described with their machine', async () => {
    const bench = await startWorkbench({
      machines: { good: only({ Type: 'Succeed' }), bad: only({ Type: 'Fail', Error: 'Broken', Cause: 'it is' }) },
    });
    await bench.run('good');
    expect(await bench.run('bad')).toMatchObject({ status: 'FAILED', error: 'Broken', cause: 'it is' });
    const list = (name: string, statusFilter: 'FAILED' | 'SUCCEEDED') =>
      bench.sfn.send(new ListExecutionsCommand({ stateMachineArn: stateMachineArn(name), statusFilter }));
    expect((await list('bad', 'FAILED')).executions).toHaveLength(1);
    expect((await list('bad', 'SUCCEEDED')).executions).toHaveLength(0);
    const { stateMachines } = await bench.sfn.send(new ListStateMachinesCommand({}));
    expect(stateMachines?.map(({ name }) => name).sort()).toEqual(['bad', 'good']);
    const described = await bench.sfn.send(
      new DescribeStateMachineCommand({ stateMachineArn: stateMachineArn('good') }),
    );
    expect(JSON.parse(described.definition ?? '')).toEqual(only({ Type: 'Succeed' }));
  });
});
