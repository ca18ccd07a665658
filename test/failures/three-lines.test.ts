/** A failure is the same three lines wherever a person sees it: what failed where, the cause in one line, what to do and whether it is retried. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ManifestDescription, ManifestPage } from '#contracts/api-bodies.ts';
import type { StageError } from '#contracts/stage.ts';
import type { ErrorClass } from '#domain/errors.ts';
import { failureText } from '#domain/failure-lines.ts';
import type { StageName } from '#domain/plan.ts';
import { SecretMask } from '#runner/secret-mask.ts';
import { finished } from '#runner/stage-failure.ts';
import { callApi } from '../api/api-under-test.ts';
import { manifestOf } from '../pipeline/harness/manifests.ts';
import { Pipeline } from '../pipeline/harness/pipeline.ts';
import { StateFault } from '../pipeline/harness/state-machines.ts';
import { fivePlaces, joined, type Shown } from './five-places.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 1 } }]);

const error = (kind: ErrorClass, change: Partial<StageError> = {}): StageError => ({
  class: kind,
  code: 'ToolFailed',
  message: 'web-1: the tool said no',
  resource: 'web-1',
  hint: 'Do this.',
  retryable: false,
  ...change,
});

/** What the API and its events say once everything has ended. */
async function shown(pipeline: Pipeline): Promise<Shown> {
  const { json: manifest } = await pipeline.call('', { method: 'GET' });
  const { json: events } = await pipeline.call('/events?limit=200', { method: 'GET' });
  return { manifest: manifest as unknown as ManifestDescription, events: (events as { items: Shown['events'] }).items };
}

async function grown(trouble: (pipeline: Pipeline) => void, from = small, to: unknown = large): Promise<Shown> {
  const pipeline = new Pipeline();
  await pipeline.apply(from);
  trouble(pipeline);
  await pipeline.submit(to);
  await pipeline.settle();
  return shown(pipeline);
}

const at =
  (stage: StageName, found: StageError, mode: 'do' | 'undo' = 'do') =>
  (pipeline: Pipeline) =>
    pipeline.runner.trouble(stage, { error: found }, { mode });

/** Its title, what happens, and the lines of its failures as patterns: what, cause, todo. */
type Row = readonly [title: string, made: () => Promise<Shown>, lines: readonly (readonly [RegExp, RegExp, RegExp])[]];

const again =
  /^Do this\. Nothing is retried automatically; to retry: kubeloom retry shop --namespace team\. Log: kubeloom logs shop-\w+-g2-a1 --stage nodes --namespace team$/;
const scheduled = /^Do this\. Kubeloom retries it at \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Log: kubeloom logs shop-/;

const rows: readonly Row[] = [
  [
    'a grow that a person has to fix, and that was undone',
    () => grown(at('nodes', error('user'))),
    [[/^nodes of web failed at web-1 and was undone: ToolFailed \(user\)$/, /^the tool said no$/, again]],
  ],
  ...(['quota', 'capacity', 'transient', 'conflict'] as const).map(
    (kind): Row => [
      `a grow that failed for ${kind}`,
      () => grown(at('infrastructure', error(kind))),
      [
        [
          new RegExp(`^infrastructure of web failed at web-1 and was undone: ToolFailed \\(${kind}\\)$`),
          /^the tool said no$/,
          scheduled,
        ],
      ],
    ],
  ),
  [
    'credentials that do not work',
    () => grown(at('configuration', error('credentials'))),
    [
      [
        /^configuration of web failed at web-1 and was undone: ToolFailed \(credentials\)$/,
        /^the tool said no$/,
        /It is retried when its Secret is stored again, or by: kubeloom retry shop --namespace team\. Log: /,
      ],
    ],
  ],
  [
    'a shrink, which stops where it is',
    () => grown(at('nodes', error('user')), large, small),
    [[/^nodes of web failed at web-1: ToolFailed \(user\)$/, /^the tool said no$/, again]],
  ],
  [
    'a way back that fails',
    () =>
      grown((pipeline) => {
        at('nodes', error('user'))(pipeline);
        at('nodes', error('bug', { message: 'and no again' }), 'undo')(pipeline);
      }),
    [[/^undoing nodes of web failed at web-1: ToolFailed \(bug\)$/, /^and no again$/, again]],
  ],
  [
    'a pool that was left out',
    () => grown((pipeline) => pipeline.runner.trouble('infrastructure', { failedPools: ['web-more'] })),
    [
      [
        /^pool web-more of web was left out: infrastructure failed: ToolFailed \(quota\)$/,
        /\w/,
        /Kubeloom retries it at /,
      ],
    ],
  ],
  [
    'a platform that broke',
    () =>
      grown((pipeline) => {
        pipeline.faults.set('commit-waypoint', new StateFault('InternalFault', 'it broke'));
      }),
    [[/^web failed: InternalFault \(bug\)$/, /^it broke$/, /to retry: kubeloom retry shop --namespace team\.$/]],
  ],
  [
    'a run that a user cancelled',
    () =>
      grown((pipeline) => {
        pipeline.runner.trouble('configuration', async () => {
          await pipeline.call('/cancel');
          return 'stopped';
        });
      }),
    [
      [
        /^configuration of web was cancelled and undone: Cancelled \(user\)$/,
        /^The run was cancelled while configuration was running\.$/,
        /Nothing is retried automatically/,
      ],
    ],
  ],
  [
    'a container that left nothing, tried twice',
    () => grown((pipeline) => pipeline.runner.trouble('nodes', 'garbled', { times: 2 })),
    [
      [
        /^nodes of web failed after 2 tries and was undone: RunnerLost \(bug\)$/,
        /left no result/,
        /kubeloom logs shop-\w+-g2-a1 --stage nodes/,
      ],
    ],
  ],
];

