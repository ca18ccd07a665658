/** Roll-outs that are killed, paused and hindered at random moments, and continue afterwards. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PipelineError } from '#domain/errors.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { environment, Fleet, fleet } from './harness/fleet.ts';

const size = 5;
const places = ['plan-batch', 'submit-cluster', 'judge-batch', 'plan-manifest', 'plan-cluster', 'commit-waypoint'];
const troubles = fc.array(
  fc.record({
    place: fc.constantFrom(...places),
    /** Which of its calls. */
    call: fc.integer({ min: 1, max: 6 }),
    what: fc.constantFrom('killed', 'broken', 'overtaken', 'paused', 'userFault', 'lostBuild'),
  }),
  { maxLength: 6 },
);
const scripts = fc.record({
  waves: fc.constantFrom('1,100%25', '2,4,100%25', '100%25'),
  soak: fc.constantFrom('0s', '30m'),
  maxFailed: fc.integer({ min: 1, max: 3 }),
  troubles,
  /** After so many stops it is undone; 0: never. */
  undoAfter: fc.nat(3),
});
type Script = typeof scripts extends fc.Arbitrary<infer Value> ? Value : never;

async function happen(world: Fleet, id: string, what: Script['troubles'][number]['what']): Promise<void> {
  const { pipeline } = world;
  switch (what) {
    case 'killed':
      return pipeline.machines.abortAll();
    case 'broken':
      throw new Error('a service does not answer');
    case 'overtaken':
      throw new PipelineError('VersionConflict', 'another request was faster');
    case 'paused':
      await world.verb('pause', id);
      return;
    default:
      pipeline.runner.trouble('nodes', what === 'userFault' ? 'user' : 'kill');
  }
}

/** Every function of the run and of its children may meet trouble; the pause after a wave passes at once. */
function arrange(world: Fleet, id: string, { soak, troubles }: Script): void {
  const { pipeline } = world;
  for (const place of places) {
    let calls = 0;
    pipeline.before.set(place, async () => {
      calls += 1;
      if (place === 'plan-batch' && soak !== '0s') {
        pipeline.deps.clock.advance(1801);
        await pipeline.settle();
      }
      for (const one of troubles) if (one.place === place && one.call === calls) await happen(world, id, one.what);
    });
  }
}

it('a roll-out that is killed, paused or hindered anywhere ends where it is led, and leaves no cluster in between', async () => {
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      const world = await Fleet.of(size);
      const { pipeline } = world;
      const { waves, soak, maxFailed, undoAfter } = script;
      const started = await world.start(
        environment('1.35.2', 2),
        `?waves=${waves}&soak=${soak}&maxFailed=${maxFailed}`,
      );
      const id = String(started.json.id);
      arrange(world, id, script);
      let status = '';
      for (let stops = 1; stops < 20; stops++) {
        await pipeline.rollOut();
        await pipeline.settle();
        const now = await world.rollOut(id);
        status = now.status;
        expect(now.states.failed).toBeLessThanOrEqual(maxFailed);
        if (status === 'RolledOut' || status === 'Undone') break;
        const undoes = stops === undoAfter && now.direction === 'forward';
        // What waits for the scheduler is started by it.
        pipeline.deps.clock.advance(400);
        await pipeline.invoke('tick', {});
        await pipeline.settle();
        await world.verb(undoes ? 'undo' : 'resume', id);
      }
      const count = { RolledOut: '2', Undone: '1' }[status];
      expect([...(await world.counts()).values()]).toEqual(Array(size).fill(count));
      const { items } = await pipeline.deps.manifests.list(fleet, 100);
      expect(items.map((manifest) => [manifest.status, manifest.lease])).toEqual(Array(size).fill(['Done', null]));
    }),
    { numRuns: propertyRuns(40) },
  );
}, 300_000);
