/** The help of the command line: examples that work, and one style of error. */
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { examples } from '#cli/examples.ts';
import { kubeloomProgram } from '#cli/program.ts';
import { objectionTo } from './command-lines.ts';
import { kubeloom } from './kubeloom.ts';
import type { Outcome } from './kubeloom-process.ts';

function leavesOf(command: Command, words: readonly string[] = []): [words: string, command: Command][] {
  return command.commands.flatMap((child): [string, Command][] => {
    const path = [...words, child.name()];
    return child.commands.length > 0 ? leavesOf(child, path) : [[path.join(' '), child]];
  });
}

describe('the help', () => {
  it('each command has an example, and two if it takes more than its name', async () => {
    const few = leavesOf(await kubeloomProgram()).filter(([words, { registeredArguments, options }]) => {
      const wanted = registeredArguments.length + options.length > 1 ? 2 : 1;
      return (examples[words]?.length ?? 0) < wanted;
    });
    expect(few.map(([words]) => words)).toEqual([]);
  });

  it('each example is accepted by the command line and names an existing command', async () => {
    const lines = Object.entries(examples).flatMap(([words, rests]) =>
      rests.map((rest) => `kubeloom ${words} ${rest}`),
    );
    const objections = lines.map(async (text) => `${text}: ${await objectionTo({ place: '', text, mention: false })}`);
    expect((await Promise.all(objections)).filter((line) => !line.endsWith(': undefined'))).toEqual([]);
  });

  it('the help shows examples and explains the words that plans and runs use', async () => {
    expect((await kubeloom(['kubeconfig', '--help'])).stdout).toContain('kubeloom kubeconfig web -o web.kubeconfig');
    expect((await kubeloom(['--help'])).stdout).toMatch(/generations.*attempt.*waypoints.*stages/s);
  });

  it('each error begins with the name of the program', async () => {
    const wrong = [['aply'], ['apply'], ['get', '--jsn'], ['validate', '-f', 'nowhere.yaml']];
    const outcomes: Outcome[] = [];
    for (const args of wrong) outcomes.push(await kubeloom(args));
    expect(outcomes.map(({ code, stderr }) => [code, stderr.startsWith('kubeloom: ')])).toEqual(
      wrong.map(() => [2, true]),
    );
  });
});
