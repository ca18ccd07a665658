/** Services below that are slow or do not answer: distinguished from tools that fail, never a reason to undo anything. */
import type { Execution } from 'aws-on-loopback/stepfunctions/execution-store.ts';
import { describeForCause } from 'aws-on-loopback/stepfunctions/executions.ts';
import { describe, expect, it } from 'vitest';
import { innermost, passes } from '#functions/pipeline/runs/service-faults.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';
import { StateFault } from './harness/state-machines.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 1 } }]);

/** What a failed child of `startExecution.sync:2` looks like to its parent. */
const nested = (child: { Status: string; Error?: string; Cause?: string }) => ({
  Error: 'States.TaskFailed',
  Cause: JSON.stringify({
    ExecutionArn: 'arn:aws:states:eu-central-1:000000000000:execution:run-stage:7d1b',
    Input: '{}',
    InputDetails: { Included: true },
    Name: '7d1b',
    RedriveCount: 0,
    StartDate: 1795330739000,
    StopDate: 1795330800000,
    ...child,
    StateMachineArn: 'arn:aws:states:eu-central-1:000000000000:stateMachine:run-stage',
  }),
});

describe('errors of nested executions', () => {
  it('the error of a nested execution is found at any depth', () => {
    const timeout = { Status: 'FAILED', Error: 'States.Timeout', Cause: 'it took too long' };
    const once = nested(timeout);
    const twice = nested({ Status: 'FAILED', ...once });
    const thrice = nested({ Status: 'FAILED', ...twice });
    for (const fault of [once, twice, thrice])
      expect(innermost(fault)).toEqual({ Error: 'States.Timeout', Cause: 'it took too long' });
  });

  it('a nested execution that ran out of time is a timeout', () => {
    expect(innermost(nested({ Status: 'TIMED_OUT' })).Error).toBe('States.Timeout');
  });

  it('an error of a build, of a stopped execution, or that is not JSON stays as it is', () => {
    const build = { Error: 'States.TaskFailed', Cause: '{"Build":{"BuildStatus":"FAILED"}}' };
    for (const fault of [build, nested({ Status: 'ABORTED' }), { Error: 'States.TaskFailed', Cause: 'no {' }])
      expect(innermost(fault)).toBe(fault);
  });

  it('the error of a nested execution of the local Step Functions is found', () => {
    const child: Execution = {
      arn: 'arn:aws:states:eu-central-1:000000000000:execution:run-stage:7d1b',
      machine: 'run-stage',
      name: '7d1b',
      input: '{}',
      status: 'FAILED',
      output: null,
      error: 'ServiceUnavailable',
      cause: 'later',
      startedAt: 1,
      stoppedAt: 2,
      transitions: 3,
      followUp: 'none',
    };
    const fault = { Error: 'States.TaskFailed', Cause: describeForCause(child) };
    expect(innermost(fault)).toEqual({ Error: 'ServiceUnavailable', Cause: 'later' });
  });
});

describe('transient faults', () => {
  it.each([
    'States.Timeout',
    'ServiceUnavailable',
    'Lambda.Unknown',
    'Lambda.TooManyRequestsException',
    'Sandbox.Timedout',
    'StepFunctions.ThrottlingException',
  ])('the error %s is transient', (name) => {
    expect(passes({ Error: name, Cause: '' })).toBe(true);
  });

  it.each(['InternalFault', 'StageFailed', 'LeaseLost', 'States.TaskFailed', 'States.Runtime'])(
    'the error %s is not transient',
    (name) => {
      expect(passes({ Error: name, Cause: '' })).toBe(false);
    },
  );

  it('an unnamed Step Functions error is transient only when the service itself failed', () => {
    const causeOf = (status: number) => `down (Service: AWSStepFunctions; Status Code: ${status}; Error Code: X)`;
    expect(passes({ Error: 'StepFunctions.AWSStepFunctionsException', Cause: causeOf(503) })).toBe(true);
    expect(passes({ Error: 'StepFunctions.AWSStepFunctionsException', Cause: causeOf(400) })).toBe(false);
  });
});

/** The function gives no answer so many times: its first call and two retries are three. */
function silent(pipeline: Pipeline, name: string, times: number): void {
  let left = times;
  pipeline.before.set(name, () => {
    left -= 1;
    if (left >= 0) throw new StateFault('States.Timeout', 'no answer');
  });
}

describe('functions that do not answer', () => {
  it('a function that does not answer once is called again, without any effect', async () => {
    const pipeline = new Pipeline();
    silent(pipeline, 'collect-result', 2);
    await pipeline.submit(small);
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 1 });
    expect((await pipeline.events()).filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('a function that does not answer for longer pauses the grow, and never undoes it', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    silent(pipeline, 'collect-result', 3);
    await pipeline.submit(large);
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 1 });
    expect(pipeline.runner.ran.filter((stage) => stage.endsWith('-undo'))).toEqual([]);
    const kinds = (await pipeline.events()).map(({ kind }) => kind);
    expect(kinds).toContain('BackedOff');
    expect(kinds).not.toContain('RollbackStarted');
  });

  for (const name of ['take-lease', 'plan-manifest', 'plan-cluster', 'commit-waypoint', 'settle-manifest']) {
    it(`a timeout of ${name} breaks the run, which is started again automatically and reported`, async () => {
      const pipeline = new Pipeline({ KUBELOOM_BACK_OFF_SECONDS: '30' });
      silent(pipeline, name, 3);
      await pipeline.submit(small);
      await pipeline.settle();
      expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 2, lease: null });
      expect((await pipeline.runs()).map(({ status }) => status)).toEqual(['Succeeded', 'Aborted']);
      const reported = (await pipeline.events()).filter(({ kind }) => kind === 'RunCutOff');
      expect(reported.map(({ message }) => message)).toEqual([
        expect.stringMatching(/did not answer in time \(\w[\w.]+\); attempt 2 of 3 is started in 30 s$/),
      ]);
    });
  }

  it('a function that never answers fails the manifest after three attempts, with nothing undone', async () => {
    const pipeline = new Pipeline();
    silent(pipeline, 'plan-cluster', 1000);
    await pipeline.submit(small);
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Failed', attempt: 3, lease: null });
    expect((await pipeline.events()).at(-2)?.message).toContain('3 attempts in a row were interrupted');
  });

  it('a timeout that also prevents the end of the run is repaired by the scheduler', async () => {
    const pipeline = new Pipeline();
    silent(pipeline, 'settle-manifest', 3);
    silent(pipeline, 'release-run', 3);
    await pipeline.submit(small);
    await pipeline.settle();
    expect((await pipeline.manifest()).lease).not.toBeNull();
    pipeline.deps.clock.advance(300);
    await pipeline.invoke('tick', {});
    await pipeline.settle();
    expect(await pipeline.manifest()).toMatchObject({ status: 'Done', attempt: 2, lease: null });
  });
});
