/** Merges the values of layers: maps merge, the later level wins leaf by leaf, and each leaf knows where it comes from. */
import { isMap } from '../json.ts';
import { type InventoryFault, type InventoryPlace, inventoryFault, inventoryPlaceText } from './inventory-fault.ts';
import { itemsByName } from './items-by-name.ts';
import type { OrderOfLevels } from './order-of-levels.ts';
import { type ValuePath, valuePathText } from './value-path.ts';

/** A document that sets values. */
interface ValueSource extends InventoryPlace {
  readonly level: string;
  readonly generation: number;
  readonly by: string;
}

export interface LayerValues {
  readonly source: ValueSource;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Where a value comes from. */
export interface ValueOrigin extends ValueSource {
  /** What lower levels had set there, the highest first; null: it was removed. */
  readonly overrode: readonly (ValueSource & { readonly value: unknown })[];
}

export interface MergedValues {
  readonly values: Readonly<Record<string, unknown>>;
  /** By the path of each leaf, as `valuePathText` writes it; a list that is not merged by name is a leaf. */
  readonly origin: ReadonlyMap<string, ValueOrigin>;
  /** What a level removed with `null`, and what that removed. */
  readonly removed: ReadonlyMap<string, ValueOrigin>;
  readonly faults: readonly InventoryFault[];
}

/** The order of the layers in the list is of no consequence. Never throws. */
export function mergeLayers(layers: readonly LayerValues[], order: OrderOfLevels): MergedValues {
  const merger = new Merger(order);
  const merged = merger.merge(
    [],
    layers.map(({ source, values }) => ({ source, value: values, kind: 'map' })),
  );
  const values = isMap(merged) ? merged : {};
  return { values, origin: merger.origin, removed: merger.removed, faults: merger.faults };
}

/** What one layer says about a path; `above`: it says it about a path above, which removes what lower levels have here. */
interface Entry {
  readonly source: ValueSource;
  readonly value: unknown;
  readonly kind: 'map' | 'items' | 'leaf' | 'above';
}
interface Ranked extends Entry {
  readonly rank: number;
}
/** Nothing is there. */
const absent = Symbol('absent');

class Merger {
  readonly origin = new Map<string, ValueOrigin>();
  readonly removed = new Map<string, ValueOrigin>();
  readonly faults: InventoryFault[] = [];
  readonly #order: OrderOfLevels;

  constructor(order: OrderOfLevels) {
    this.#order = order;
  }

  merge(path: ValuePath, entries: readonly Entry[]): unknown {
    const maps = entries.filter(({ kind }) => kind === 'map' || kind === 'items');
    const ranked = this.#ranked(path, entries, maps.length < entries.length);
    if (ranked === undefined) return absent;
    return maps.length === 0 ? this.#leaf(path, ranked) : this.#map(path, ranked);
  }

  /** Lowest rank first; undefined when two of one rank contradict each other. */
  #ranked(path: ValuePath, entries: readonly Entry[], judged: boolean): readonly Ranked[] | undefined {
    const ranked: Ranked[] = [];
    for (const entry of entries) {
      const rank = this.#order.rankAt(path, entry.source.level);
      // Whether a level may set the leaves of a map is asked at each leaf.
      if (typeof rank === 'number') ranked.push({ ...entry, rank });
      else if (isBranch(entry) && isFilled(entry.value)) ranked.push({ ...entry, rank: -1 });
      else this.#refuse(entry, path, rank);
    }
    ranked.sort((one, other) => one.rank - other.rank || compare(one.source, other.source));
    if (!judged) return ranked;
    const clash = ranked.find((entry, index) => {
      const before = ranked[index - 1];
      return before !== undefined && before.rank === entry.rank && !agree(before, entry);
    });
    if (clash === undefined) return ranked;
    const others = ranked.filter((entry) => entry.rank === clash.rank && entry !== clash);
    const names = others.map(({ source }) => inventoryPlaceText(source)).join(' and ');
    const reason = `${valuePathText(path)} is also set by ${names}, which has the same rank`;
    this.#fault(clash.source, path, reason, 'set it in one of them, or put their levels in an order');
    return undefined;
  }

