/** `retry --debug`: who requested it, and for which run it counts. */
import { describe, expect, it } from 'vitest';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 2 } }]);

describe('a run with debug logs', () => {
  it('a retry with debug logs says so with the name of the caller, and only its own run has them', async () => {
    const pipeline = new Pipeline();
    await pipeline.apply(large);
    const debugged = async () => {
      const documents = await pipeline.deps.artifacts.list('runs/');
      const texts = documents.filter(({ key: one }) => one.endsWith('/waypoint.json'));
      const read = await Promise.all(texts.map(({ key: one }) => pipeline.deps.artifacts.getText(one)));
      return read.flatMap((text) => {
        const { runId, debug } = JSON.parse(text ?? '{}');
        return debug === true ? [String(runId).slice(-5)] : [];
      });
    };
    pipeline.runner.trouble('infrastructure', 'credentials');
    pipeline.runner.trouble('infrastructure', 'credentials');
    await pipeline.apply(small);
    expect(await debugged()).toEqual([]);
    expect((await pipeline.call('/retry', { body: { debug: true, from: 'infrastructure' } })).status).toBe(202);
    await pipeline.settle();
    expect((await pipeline.runs())[0]).toMatchObject({
      reason: 'retry from infrastructure with debug logs',
      debug: true,
    });
    expect((await pipeline.events()).map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^retried with debug logs by /),
    );
    expect(await debugged()).toEqual(['g2-a2']);
    await pipeline.call('/drift', { body: { repair: true } });
    await pipeline.settle();
    expect((await pipeline.deps.manifests.get(key))?.debug).toBeUndefined();
    await pipeline.call('/retry', { body: { debug: false } });
    await pipeline.settle();
    expect(await debugged()).toEqual(['g2-a2']);
    expect((await pipeline.runs())[0]?.debug).toBeUndefined();
  });
});
