/** The path of a run as people who watch it see it: what is done, in progress and still to come. */
import { expect, it } from 'vitest';
import { RunPlan } from '#contracts/run-plan.ts';
import { manifestOf } from './harness/manifests.ts';
import { Pipeline } from './harness/pipeline.ts';

const before = manifestOf([{ compute: { work: 2 } }]);
/** A grow, then a shrink. */
const after = manifestOf([{ compute: { other: 1 } }]);

async function planOfLastRun(pipeline: Pipeline) {
  const [run] = await pipeline.runs();
  const { json } = await pipeline.call(`/runs/${run?.runId}/plan`, { method: 'GET' });
  return RunPlan.parse(json).clusters;
}

it('the plan of a run has every waypoint in words, also those that were not reached', async () => {
  const pipeline = new Pipeline();
  await pipeline.apply(before);
  pipeline.runner.trouble('kubernetes', 'user');
  await pipeline.apply(after);
  expect(await planOfLastRun(pipeline)).toMatchObject([
    {
      cluster: 'web',
      waypoints: [
        {
          number: 1,
          starts: ['w00'],
          direction: 'grow',
          forwardOnly: false,
          title: expect.stringMatching(/^grow: 1 node/),
          stages: expect.arrayContaining([{ stage: 'kubernetes', reasons: [expect.any(String)] }]),
        },
        { number: 2, starts: [], direction: 'shrink', forwardOnly: true, title: expect.stringMatching(/^shrink: /) },
      ],
    },
  ]);
});

it('a waypoint that is started again keeps its place, and names each start as its logs do', async () => {
  const pipeline = new Pipeline({ KUBELOOM_MAX_STAGE_ATTEMPTS: '1' });
  await pipeline.apply(before);
  pipeline.runner.trouble('nodes', 'transient', { times: 2 });
  await pipeline.apply(manifestOf([{ compute: { work: 1 } }]));
  const [web] = await planOfLastRun(pipeline);
  expect(web?.waypoints).toMatchObject([{ number: 1, direction: 'shrink', starts: ['w00', 'w01', 'w02'] }]);
  const ofEvents = (await pipeline.events()).filter(({ kind }) => kind === 'WaypointStarted').slice(1);
  expect(ofEvents.map(({ waypoint }) => waypoint)).toEqual(['w00', 'w01', 'w02']);
});

it('stages and starts of waypoints name the waypoint in their events', async () => {
  const pipeline = new Pipeline();
  await pipeline.apply(before);
  const events = (await pipeline.events()).filter(({ kind }) => /^(Stage|Waypoint)(Started|Succeeded)$/.test(kind));
  expect(events.length).toBeGreaterThan(3);
  expect(new Set(events.map(({ waypoint }) => waypoint))).toEqual(new Set(['w00']));
});

it('the plan of an unknown run is a 404, and the plan of a run that started nothing is empty', async () => {
  const pipeline = new Pipeline();
  await pipeline.apply(before);
  expect(await pipeline.call('/runs/shop-abcde-g7-a1/plan', { method: 'GET' })).toMatchObject({ status: 404 });
  await pipeline.apply({ ...before, metadata: { ...before.metadata, labels: { team: 'a' } } });
  expect(await planOfLastRun(pipeline)).toEqual([]);
});