describe('the three lines of a failure', () => {
  it.each(rows)('%s: five places show the same lines', async (_title, made, patterns) => {
    const all = await made();
    const lines = all.manifest.clusters.flatMap((cluster) => cluster.failure?.lines ?? []);
    expect(lines).toHaveLength(patterns.length);
    for (const [index, [what, cause, todo]] of patterns.entries()) {
      expect(lines[index]?.what).toMatch(what);
      expect(lines[index]?.cause).toMatch(cause);
      expect(lines[index]?.todo).toMatch(todo);
    }
    const places = await fivePlaces(all);
    for (const one of lines) {
      for (const [place, text] of Object.entries(places))
        for (const line of Object.values(one)) expect(joined(text.split('\n')), place).toContain(joined([line]));
      expect(all.events.filter(({ kind }) => kind === 'ClusterFailed').map(({ message }) => message)).toContain(
        failureText(one),
      );
      expect(places.operator).toContain(failureText(one));
    }
  });
});

describe('words of others in the three lines', () => {
  const secret = 'hunter2-very-secret';
  const words = `web-1: login with ${secret} refused\u001b[2J\r\n\tFehler \u202eneg\nmore`;
  /** As the runner words it, masks it and leaves it. */
  function left(): StageError {
    const mask = new SecretMask();
    mask.add([secret]);
    const { message, hint, ...rest } = finished({
      class: 'user',
      code: 'ToolFailed',
      message: words,
      resource: 'web-1',
      hint: 'Do this.',
    });
    return { ...rest, message: mask.hide(message), hint: mask.hide(hint), retryable: false };
  }

  it('a masked secret stays masked, and what a terminal would obey is text, in one line', async () => {
    const all = await grown(at('nodes', left()));
    const [lines] = all.manifest.clusters.flatMap(({ failure }) => failure?.lines ?? []);
    expect(lines?.cause).toMatch(/^login with \S+ refused\\u001b\[2J(\\u000d)?; Fehler \\u202eneg; more$/);
    const places = await fivePlaces(all);
    for (const [place, text] of Object.entries(places)) {
      expect(text, place).not.toContain(secret);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
      expect(text, place).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202e]/);
      expect(joined(text.split('\n')), place).toContain(joined([lines?.cause ?? '?']));
    }
  });

  it('a long cause is cut, and what to do is whole all the same', async () => {
    const all = await grown(at('nodes', error('user', { message: 'word '.repeat(390) })));
    const [lines] = all.manifest.clusters.flatMap(({ failure }) => failure?.lines ?? []);
    expect(lines?.cause.length).toBeLessThanOrEqual(400);
    expect(lines?.todo).toMatch(again);
  });
});

describe('what follows a failure', () => {
  it('no hint promises a retry: the sentence after it says whether there is one', () => {
    const files = ['functions', 'runner-images/runner'].flatMap((folder) => globSync(`${folder}/**/*.ts`));
    const promise = /\bKubeloom (also )?retries (it|automatically|a bounded)|, and retries/;
    const promises = files.filter((file) => promise.test(readFileSync(file, 'utf8')));
    // The sentence that follows a hint, and the fix of a GitSource, which Kubeloom always reads again.
    expect(promises.sort()).toEqual([
      'functions/domain/failure-lines.ts',
      'functions/pipeline/sources/advance-source.ts',
    ]);
  });

  it('the list says of a failure what the description says, also after a pause', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    at('nodes', error('user'))(pipeline);
    await pipeline.apply(large);
    const both = async () => {
      const { manifest } = await shown(pipeline);
      const { json } = await callApi(pipeline.deps, 'GET', '/v1/manifests', {});
      const page = json as unknown as ManifestPage;
      return [manifest.clusters[0]?.failure?.lines, page.items[0]?.clusters[0]?.failure?.lines];
    };
    const [described, inList] = await both();
    expect(inList).toEqual(described);
    await pipeline.call('/pause');
    const [paused, pausedInList] = await both();
    expect(paused?.todo).toContain('nothing is retried before: kubeloom resume shop --namespace team.');
    expect(pausedInList).toEqual(paused);
  });
});
