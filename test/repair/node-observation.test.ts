/** From when on a node counts as new: its join, or, while it has not joined, the set-up of its machine. */
import { expect, it } from 'vitest';
import { observationOf } from '#domain/node-observation.ts';

const setUpAt = '2026-11-28T11:50:00.000Z';
const createdAt = '2026-11-28T11:58:00.000Z';
const live = { ready: 'False', createdAt, locked: false };

it.each([
  ['that joined', live, { setUpAt, joined: true }, createdAt],
  ['whose join is not noted yet', live, { setUpAt }, createdAt],
  ['that never joined', undefined, { setUpAt }, setUpAt],
  ['that joined and is no longer in Kubernetes', undefined, { setUpAt, joined: true }, undefined],
  ['of an older version, which noted no time', undefined, {}, undefined],
  ['of which nothing is known', undefined, undefined, undefined],
])('a node %s is new from the right time on', (_, report, known, expected) => {
  expect(observationOf('node', report, known)).toMatchObject({ health: 'notReady' });
  expect(observationOf('node', report, known).createdAt).toBe(expected);
});
