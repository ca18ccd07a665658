/** Lists of what clouds sell that this installation read itself, where they are newer than those that come with Kubeloom. */
import type { Catalogue } from '#domain/catalogue/catalogue.ts';
import { judgeKept, keptCatalogueKey, RefreshedType } from '#domain/catalogue/kept-catalogue.ts';
import { parseJson } from '#domain/json.ts';
import type { Using } from '../../ports.ts';

type Ports = Using<'artifacts.getText' | 'clock'>;

interface KnownList {
  /** When it was read from the store, in milliseconds. */
  readonly at: number;
  readonly list: Promise<Catalogue | undefined>;
}

/** What this process read: each reading costs a request, and a list is a week old at most days. */
const read = new WeakMap<object, Map<RefreshedType, KnownList>>();
const hourMs = 3_600_000;

/** Undefined: the one that comes with Kubeloom is used. Never throws: a list is no reason to refuse a document. */
export async function newerCatalogue(deps: Ports, type: string, shipped: Catalogue): Promise<Catalogue | undefined> {
  const { data: refreshed } = RefreshedType.safeParse(type);
  if (refreshed === undefined) return undefined;
  const known = read.get(deps.artifacts) ?? new Map<RefreshedType, KnownList>();
  read.set(deps.artifacts, known);
  const now = deps.clock.now();
  const before = known.get(refreshed);
  if (before !== undefined && now.getTime() - before.at < hourMs) return before.list;
  const list = keptCatalogue(deps, refreshed, { shipped, now }).catch(() => undefined);
  known.set(refreshed, { at: now.getTime(), list });
  return list;
}

async function keptCatalogue(
  { artifacts }: Using<'artifacts.getText'>,
  type: RefreshedType,
  { shipped, now }: { readonly shipped: Catalogue; readonly now: Date },
): Promise<Catalogue | undefined> {
  const text = await artifacts.getText(keptCatalogueKey(type));
  if (text === undefined) return undefined;
  const judged = judgeKept(parseJson(text), shipped, now);
  return 'catalogue' in judged ? judged.catalogue : undefined;
}
