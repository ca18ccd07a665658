/** Rules that every state machine file keeps: what AWS demands, what the house demands, what runs on one machine. */
import { readdirSync, readFileSync } from 'node:fs';
import validate from 'asl-validator';
import { faultsOf } from 'aws-on-loopback/stepfunctions/local-subset.ts';
import { describe, expect, it } from 'vitest';
import { errorNames } from '#domain/errors.ts';
import {
  type AslMachine,
  type AslState,
  kebabCase,
  machineNames,
  machineOf,
  machineText,
  placeholderArn,
  statesOf,
} from '#test/pipeline/harness/asl-files.ts';

/** Errors of the services that the files may name; ours are in `errorNames`. */
const serviceErrors = [
  'States.ALL',
  'States.Timeout',
  'Lambda.Unknown',
  'Sandbox.Timedout',
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.TooManyRequestsException',
  'StepFunctions.ThrottlingException',
  'StepFunctions.ExecutionLimitExceededException',
  'CodeBuild.AccountLimitExceededException',
  'CodeBuild.CodeBuildException',
  'CodeBuild.AWSCodeBuildException',
];
const knownErrors = new Set([...serviceErrors, ...Object.keys(errorNames)]);

interface Retrier {
  readonly Comment?: string;
  readonly IntervalSeconds: number;
  readonly MaxAttempts: number;
  readonly BackoffRate: number;
  readonly MaxDelaySeconds?: number;
  readonly JitterStrategy?: string;
}

/** The longest that a retrier waits, jitter at its worst. */
function secondsOf({
  IntervalSeconds,
  MaxAttempts,
  BackoffRate,
  MaxDelaySeconds = Number.POSITIVE_INFINITY,
}: Retrier): number {
  const waits = Array.from({ length: MaxAttempts }, (_, n) =>
    Math.min(MaxDelaySeconds, IntervalSeconds * BackoffRate ** n),
  );
  return waits.reduce((sum, wait) => sum + wait, 0);
}

/** What its comment says. */
function secondsInComment(comment = ''): number {
  const [, amount, unit] = /at most (\d+) (s|min) in total/.exec(comment) ?? [];
  return Number(amount) * (unit === 'min' ? 60 : 1);
}

function tasksOf(machine: AslMachine): readonly (readonly [string, AslState])[] {
  return statesOf(machine).filter(([, state]) => state.Type === 'Task');
}

