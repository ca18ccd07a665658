/** Whatever happens to a stage, its result is written. */
import { readdirSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StageResult, waypointKeys } from '#contracts/stage.ts';
import { PipelineError } from '#domain/errors.ts';
import type { StagePlan } from '#domain/plan.ts';
import { simulatedBootId } from '#runner/sim/simulated-facts.ts';
import type { Tool } from '#runner/stage-context.ts';
import { StageFailure } from '#runner/stage-failure.ts';
import { aDocument, prefix, type StageWorld, stageWorld } from './stage-world.ts';

const traffic: StagePlan = { stage: 'traffic', reasons: ['a role was added'], work: { loadBalancers: ['lb'] } };
let world: StageWorld;
beforeEach(async () => {
  world = stageWorld();
  await world.put(aDocument([traffic], { undo: [traffic] }));
});
afterEach(() => world.close());

async function storedResult() {
  const key = waypointKeys.result(waypointKeys.attempt(prefix, 'traffic', 'do', 1));
  return StageResult.parse(JSON.parse((await world.ports.artifacts.getText(key)) ?? 'null'));
}
const workDirectories = () => readdirSync(world.directory).filter((name) => name.startsWith('kubeloom-stage-'));

describe('stages', () => {
  it('a stage writes its result, its facts and the reasons why it ran', async () => {
    const result = await world.run('traffic', {
      tool: async ({ facts }) => {
        facts.node('edge-ccccccc-01', { bootId: simulatedBootId('b') });
        return { nodesVisited: 1 };
      },
    });
    expect(result).toMatchObject({ ok: true, stage: 'traffic', mode: 'do', attempt: 1, summary: { nodesVisited: 1 } });
    expect(await storedResult()).toEqual(result);
    expect((await world.facts()).nodes['edge-ccccccc-01']?.bootId).toBe(simulatedBootId('b'));
    expect(await world.log('traffic')).toContain('why: a role was added');
  });

  it('a stage that runs out of time interrupts its tool, keeps its facts, and can be retried', async () => {
    const script = world.script(
      'tool',
      '#!/bin/sh\ntrap "echo state is written; exit 1" INT\necho ready\nwhile :; do sleep 0.05; done\n',
    );
    const result = await world.run('traffic', {
      longestMinutes: 0.005,
      tool: async ({ facts, run }) => {
        facts.node('edge-ccccccc-01', { publicAddress: '198.51.100.7' });
        await run({ label: 'tool', program: script, args: [] });
        return {};
      },
    });
    expect(result.error).toMatchObject({ class: 'transient', code: 'StageTooLong', retryable: true });
    expect(await storedResult()).toEqual(result);
    expect((await world.facts()).nodes['edge-ccccccc-01']?.publicAddress).toBe('198.51.100.7');
  });

  it.each([
    ['do', prefix, 'cancelled', 'StageCancelled', false],
    ['do', `${prefix}/traffic/1`, 'late', 'StageTooLong', true],
    ['undo', `${prefix}/traffic-undo/1`, 'late', 'StageTooLong', true],
    ['undo', `${prefix}/undo`, 'cancelled', 'StageCancelled', false],
  ] as const)(
    'a stage of mode %s that is asked to stop at %s (%s) interrupts its tool and stores what it found',
    async (mode, place, reason, code, retryable) => {
      const script = world.script('tool', '#!/bin/sh\ntrap "exit 1" INT\nwhile :; do sleep 0.05; done\n');
      const request = JSON.stringify({ schema: 1, at: '2026-11-20T12:00:00.000Z', reason });
      const result = await world.run('traffic', {
        mode,
        stopPollMs: 5,
        tool: async ({ facts, run }) => {
          await world.ports.artifacts.putText(waypointKeys.stop(place), request, 'application/json');
          facts.node('edge-ccccccc-01', { publicAddress: '198.51.100.7' });
          await run({ label: 'tool', program: script, args: [] });
          return {};
        },
      });
      expect(result.error).toMatchObject({ class: 'transient', code, retryable });
      expect((await world.facts()).nodes['edge-ccccccc-01']?.publicAddress).toBe('198.51.100.7');
    },
  );

  it('a stage that was asked to stop while its build waited does not start its tool', async () => {
    const request = JSON.stringify({ schema: 1, at: '2026-11-20T12:00:00.000Z', reason: 'cancelled' });
    await world.ports.artifacts.putText(waypointKeys.stop(prefix), request, 'application/json');
    let started = false;
    const result = await world.run('traffic', {
      tool: async () => {
        started = true;
        return {};
      },
    });
    expect({ started, code: result.error?.code }).toEqual({ started: false, code: 'StageCancelled' });
    expect(await storedResult()).toEqual(result);
  });

  it('a stage whose requests to stop cannot be read starts its tool', async () => {
    const { getText } = world.ports.artifacts;
    world.ports.artifacts.getText = (key) =>
      key.endsWith('stop.json') ? Promise.reject(new Error('no answer')) : getText.call(world.ports.artifacts, key);
    expect((await world.run('traffic', { tool: async () => ({}) })).ok).toBe(true);
  });

  it('a stage that undoes a cancelled waypoint is not stopped by the cancel', async () => {
    const request = JSON.stringify({ schema: 1, at: '2026-11-20T12:00:00.000Z', reason: 'cancelled' });
    await world.ports.artifacts.putText(waypointKeys.stop(prefix), request, 'application/json');
    const looks: string[] = [];
    const seen = Promise.withResolvers<void>();
    const { getText } = world.ports.artifacts;
    world.ports.artifacts.getText = async (key) => {
      if (looks.push(key) > 6) seen.resolve();
      return getText.call(world.ports.artifacts, key);
    };
    const result = await world.run('traffic', {
      mode: 'undo',
      stopPollMs: 1,
      tool: () => seen.promise.then(() => ({})),
    });
    expect(result.ok).toBe(true);
    expect(looks).not.toContain(waypointKeys.stop(prefix));
  });

  it('a stage works in a private directory that is deleted at the end, also after a failure', async () => {
    let seen = 0;
    await world.run('traffic', {
      tool: async ({ workDirectory }) => {
        seen = statSync(workDirectory).mode & 0o777;
        expect(workDirectories()).toEqual([basename(workDirectory)]);
        throw new Error('broken');
      },
    });
    expect(seen).toBe(0o700);
    expect(workDirectories()).toEqual([]);
  });

  it('a failed stage keeps the facts it found, and reports the failure as the tool gave it', async () => {
    const result = await world.run('traffic', {
      tool: async ({ facts }) => {
        facts.node('edge-ccccccc-01', { publicAddress: '198.51.100.7' });
        throw new StageFailure({ class: 'quota', code: 'Full', message: 'no room', resource: 'edge', hint: 'ask' });
      },
    });
    expect(result.error).toEqual({
      class: 'quota',
      code: 'Full',
      message: 'no room',
      resource: 'edge',
      hint: 'ask',
      retryable: false,
    });
    expect((await world.facts()).nodes['edge-ccccccc-01']?.publicAddress).toBe('198.51.100.7');
  });

  it('a stage whose tool throws an unexpected error writes a result of class bug', async () => {
    await world.run('traffic', {
      tool: async () => {
        throw new PipelineError('InternalFault', 'node x has no public address yet');
      },
    });
    expect((await storedResult()).error).toMatchObject({ class: 'bug', code: 'RunnerFault' });
  });

  it('a crash of the runner still writes a result, even if the tool never ends', async () => {
    const crash = new AbortController();
    const result = world.run('traffic', {
      crash: crash.signal,
      tool: () => {
        queueMicrotask(() => crash.abort(new TypeError('undefined is not a function')));
        return new Promise(() => undefined);
      },
    });
    expect((await result).error?.message).toContain('undefined is not a function');
    expect((await storedResult()).ok).toBe(false);
  });

  it('a stage without a waypoint document or without work writes a result', async () => {
    expect((await world.run('nodes')).error).toMatchObject({ class: 'bug', code: 'NoWork' });
    await world.ports.artifacts.remove(waypointKeys.document(prefix));
    expect((await world.run('traffic')).error).toMatchObject({ class: 'bug', code: 'WaypointMissing' });
  });

  it('a stage reports that it starts before anything else, and its waypoint and try with all that its tool reports', async () => {
    await world.put(aDocument([traffic], { undo: [traffic] }));
    const tool: Tool = async ({ emit }) => {
      emit({ kind: 'TrafficDirected', message: 'edge has its targets' });
      return {};
    };
    await world.run('traffic', { tool });
    await world.run('traffic', { tool, mode: 'undo' });
    const { items } = await world.ports.events.list({ namespace: 'team', name: 'shop' }, 100);
    expect(items.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
      'StageStarted: traffic starts',
      'TrafficDirected: edge has its targets',
      'UndoStarted: undoing traffic starts',
      'TrafficDirected: edge has its targets',
    ]);
    for (const event of items) expect(event).toMatchObject({ waypoint: 'w00', attempt: 1, stage: 'traffic' });
  });

  it('a stage hides secrets in its log, its events and its error', async () => {
    const result = await world.run('traffic', {
      tool: async ({ mask, log, emit }) => {
        mask.add(['s3cr3t-token']);
        log.write('tool', 'using s3cr3t-token');
        emit({ kind: 'TrafficDirected', message: 'with s3cr3t-token' });
        throw new Error('refused s3cr3t-token');
      },
    });
    const everything = [await world.log('traffic'), ...(await world.reported()), JSON.stringify(result)].join('\n');
    expect(everything).toContain('using ***');
    expect(everything).not.toContain('s3cr3t-token');
  });

  it('a stage hides secrets in each part of its failures, and of those of pools that it leaves out', async () => {
    const secret = 's3cr3t-token';
    const draft = {
      class: 'user',
      code: 'ToolFailed',
      message: `refused ${secret}`,
      hint: `Replace ${secret}.`,
      resource: `cloud.${secret}`,
    } as const;
    const failed = await world.run('traffic', {
      tool: async ({ mask }) => {
        mask.add([secret]);
        throw new StageFailure(draft);
      },
    });
    const leftOut = await world.run('traffic', {
      tool: async ({ mask, noteFailedPool }) => {
        mask.add([secret]);
        noteFailedPool('pool', new StageFailure(draft).error);
        return {};
      },
    });
    const hidden = { message: 'refused ***', hint: 'Replace ***.', resource: 'cloud.***' };
    expect(failed.error).toMatchObject(hidden);
    expect(leftOut.failedPools?.map(({ error }) => error)).toMatchObject([hidden]);
  });

  it('a stage in mode undo works towards the state before', async () => {
    await world.put(aDocument([], { undo: [traffic] }));
    let target: unknown = 'unset';
    const result = await world.run('traffic', {
      mode: 'undo',
      tool: async (context) => {
        target = context.target;
        return { others: context.others.length };
      },
    });
    expect(target).toBeNull();
    expect(result.summary).toEqual({ others: 1 });
  });
});
