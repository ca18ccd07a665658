/** The exit code of a run that was waited for names the kind of its failure; docs/cli.md has the table. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '#cli/exit-codes.ts';
import { commonExitCode, exitCodeOfClass, exitCodeOfFailure } from '#cli/follow/exit-of-failure.ts';
import { exitCodeOfRun } from '#cli/follow/watch.ts';
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import { type ErrorClass, errorClasses } from '#domain/errors.ts';
import { root } from './kubeloom-process.ts';
import { simulatedManifests } from './simulated-manifests.ts';
import { described } from './watched-api.ts';

type Cluster = ManifestDescription['clusters'][number];

const failed = (kind: ErrorClass, code = 'ToolFailed', pools: readonly ErrorClass[] = []) => ({
  failure: {
    class: kind,
    code,
    message: 'no',
    hint: 'do',
    outcome: 'stopped',
    runId: 'r',
    at: '',
  } as Cluster['failure'],
  heldPools: pools.map((held) => ({ pool: held, role: 'compute', reason: 'no', class: held })),
});
const well = { failure: null, heldPools: [] };

describe('the kind of a failure', () => {
  it.each([
    ['a class', [failed('credentials')], 11],
    ['clusters of one kind', [failed('quota'), well, failed('capacity')], 12],
    ['clusters of several kinds', [failed('quota'), failed('user')], 6],
    ['a cancelled run', [failed('user', 'Cancelled')], 15],
    ['a pool of the same kind', [failed('quota', 'X', ['quota', 'capacity'])], 12],
    ['pools of several kinds', [failed('quota', 'X', ['quota', 'user'])], 6],
    ['no cluster', [well], 6],
  ] as const)('%s gives exit code', (_title, clusters, code) => {
    expect(exitCodeOfFailure({ lastRun: null, clusters })).toBe(code);
  });

  it('a run that was interrupted and left no failure has a code of its own', () => {
    const { lastRun } = described({ status: 'Failed' });
    const ended = lastRun && { ...lastRun, status: 'Aborted' as const };
    expect(exitCodeOfFailure({ lastRun: ended, clusters: [well] })).toBe(15);
  });

  it('a manifest that was paused meanwhile did not fail: the failure that it has is older', () => {
    const clusters = [failed('quota')] as unknown as ManifestDescription['clusters'];
    const manifest = { ...described({ status: 'Pending', paused: true }), clusters };
    expect(exitCodeOfRun({ manifest, elapsedMs: 0 }, { deleting: false, unchanged: false })).toBe(6);
  });

  it.each([
    [[0, 0], 0],
    [[0, 12, 12], 12],
    [[12, 13], 6],
    [[12, 6], 6],
    [[5, 12], 12],
    [[8, 12], 8],
    [[8, 10, 11], 8],
    [[], 0],
  ] as const)('several results %j have the common code %i', (codes, common) => {
    expect(commonExitCode(codes)).toBe(common);
  });
});

describe('the table of docs/cli.md', () => {
  const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
  const rows = [...page.slice(page.indexOf('## Exit codes')).matchAll(/^\| (\d+) \| (.*) \|$/gm)];

  it('each class is in the row of its code, and in no other', () => {
    const documented = rows.flatMap(([, code, text = '']) =>
      errorClasses.filter((name) => text.includes(`\`${name}\``)).map((name) => [name, Number(code)] as const),
    );
    expect(documented).toHaveLength(errorClasses.length);
    expect(Object.fromEntries(documented)).toEqual(exitCodeOfClass);
  });

  it('no two meanings share a code', () => {
    expect(new Set(Object.values(exitCodes)).size).toBe(Object.keys(exitCodes).length);
    expect(rows.map(([, code]) => Number(code))).toEqual(Object.values(exitCodes));
  });
});

describe('commands that wait', () => {
  const { faults, file, kubeloom, idle } = simulatedManifests();
  const fails = (name: string, kind: ErrorClass, more: object = {}) => ({
    stage: 'kubernetes',
    class: kind,
    manifest: name,
    ...more,
  });

  it.each(['user', 'credentials', 'quota', 'capacity', 'bug'] as const)(
    'apply --wait ends with the code of the class %s, and --json says it',
    async (kind) => {
      faults([fails(kind, kind)]);
      const { code, stdout } = await kubeloom(['apply', '-f', file(kind), '--wait', '--json']);
      expect(code).toBe(exitCodeOfClass[kind]);
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, exitCode: code });
    },
  );

  it('apply of several files has the kind that their failures have in common, or the general code', async () => {
    faults([fails('one', 'quota'), fails('two', 'capacity')]);
    const apply = (...names: string[]) =>
      kubeloom(['apply', ...names.flatMap((name) => ['-f', file(name)]), '--wait']).then(({ code }) => code);
    expect(await apply('one', 'two', 'three')).toBe(12);
    faults([fails('four', 'quota'), fails('five', 'user')]);
    expect(await apply('four', 'five')).toBe(6);
  });

  it('retry, delete and simulate name the kind, too', async () => {
    faults([fails('again', 'quota'), fails('again', 'credentials')]);
    expect((await kubeloom(['apply', '-f', file('again'), '--wait'])).code).toBe(12);
    const retried = await kubeloom(['retry', 'again', '--wait', '--json']);
    expect([retried.code, JSON.parse(retried.stdout)]).toMatchObject([11, { exitCode: 11 }]);
    faults([]);
    expect((await kubeloom(['retry', 'again', '--wait'])).code).toBe(0);
    faults([{ stage: 'infrastructure', class: 'credentials', manifest: 'again' }]);
    const deleted = await kubeloom(['delete', 'again', '--yes', '--wait', '--json']);
    expect([deleted.code, JSON.parse(deleted.stdout)]).toMatchObject([11, { exitCode: 11 }]);
    await idle();
    const simulated = await kubeloom([
      'simulate',
      '--fail',
      'kubernetes:quota',
      join(root, 'examples/sim-minimal.yaml'),
    ]);
    expect(simulated.code).toBe(12);
  });

  it('a file that is refused is not covered by a run that failed', async () => {
    faults([fails('runs', 'quota')]);
    const path = file('broken');
    writeFileSync(path, readFileSync(path, 'utf8').replace('count: 2', 'count: many'));
    expect((await kubeloom(['apply', '-f', path, '-f', file('runs'), '--wait'])).code).toBe(3);
  });
});