  #leaf(path: ValuePath, ranked: readonly Ranked[]): unknown {
    const explicit = ranked.filter(({ kind }) => kind === 'leaf');
    const winner = ranked.at(-1);
    if (winner === undefined || explicit.length === 0) return absent;
    const lower = explicit.filter((entry) => entry !== winner).reverse();
    const origin = originOf(winner, lower);
    if (winner.kind === 'above' || winner.value === null) {
      if (lower.length > 0) this.removed.set(valuePathText(path), origin);
      return absent;
    }
    if (Array.isArray(winner.value)) {
      const rule = this.#order.ruleBelow(path);
      if (rule !== undefined) {
        const reason = `${valuePathText(path)} is a list that is replaced as a whole, but the order has a rule for ${rule} in it`;
        this.#fault(winner.source, path, reason, 'add the list to spec.byName of the InventoryOrder');
      }
    }
    this.origin.set(valuePathText(path), origin);
    return winner.value;
  }

  #map(path: ValuePath, ranked: readonly Ranked[]): unknown {
    const branches = ranked.filter(isBranch);
    const cuts = ranked.filter((entry) => !isBranch(entry));
    const cut = cuts.at(-1);
    const isList = branches.some(({ kind }) => kind === 'items');
    const fields = this.#fields(path, ranked, isList);
    const top = branches.at(-1);
    const isBranchOnTop = cut === undefined || (top !== undefined && top.rank > cut.rank);
    if (isBranchOnTop || fields.length > 0) {
      if (!isBranchOnTop && cut.kind === 'leaf' && cut.value !== null) {
        const reason = `${valuePathText(path)} is a value here, but another level sets ${fields[0]?.[0]} in it`;
        this.#fault(cut.source, path, reason, 'write a map, or change spec.paths of the InventoryOrder');
        return absent;
      }
      // An empty map is a leaf, too: someone set it.
      if (fields.length === 0 && top && path.length > 0) this.origin.set(valuePathText(path), originOf(top, []));
      return isList ? fields.map(([name, value]) => ({ name, ...asMap(value) })) : Object.fromEntries(fields);
    }
    const lower = [...branches, ...cuts.filter((entry) => entry !== cut && entry.kind === 'leaf')].reverse();
    const origin = originOf(cut, lower);
    if (cut.kind === 'above') return absent;
    if (cut.value === null) {
      this.removed.set(valuePathText(path), origin);
      return absent;
    }
    this.origin.set(valuePathText(path), origin);
    return cut.value;
  }

  #fields(path: ValuePath, ranked: readonly Ranked[], isList: boolean): (readonly [string, unknown])[] {
    const keys = new Map<string, Entry[]>();
    for (const entry of ranked.filter(isBranch)) {
      const children = entry.kind === 'items' ? this.#items(path, entry) : Object.entries(asMap(entry.value));
      for (const [key, value] of children) {
        const found = keys.get(key) ?? [];
        keys.set(key, found);
        found.push(this.#entryAt([...path, key], entry.source, value));
      }
    }
    const cuts = ranked.filter((entry) => !isBranch(entry)).map((entry) => ({ ...entry, kind: 'above' as const }));
    return [...keys].flatMap(([key, entries]) => {
      const value = this.merge([...path, key], [...entries, ...cuts]);
      if (value === absent) return [];
      const giver = isList ? entries.findLast(isBranch) : undefined;
      if (giver) this.origin.set(valuePathText([...path, key, 'name']), originOf(giver, []));
      return [[key, value] as const];
    });
  }

  #entryAt(path: ValuePath, source: ValueSource, value: unknown): Entry {
    if (value === removesItem) return { source, value: null, kind: 'leaf' };
    const isByName = this.#order.isByName(path);
    if (isByName && Array.isArray(value)) return { source, value, kind: 'items' };
    if (isByName && value !== null) {
      this.#fault(
        source,
        path,
        `${valuePathText(path)} is not a list, but its items are merged by name`,
        'write a list',
      );
    }
    return { source, value, kind: isMap(value) ? 'map' : 'leaf' };
  }

  #items(path: ValuePath, { source, value }: Entry): readonly (readonly [string, unknown])[] {
    const { items, faults } = itemsByName(Array.isArray(value) ? value : []);
    for (const { index, reason, fix } of faults) this.#fault(source, path, reason, fix, [index]);
    return items.map(
      ({ name, item: { name: _, ...fields }, removes }) => [name, removes ? removesItem : fields] as const,
    );
  }

  #refuse({ source, kind }: Entry, path: ValuePath, because: string): void {
    const verb = kind === 'above' ? 'removes' : 'sets';
    const reason = `level ${source.level} ${verb} ${valuePathText(path)}, but ${because}`;
    this.#fault(source, path, reason, 'remove it here, or change the InventoryOrder');
  }

  #fault(source: ValueSource, path: ValuePath, reason: string, fix: string, inside: readonly number[] = []): void {
    this.faults.push(inventoryFault(source, ['spec', 'values', ...path, ...inside], reason, fix));
  }
}

/** List items only: the item is removed. */
const removesItem = Symbol('removed');

function originOf({ source }: Entry, lower: readonly Entry[]): ValueOrigin {
  const { kind, name, level, generation, by } = source;
  return {
    kind,
    name,
    level,
    generation,
    by,
    overrode: lower.map((entry) => ({ ...entry.source, value: entry.value })),
  };
}

function isBranch({ kind }: Entry): boolean {
  return kind === 'map' || kind === 'items';
}

/** Two maps are merged, and two that both remove what is here want the same. */
function agree(one: Entry, other: Entry): boolean {
  return (isBranch(one) && isBranch(other)) || (one.kind === 'above' && other.kind === 'above');
}

function isFilled(value: unknown): boolean {
  return Object.keys(asMap(value)).length > 0;
}

function asMap(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

function compare(one: InventoryPlace, other: InventoryPlace): number {
  const [a, b] = [`${one.kind} ${one.name}`, `${other.kind} ${other.name}`];
  return a < b ? -1 : a > b ? 1 : 0;
}
