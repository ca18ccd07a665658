/** What people read during a run: short lines, names instead of ids, limits of retries. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { errorClasses } from '#domain/errors.ts';
import { failurePolicy } from '#domain/failure-policy.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 12 } }]);

async function linesOf(pipeline: Pipeline, kind: string): Promise<readonly string[]> {
  return (await pipeline.events()).filter((event) => event.kind === kind).map(({ message }) => message);
}

describe('events of a plan', () => {
  it('a plan is shown as short titles and sentences', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    await pipeline.apply(large);
    const kinds = (await pipeline.events()).map(({ kind }) => kind);
    expect(kinds.slice(kinds.indexOf('PlanMade'), kinds.indexOf('StageSucceeded'))).toEqual([
      'PlanMade',
      'WaypointStarted',
      ...kinds.slice(kinds.indexOf('WaypointStarted') + 1, kinds.indexOf('StageSucceeded')).map(() => 'PlanExplained'),
    ]);
    const lines = (await pipeline.events()).map(({ message }) => message);
    for (const line of lines) expect(line.length).toBeLessThan(250);
    expect(await linesOf(pipeline, 'WaypointStarted')).toEqual([
      expect.stringMatching(/^grow: .*3 nodes/),
      expect.stringMatching(/^grow: .*12 nodes/),
    ]);
    expect((await linesOf(pipeline, 'PlanExplained')).length).toBeGreaterThanOrEqual(4);
  });
});

describe('events', () => {
  it('events name clusters as the manifest does', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('kubernetes', 'user');
    await pipeline.apply(manifestOf([{ name: 'web' }, { name: 'web-eu' }]));
    const named = new Set((await pipeline.events()).map(({ cluster }) => cluster));
    expect(named).toEqual(new Set([undefined, 'web', 'web-eu']));
    const ids = (await pipeline.clusters()).map(({ cluster }) => cluster);
    const texts = JSON.stringify([
      (await pipeline.events()).filter(({ kind }) => kind.startsWith('Run')),
      (await pipeline.runs()).map(({ clusters }) => clusters),
    ]);
    for (const id of ids) expect(texts).not.toContain(id);
  });

  it('the event at the end of a stage says what happened, and omits what did not', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(small);
    const lines = await linesOf(pipeline, 'StageSucceeded');
    expect(lines[0]).toBe('infrastructure done in 1.5 s: 2 hosts created');
    expect(lines[1]).toBe('configuration done in 1.5 s');
  });

  it('programs read the try, the seconds and the counts of a stage without its message', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('infrastructure', 'transient');
    await pipeline.apply(small);
    const ends = (await pipeline.events()).filter(({ stage }) => stage === 'infrastructure');
    expect(ends).toMatchObject([
      { kind: 'StageRetried', attempt: 1 },
      { kind: 'StageSucceeded', attempt: 2, seconds: 1.5, counts: { hostsCreated: 2 } },
    ]);
  });

  it('the event of a retry says how often, when, and how long all pauses take at most', async () => {
    const pipeline = new Pipeline({ KUBELOOM_STAGE_RETRY_SECONDS: '10', KUBELOOM_MAX_STAGE_ATTEMPTS: '4' });
    pipeline.runner.trouble('configuration', 'transient', { times: 2 });
    await pipeline.apply(small);
    expect(await linesOf(pipeline, 'StageRetried')).toEqual([
      expect.stringMatching(
        /^configuration failed, try 2 of 4 follows in 10 s, 70 s of pauses at most\. transient Tool/,
      ),
      expect.stringMatching(/^configuration failed, try 3 of 4 follows in 20 s, 70 s of pauses at most\. /),
    ]);
  });

  it('the event of a forward-only failure says what follows, and that retries end', async () => {
    const pipeline = new Pipeline({ KUBELOOM_BACK_OFF_SECONDS: '30', KUBELOOM_MAX_BACK_OFFS: '2' });
    await pipeline.apply(large);
    pipeline.runner.trouble('infrastructure', 'capacity', { times: 9 });
    await pipeline.apply(small);
    expect(await linesOf(pipeline, 'BackedOff')).toEqual([
      expect.stringContaining('continues in 30 s (pause 1 of 2)'),
      expect.stringContaining('continues in 60 s (pause 2 of 2)'),
    ]);
    expect((await linesOf(pipeline, 'RetriesEnded')).at(-1)).toContain('it failed 3 times');
  });
});

describe('order of events', () => {
  it('what failed, the end of the run and its retry are one batch: of one millisecond only a batch has an order', async () => {
    const pipeline = new Pipeline();
    pipeline.runner.trouble('infrastructure', 'capacity', { times: 9 });
    const append = vi.spyOn(pipeline.deps.events, 'append');
    await pipeline.apply(small);
    const batches = append.mock.calls.map(([, events]) => events.map(({ kind }) => kind));
    expect(batches.filter((kinds) => kinds.includes('RunFailed'))).toEqual([
      ['ClusterFailed', 'RunFailed', 'RetryScheduled'],
    ]);
  });
});

describe('docs/architecture.md', () => {
  it('the table of failures in docs/architecture.md matches the code', () => {
    const text = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');
    for (const name of errorClasses) {
      const { inPlace, revertible, forwardOnly, restart, because } = failurePolicy[name];
      const words = { rollBack: 'undone', backOff: 'paused, then continued', stop: 'stops' };
      const restarts = { scheduled: 'automatically', secretStored: 'when the Secret is stored', asked: 'by a person' };
      const follows = `${words[revertible]} | ${words[forwardOnly]} | ${restarts[restart]}`;
      const row = `| ${name} | ${inPlace ? 'yes' : 'no'} | ${follows} | ${because} |`;
      expect(text).toContain(row);
    }
  });
});