describe.each(machineNames)('state-machines/%s.asl.json', (name) => {
  const machine = machineOf(name);

  it('a state machine is valid Amazon States Language', () => {
    const { isValid, errors } = validate(machine);
    expect({ isValid, errors }).toEqual({ isValid: true, errors: [] });
  });

  it('a state machine runs in the local interpreter as it does in AWS', () => {
    expect(faultsOf(machine as never)).toEqual([]);
  });

  it('a state machine and each of its states have a comment', () => {
    expect(machine.Comment).toMatch(/\.$/);
    for (const [state, { Comment }] of statesOf(machine))
      expect({ state, Comment }).toEqual({ state, Comment: expect.stringMatching(/\.$/) });
  });

  it('a state machine and each of its tasks have a timeout', () => {
    expect(machine.TimeoutSeconds).toBeGreaterThan(0);
    for (const [state, { TimeoutSeconds }] of tasksOf(machine)) {
      expect({
        state,
        limited: Number(TimeoutSeconds) > 0 && Number(TimeoutSeconds) <= Number(machine.TimeoutSeconds),
      }).toEqual({
        state,
        limited: true,
      });
    }
  });

  it('each task catches all errors and keeps the input next to the error', () => {
    for (const [state, { Catch = [] }] of tasksOf(machine)) {
      expect({ state, last: Catch.at(-1)?.ErrorEquals }).toEqual({ state, last: ['States.ALL'] });
      for (const { ResultPath } of Catch)
        expect({ state, ResultPath }).toEqual({ state, ResultPath: expect.stringMatching(/^\$\.\w+$/) });
    }
  });

  it('each task retries service errors only, with jitter unless it waits for builds, and its comment says for how long', () => {
    for (const [state, { Retry = [], Resource = '' }] of tasksOf(machine)) {
      // Functions may be called twice; what starts a build or an execution may not.
      const repeatable = Resource.startsWith('arn:aws:lambda:') ? ['States.Timeout'] : [];
      for (const { ErrorEquals, ...rest } of Retry) {
        const retrier = rest as unknown as Retrier;
        const other = ErrorEquals.filter((error) => error.startsWith('States.') && !repeatable.includes(error));
        expect(other).toEqual([]);
        // Jitter halves a time on average: what is promised to a build is waited for.
        const jitter = ErrorEquals.includes('BuildStillRuns') ? 'NONE' : 'FULL';
        expect({ state, jitter: retrier.JitterStrategy }).toEqual({ state, jitter });
        expect(retrier.BackoffRate).toBeGreaterThanOrEqual(1);
        const seconds = secondsInComment(retrier.Comment);
        expect({ state, true: seconds >= secondsOf(retrier) && seconds < secondsOf(retrier) * 1.05 }).toEqual({
          state,
          true: true,
        });
      }
    }
  });

  it('each error that a state machine names exists', () => {
    const named = tasksOf(machine).flatMap(([, { Retry = [], Catch = [] }]) =>
      [...Retry, ...Catch].flatMap((rule) => rule.ErrorEquals),
    );
    expect(named.filter((error) => !knownErrors.has(error))).toEqual([]);
  });

  it('each placeholder has a file, named after its state, or is the project of a runner', () => {
    const text = machineText(name);
    for (const [, placeholder = ''] of text.matchAll(/\$\{(\w+)\}/g))
      expect({ placeholder, arn: placeholderArn(placeholder) }).toEqual({ placeholder, arn: expect.any(String) });
    for (const [state, { Resource = '' }] of tasksOf(JSON.parse(text) as AslMachine)) {
      if (Resource.startsWith('${')) expect(Resource).toBe(`\${${state.replaceAll(' ', '')}}`);
    }
  });

  it('each task drops what nested executions and builds echo', () => {
    for (const [state, { Resource = '', ResultPath, ResultSelector }] of tasksOf(machine)) {
      if (Resource.startsWith('arn:aws:states:::'))
        expect({ state, dropped: ResultPath === null || ResultSelector !== undefined }).toEqual({
          state,
          dropped: true,
        });
    }
  });

  it('each state is named by a verb phrase in title case, and each choice by a question', () => {
    for (const [state, { Type }] of statesOf(machine)) {
      expect(state).toMatch(/^([A-Z][a-z]+)( [A-Z][a-z]+)*\??$/);
      expect({ state, asks: state.endsWith('?') }).toEqual({ state, asks: Type === 'Choice' });
    }
  });

  it('each choice compares one field at a time: rules belong in the functions', () => {
    for (const [state, { Choices = [] }] of statesOf(machine)) {
      const rules = (Choices as readonly object[]).flatMap((rule) =>
        Object.keys(rule).filter((field) => ['And', 'Or', 'Not'].includes(field)),
      );
      expect({ state, rules }).toEqual({ state, rules: [] });
    }
  });

  it('each state is in the diagram of the README', () => {
    const picture = readFileSync(new URL('../../state-machines/README.md', import.meta.url), 'utf8');
    const [, section = ''] = picture.split(`## ${name}`);
    for (const [state] of statesOf(machine)) expect(section.split('\n## ')[0]).toContain(state);
  });
});

describe('functions/tasks', () => {
  it('each task handler is used by a state machine', () => {
    const called = new Set(
      machineNames.flatMap((name) =>
        [...machineText(name).matchAll(/\$\{(\w+)\}/g)].map((match) => kebabCase(match[1] ?? '')),
      ),
    );
    const files = readdirSync(new URL('../../functions/tasks', import.meta.url)).map((file) =>
      file.replace(/\.ts$/, ''),
    );
    // The scheduler calls `tick`, `sync-sources` and `send-notifications`, the stream of the table `publish-events`.
    const others = ['publish-events', 'send-notifications', 'sync-sources', 'tick'];
    expect(files.filter((file) => !called.has(file)).sort()).toEqual(others);
  });

  it('each task handler has at most 40 lines', () => {
    const directory = new URL('../../functions/tasks/', import.meta.url);
    const long = readdirSync(directory).flatMap((file) => {
      const text = readFileSync(new URL(file, directory), 'utf8');
      const body = text.slice(text.indexOf('export const handler')).trimEnd().split('\n').length;
      return body > 40 ? [`${file}: ${body}`] : [];
    });
    expect(long).toEqual([]);
  });
});
