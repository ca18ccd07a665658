/** Which state machines Step Functions on one machine refuses, and how they name functions. */
import { describe, expect, it } from 'vitest';
import { lambdaArn } from '../src/names.ts';
import { startWorkbench, task } from './workbench.ts';

const invoke = 'arn:aws:states:::lambda:invoke';
const only = (state: object): object => ({ StartAt: 'Work', States: { Work: state } });
const passing = (path: string): object => only({ Type: 'Pass', Parameters: { 'a.$': path }, End: true });
const caughtAs = (error: string, state: object): object => ({
  StartAt: 'Work',
  States: {
    Work: { ...state, Catch: [{ ErrorEquals: [error], Next: 'Report' }] },
    Report: { Type: 'Pass', End: true },
  },
});
describe('machines', () => {
  it.each([
    ['a placeholder that nothing fills', only(task('${Unknown}', { End: true })), /nothing .* called \$\{Unknown\}/],
    ['JSONata', { ...only({ Type: 'Succeed' }), QueryLanguage: 'JSONata' }, /JSONata/],
    [
      'an error that would stand for timeouts, too',
      caughtAs('States.TaskFailed', task(invoke, {})),
      /States.TaskFailed in Retry or Catch/,
    ],
    ['task tokens', only(task(`${invoke}.waitForTaskToken`, { End: true })), /task tokens/],
    ['variables', only({ Type: 'Pass', Assign: { a: 1 }, End: true }), /Assign/],
    ['a path that is not known here', passing('$$.Task.Token'), /path/],
    ['the name of a state', passing('$$.State.Name'), /path/],
    ['the input of an execution', passing('$$.Execution.Input.word'), /path/],
  ])('a machine with %s is refused at the start', async (_, machine, message) => {
    await expect(startWorkbench({ machines: { m: machine } })).rejects.toThrow(message);
  });

  it('a machine calls functions by the names of their files', () => {
    expect(lambdaArn('plan-cluster')).toBe('arn:aws:lambda:us-east-1:000000000000:function:plan-cluster');
  });
});
