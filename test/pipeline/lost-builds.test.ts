/** What is reported about a build without a result: only CodeBuild knows why it never started. */
import { expect, it } from 'vitest';
import type { CollectResultInput } from '#contracts/state-inputs.ts';
import { decideStage } from '#functions/pipeline/stages/stage-decision.ts';
import { fakeDeps } from '#test/fakes/fake-deps.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const slot = { stage: 'infrastructure', mode: 'do', hasWork: true, project: 'p', waypointPrefix: 'runs/w00' };
const at = '2026-11-20T12:00:00.000Z';
const run = { namespace: 'team', name: 'shop', runId: 'r1', generation: 1, attempt: 1, fence: 1, cluster: 'c' };

function errorOf(Cause: string, error = 'States.TaskFailed', change: object = {}) {
  const input = {
    run,
    slot: { ...slot, ...change },
    try: { attempt: 1 },
    build: { Error: error, Cause },
    mayWait: true,
  } as CollectResultInput;
  const { config } = fakeDeps();
  return decideStage({ input, result: undefined, target: null, cancelled: false, at, config }).error;
}
const reported = (...args: Parameters<typeof errorOf>): string => errorOf(...args)?.message ?? '';

const build = (PhaseType: string, Message: string | null) =>
  JSON.stringify({
    Build: {
      BuildStatus: 'FAILED',
      Phases: [
        { PhaseType: 'SUBMITTED', PhaseStatus: 'SUCCEEDED', Contexts: null },
        { PhaseType, PhaseStatus: 'FAILED', Contexts: [{ StatusCode: '', Message }] },
        { PhaseType: 'COMPLETED' },
      ],
    },
  });

it("a build that broke before any command is reported with the phase and CodeBuild's message", () => {
  const why = 'CannotPullContainerError: manifest unknown';
  expect(reported(build('PROVISIONING', why))).toBe(
    `the container of infrastructure left no result: the build ended FAILED in phase PROVISIONING: ${why}`,
  );
});

it('a build whose commands broke, or without a message, is reported with its final status only', () => {
  expect(reported(build('BUILD', 'Error while executing command: kubeloom-runner'))).toMatch(
    /: the build ended FAILED$/,
  );
  expect(reported(build('PROVISIONING', null))).toMatch(/: the build ended FAILED$/);
});

it('a build that got no credentials waits for the platform, and on the way back it is retried', () => {
  const ended = build('BUILD', 'Error while executing command: kubeloom-runner. Reason: exit status 78');
  expect(errorOf(ended)).toMatchObject({ class: 'platform', code: 'BuildWithoutCredentials' });
  expect(errorOf(build('BUILD', 'exit code 78'))).toMatchObject({ code: 'BuildWithoutCredentials' });
  expect(errorOf(build('BUILD', 'Reason: exit status 780'))).toMatchObject({ code: 'RunnerLost' });
  expect(errorOf(ended, undefined, { mode: 'undo' })).toMatchObject({ class: 'transient' });
});

it('a build with the image of another release, which left nothing, waits for the one of today', () => {
  const ended = build('BUILD', 'Reason: exit status 1');
  expect(errorOf(ended, undefined, { image: 'registry/terraform:before' })).toMatchObject({
    class: 'platform',
    code: 'RunnerOutdated',
  });
  expect(errorOf(ended, undefined, { image: 'local' })).toMatchObject({ code: 'RunnerLost' });
});

it('a build whose description Step Functions cut short is reported with its final status', () => {
  expect(reported(build('PROVISIONING', 'x').slice(0, 60))).toMatch(/: the build ended FAILED$/);
});

it('an error without a build is reported with what Step Functions says', () => {
  expect(reported('no such project', 'CodeBuild.ResourceNotFoundException')).toContain(
    'CodeBuild.ResourceNotFoundException no such project',
  );
  expect(reported('', 'States.Timeout')).toContain('it took longer than the state allows');
});

it('a build whose time in the queue ran out lacks capacity: its runner was never started', () => {
  const Phases = [
    { PhaseType: 'SUBMITTED', PhaseStatus: 'SUCCEEDED' },
    { PhaseType: 'QUEUED', PhaseStatus: 'TIMED_OUT' },
  ];
  expect(errorOf(JSON.stringify({ Build: { BuildStatus: 'TIMED_OUT', Phases } }))).toMatchObject({
    class: 'quota',
    code: 'NoBuildCapacity',
    retryable: false,
    message: 'no container could be started for infrastructure: its build waited in the queue until its time-out',
  });
});

it.each(['CodeBuild.CodeBuildException', 'CodeBuild.AWSCodeBuildException'])(
  'a CodeBuild that answers only with %s is a fault of the platform, not of Kubeloom',
  (name) => {
    const error = errorOf('Rate exceeded (Service: CodeBuild, Status Code: 400)', name);
    expect(error).toMatchObject({ class: 'platform', code: 'BuildNotStarted' });
    expect(error?.message).toContain('Rate exceeded');
  },
);

it('a full account is recognised under the general name of errors of CodeBuild, too', () => {
  const cause = 'Cannot have more than 1 builds in queue (Error Code: AccountLimitExceededException)';
  expect(errorOf(cause, 'CodeBuild.AWSCodeBuildException')).toMatchObject({ code: 'NoBuildCapacity' });
});

it('the seconds of the phases of a build are in the event of its stage, whether it succeeded or not', async () => {
  const pipeline = new Pipeline();
  pipeline.runner.trouble('configuration', 'transient');
  await pipeline.apply(manifestOf([{ compute: { work: 1 } }]));
  const ended = (await pipeline.events()).filter(({ kind }) => /^Stage(Succeeded|Retried)$/.test(kind));
  expect(new Set(ended.map(({ kind }) => kind)).size).toBe(2);
  expect(ended.map(({ phases }) => phases)).toEqual(ended.map(() => ({ queued: 3 })));
});
