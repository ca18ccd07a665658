/** How many executions one tick of the scheduler starts. */
import { describe, expect, it } from 'vitest';
import type { ManifestHead } from '#contracts/records.ts';
import { firstCheckAt, nextCheckAt } from '#domain/due-times.ts';
import { inTurn } from '#functions/pipeline/schedule/due-manifest.ts';
import { aManifest } from '#test/contracts/builders.ts';
import { headOf } from '#test/fakes/in-memory-manifests.ts';

describe('how many a tick starts', () => {
  const head = (fields: Partial<ManifestHead>): ManifestHead => ({ ...headOf(aManifest()), lease: null, ...fields });
  const checks = Array<ManifestHead>(300).fill(head({ status: 'Done' }));
  const lease = { owner: 'arn', fence: 1, expiresAt: '2026-11-20T12:00:00.000Z' };

  it.each([
    [0, 200],
    [150, 50],
    [190, 20],
    [1000, 20],
  ])('a turn with %i at work starts %i of 300 that are due', (atWork, starts) => {
    expect(inTurn(checks, atWork)).toHaveLength(starts);
  });

  it('leases are always checked and count as at work; a start that was missed comes before checks', () => {
    const missed = head({ status: 'Pending', name: 'missed' });
    const turn = inTurn([...checks, missed, ...Array<ManifestHead>(100).fill(head({ status: 'Running', lease }))], 90);
    expect(turn.filter((one) => one.lease)).toHaveLength(100);
    expect(turn.filter((one) => !one.lease)).toHaveLength(20);
    expect(turn[100]).toBe(missed);
  });

  it('ten thousand manifests that are checked every 6 hours start within half an hour, and within an hour after an outage of a day', () => {
    const minute = 60_000;
    const seeds = Array.from({ length: 10_000 }, (_, n) => `uid-${n}/shop-${n}`);
    const start = Date.parse('2026-11-20T00:00:00.000Z');
    const dueAt = new Map(seeds.map((seed) => [seed, Date.parse(firstCheckAt(new Date(start), 360, seed))]));
    const ends: { seed: string; at: number }[] = [];
    const latest: number[] = [];
    for (let now = start; now < start + 72 * 60 * minute; now += 5 * minute) {
      for (const { seed, at } of ends.filter((one) => one.at <= now))
        dueAt.set(seed, Date.parse(nextCheckAt(new Date(at), 360, seed)));
      ends.splice(0, ends.length, ...ends.filter((one) => one.at > now));
      // From the 24th to the 48th hour the scheduler does not run.
      const hour = (now - start) / (60 * minute);
      if (hour >= 24 && hour < 48) continue;
      const due = [...dueAt]
        .filter(([, at]) => at <= now)
        .sort((a, b) => a[1] - b[1])
        .slice(0, 400);
      latest.push(Math.max(0, ...due.map(([, at]) => now - at)) / minute);
      const turn = inTurn(
        due.map(([name]) => head({ status: 'Done', name })),
        ends.length,
      );
      for (const { name } of turn) {
        dueAt.delete(name);
        ends.push({ seed: name, at: now + 4 * minute });
      }
    }
    const ticksOfADay = (24 * 60) / 5;
    expect(Math.max(...latest.slice(0, ticksOfADay))).toBeLessThan(30);
    // What a day left is made up for; a day later it still comes in waves, which are less late than what raises the alarm.
    expect(Math.max(...latest.slice(-ticksOfADay / 2))).toBeLessThan(60);
  });
});
