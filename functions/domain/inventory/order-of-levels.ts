/** Which level wins at which path, which levels may set it, and which lists are merged by name. */
import { error, type Fault } from '../manifest/faults/fault.ts';
import { shown } from '../manifest/schema/names.ts';
import { nearest } from '../nearest.ts';
import { defaultLevels, type InventoryOrder, ownLevel } from './inventory-documents.ts';
import { covers, parseValuePath, type ValuePath } from './value-path.ts';

type Ranks = InventoryOrder['spec']['levels'];

export interface OrderOfLevels {
  readonly levels: readonly string[];
  readonly unusedValues: 'refuse' | 'warn';
  /** The later level has the higher rank; a text is the reason why the level may not set the path. */
  readonly rankAt: (path: ValuePath, level: string) => number | string;
  readonly isByName: (path: ValuePath) => boolean;
  /** A rule for something below the path; undefined when no rule applies. */
  readonly ruleBelow: (path: ValuePath) => string | undefined;
}

export function orderOfLevels(order?: InventoryOrder): OrderOfLevels {
  const {
    levels = [...defaultLevels],
    paths = {},
    locked = [],
    byName = [],
    unusedValues = 'refuse',
  } = order?.spec ?? {};
  const general = ranksOf(levels);
  const special = Object.entries(paths)
    .map(([text, ranks]) => ({ text, path: parts(text), ranks: ranksOf(ranks) }))
    // The most specific one counts; of two that are equally specific, the first by its text.
    .sort((one, other) => other.path.length - one.path.length || (one.text < other.text ? -1 : 1));
  const locks = locked.map(({ path, level }) => ({ text: path, path: parts(path), level }));
  const lists = byName.map(parts);
  const rules = [...special, ...locks];
  return {
    levels: [...general.keys()],
    unusedValues,
    rankAt: (path, level) => {
      const own = special.find((one) => covers(one.path, path));
      const ranks = own?.ranks ?? general;
      const rank = ranks.get(level);
      if (rank === undefined) {
        const names = [...ranks.keys()].join(', ');
        return own ? `the order of ${own.text} is ${names}` : `the levels are ${names}`;
      }
      const lock = locks.find((one) => covers(one.path, path) && rank > (ranks.get(one.level) ?? rank));
      return lock === undefined ? rank : `${lock.text} is locked at level ${lock.level}`;
    },
    isByName: (path) => lists.some((list) => list.length === path.length && covers(list, path)),
    ruleBelow: (path) =>
      rules.find((rule) => rule.path.length > path.length && covers(rule.path.slice(0, path.length), path))?.text,
  };
}

/** What is wrong between the parts of an order; its form is valid. */
export function orderFaults({ spec }: InventoryOrder): readonly Fault[] {
  const levels = namesIn(spec.levels);
  const own = levels.includes(ownLevel)
    ? []
    : [
        error(
          ['spec', 'levels'],
          `has no level "${ownLevel}"`,
          `add it: the values of an InventoryCluster are at this level`,
        ),
      ];
  return [
    ...own,
    ...twins(spec.levels, ['spec', 'levels']),
    ...Object.entries(spec.paths).flatMap(([path, ranks]) => [
      ...twins(ranks, ['spec', 'paths', path]),
      ...namesIn(ranks).flatMap((level) => unknown(level, levels, ['spec', 'paths', path])),
    ]),
    ...spec.locked.flatMap(({ path, level }, index) => {
      const place = ['spec', 'locked', index];
      const strange = unknown(level, levels, [...place, 'level']);
      if (strange.length > 0) return strange;
      const ranks = Object.entries(spec.paths).filter(
        ([one]) => covers(parts(one), parts(path)) || covers(parts(path), parts(one)),
      );
      const without = ranks.find(([, one]) => !namesIn(one).includes(level));
      if (without === undefined) return [];
      const reason = `level "${level}" is not in the order of the path ${without[0]}`;
      return [error([...place, 'level'], reason, `lock it at one of ${namesIn(without[1]).join(', ')}`)];
    }),
  ];
}

function ranksOf(ranks: Ranks): ReadonlyMap<string, number> {
  return new Map(ranks.flatMap((rank, index) => [rank].flat().map((level) => [level, index] as const)));
}

function namesIn(ranks: Ranks): readonly string[] {
  return ranks.flat();
}

function twins(ranks: Ranks, path: readonly PropertyKey[]): readonly Fault[] {
  const names = namesIn(ranks);
  const twice = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  return twice.map((name) => error(path, `names level "${name}" twice`, 'remove one of the two'));
}

function unknown(level: string, levels: readonly string[], path: readonly PropertyKey[]): readonly Fault[] {
  if (levels.includes(level)) return [];
  const near = nearest(level, levels);
  const fix = near === undefined ? `use one of ${levels.join(', ')}` : `did you mean ${shown(near)}?`;
  return [error(path, `there is no level "${level}" in spec.levels`, fix)];
}

function parts(text: string): ValuePath {
  return parseValuePath(text) ?? [text];
}
