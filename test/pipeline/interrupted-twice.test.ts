/** finish-run and the API may be killed themselves: nothing that was accepted is forgotten. */
import { expect, it } from 'vitest';
import { manifestOf } from './harness/manifests.ts';
import { key, Pipeline } from './harness/pipeline.ts';

const small = manifestOf([{ compute: { work: 2 } }]);
const large = manifestOf([{ compute: { work: 2, more: 2 } }]);
it('a run is started again when finish-run was interrupted too and the event comes again', async () => {
  const pipeline = new Pipeline();
  const { runId } = await pipeline.submit(small);
  pipeline.runner.trouble('infrastructure', () => pipeline.machines.abortAll());
  pipeline.faults.set('start-next-attempt', new Error('the platform was killed'));
  await pipeline.settle();
  await pipeline.finish(runId, 'ABORTED', key);
  await pipeline.settle();
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done' });
});
it('a generation without a run record is taken up when the run before it was interrupted too', async () => {
  const pipeline = new Pipeline();
  const { runId } = await pipeline.submit(small);
  pipeline.runner.trouble('infrastructure', async () => {
    const put = pipeline.deps.runs.put.bind(pipeline.deps.runs);
    const start = pipeline.deps.workflows.startReconcile.bind(pipeline.deps.workflows);
    pipeline.deps.runs.put = async () => Promise.reject(new Error('killed'));
    pipeline.deps.workflows.startReconcile = async () => Promise.reject(new Error('killed'));
    await pipeline.submit(large);
    pipeline.deps.runs.put = put;
    pipeline.deps.workflows.startReconcile = start;
    await pipeline.machines.abortAll();
  });
  await pipeline.settle();
  expect(runId).toBeTruthy();
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 2 });
});
it('interruptions of earlier manifests of the same name are not counted', async () => {
  const pipeline = new Pipeline();
  for (const _ of ['one', 'another']) {
    await pipeline.submit(small);
    pipeline.runner.trouble('infrastructure', async () => {
      await pipeline.submit(small, true);
      await pipeline.machines.abortAll();
    });
    await pipeline.settle();
    expect(await pipeline.deps.manifests.get(key)).toBeUndefined();
  }
  await pipeline.submit(small);
  pipeline.runner.trouble('infrastructure', () => pipeline.machines.abortAll());
  await pipeline.settle();
  expect(await pipeline.manifest()).toMatchObject({ status: 'Done', generation: 1, attempt: 2 });
});
