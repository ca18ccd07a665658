/** The rule of what stays: a table of cases, and what it promises whatever is there and in whatever order things leave. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Alternative, deadFirst, keepsQuorum, lostWith, sizeThatKeeps, whatStays } from '#domain/what-stays.ts';
import { propertyRuns } from '#test/property-runs.ts';

const one = (name: string, change: Partial<Alternative> = {}): Alternative => ({
  name,
  answers: true,
  leaves: false,
  ...change,
});

describe('what stays', () => {
  it.each([
    ['one that answers and that nothing removes', [one('a')], ['a']],
    ['none that does not answer', [one('a', { answers: false })], []],
    ['none that leaves, though it answers', [one('a', { leaves: true })], []],
    ['those that are left of several', [one('a', { leaves: true }), one('b'), one('c', { answers: false })], ['b']],
    ['nothing where nothing exists', [], []],
  ])('what stays is %s', (_, all, names) => {
    expect([...whatStays(all)]).toEqual(names);
  });

  it.each([
    ['a', [['v', 'a']], [], ['v']],
    [
      'a',
      [
        ['v', 'a'],
        ['v', 'b'],
      ],
      ['b'],
      [],
    ],
    [
      'a',
      [
        ['v', 'a'],
        ['v', 'b'],
      ],
      ['a'],
      ['v'],
    ],
    ['a', [['v', 'b']], [], []],
    [
      'a',
      [
        ['w', 'a'],
        ['v', 'a'],
        ['w', 'c'],
      ],
      ['b'],
      ['v', 'w'],
    ],
  ] as const)('the things that %s has of %j are lost unless one of %j has them', (leaving, pairs, stays, lost) => {
    const holdings = pairs.map(([thing, holder]) => ({ thing, holder }));
    expect(lostWith(leaving, holdings, new Set(stays))).toEqual(lost);
  });

  it('a holding that may not be good does not keep its thing, and is lost like others', () => {
    const holdings = [
      { thing: 'v', holder: 'a', answers: false },
      { thing: 'v', holder: 'b', answers: false },
    ];
    expect(lostWith('a', holdings, new Set(['b']))).toEqual(['v']);
  });

  it.each([
    ['a', ['a', 'b', 'c'], ['a', 'b', 'c'], true],
    ['a', ['a', 'b', 'c'], ['a', 'b'], false],
    ['c', ['a', 'b', 'c'], ['a', 'b'], true],
    ['a', ['a', 'b'], ['b'], true],
    ['b', ['a', 'b'], ['b'], false],
    ['a', ['a', 'b', 'c'], ['b'], true],
    ['a', ['a'], ['a'], false],
    ['a', ['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c'], false],
  ])('a majority is left without %s of %j, of which %j answer: %s', (leaving, members, living, kept) => {
    expect(keepsQuorum(leaving, { members, living: new Set(living) })).toBe(kept);
  });
});

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const alternatives = fc
  .uniqueArray(fc.constantFrom(...names), { maxLength: names.length })
  .chain((some) =>
    fc.tuple(
      ...some.map((name) => fc.record({ name: fc.constant(name), answers: fc.boolean(), leaves: fc.boolean() })),
    ),
  );

describe('what the rule promises', () => {
  it('everything that those who may leave have has a living holder that stays, when all of them have left side by side', () => {
    const held = fc.array(
      fc.record({ thing: fc.constantFrom('v', 'w', 'x'), holder: fc.constantFrom(...names, 'gone') }),
    );
    fc.assert(
      fc.property(alternatives, held, (all, holdings) => {
        const stays = whatStays(all);
        const leavers = all.filter(({ leaves }) => leaves).map(({ name }) => name);
        const left = leavers.filter((name) => lostWith(name, holdings, stays).length === 0);
        for (const { thing } of holdings.filter(({ holder }) => left.includes(holder)))
          expect(holdings.some((other) => other.thing === thing && stays.has(other.holder))).toBe(true);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it('members that leave one after the other never leave etcd without a living majority that it had', () => {
    const plane = fc.record({ all: alternatives, order: fc.shuffledSubarray(names) });
    fc.assert(
      fc.property(plane, ({ all, order }) => {
        const living = new Set(all.filter(({ answers }) => answers).map(({ name }) => name));
        let members = all.map(({ name }) => name);
        fc.pre(members.filter((name) => living.has(name)).length * 2 > members.length);
        for (const name of order.filter((one) => members.includes(one))) {
          if (!keepsQuorum(name, { members, living })) continue;
          members = members.filter((other) => other !== name);
          expect(members.filter((other) => living.has(other)).length * 2).toBeGreaterThan(members.length);
        }
        expect(members.length).toBeGreaterThan(0);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it('a member that does not answer can always leave a living majority, so the dead are first and free the others', () => {
    fc.assert(
      fc.property(alternatives, (all) => {
        const living = new Set(all.filter(({ answers }) => answers).map(({ name }) => name));
        const members = all.map(({ name }) => name);
        fc.pre(living.size * 2 > members.length);
        const ordered = deadFirst(all, living).map(({ name }) => name);
        const dead = ordered.slice(0, members.length - living.size);
        expect(dead.every((name) => !living.has(name) && keepsQuorum(name, { members, living }))).toBe(true);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });

  it('a size is never below the machines that no one asked to remove', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5, max: 10 }), alternatives, (asked, machines) => {
        const size = sizeThatKeeps(asked, machines);
        const running = machines.filter(({ leaves }) => !leaves).length;
        expect(size).toBeGreaterThanOrEqual(running);
        if (asked >= running) expect(size).toBe(asked);
      }),
      { numRuns: propertyRuns(2000) },
    );
  });
});
