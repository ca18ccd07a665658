/** What clouds sell: once a week a runner asks each cloud that answers that, with credentials of a manifest; a list that can be true is kept. */
import { z } from 'zod';
import type { CatalogueQuestion } from '#contracts/catalogue-question.ts';
import { errorIn, foundIn, questionKeys, questionLimitMs } from '#contracts/job.ts';
import type { ManifestKey } from '#contracts/records.ts';
import { catalogueOf } from '#domain/catalogue/catalogues.ts';
import { judgeKept, type KeptCatalogue, keptCatalogueKey, RefreshedType } from '#domain/catalogue/kept-catalogue.ts';
import { levelOf } from '#domain/event-kinds.ts';
import { parseJson } from '#domain/json.ts';
import { wantedCheck } from '#domain/manifest/provider-check.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import type { Using } from '../../ports.ts';
import { findQuestion, newestQuestion, type QuestionPorts, startQuestion } from '../jobs/questions.ts';
import { readableManifest } from '../records/stored-document.ts';
import { everyHead } from '../records/stored-manifest.ts';

type Ports = QuestionPorts & Using<'events.append' | 'manifests.get' | 'manifests.listHeads'>;

/** A question whose answer was not read yet: whose credentials it was asked with, and where it is. */
const Asked = z.strictObject({ namespace: z.string(), name: z.string(), prefix: z.string(), at: z.string() });

const Refresh = z.strictObject({
  schema: z.literal(1),
  /** When clouds are asked next, ISO 8601. */
  next: z.string(),
  asked: z.partialRecord(RefreshedType, Asked),
});
type Refresh = z.infer<typeof Refresh>;

/** Artifact: what was asked, and when to ask again. */
const storedAt = 'schedule/catalogues.json';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Manifests that are read to find credentials: each costs a request. */
const mostRead = 300;

/** When this process last asked whether it is time: that alone costs a request. */
const looked = new WeakMap<object, number>();

export type CatalogueStep = 'asked' | 'kept' | 'ignored';

/** Returns what was done, by provider type; undefined: it is not time. */
export async function refreshCatalogues(
  deps: Ports,
): Promise<Partial<Record<RefreshedType, CatalogueStep>> | undefined> {
  const now = deps.clock.now();
  const last = looked.get(deps.artifacts);
  if (last !== undefined && now.getTime() - last < hourMs) return undefined;
  looked.set(deps.artifacts, now.getTime());
  const before = Refresh.safeParse(parseJson((await deps.artifacts.getText(storedAt)) ?? '')).data;
  const isDue = before === undefined || now.toISOString() >= before.next;
  const open = Object.entries(before?.asked ?? {}) as [RefreshedType, z.infer<typeof Asked>][];
  if (!isDue && open.length === 0) return undefined;
  const done: Partial<Record<RefreshedType, CatalogueStep>> = {};
  // First, so that what cannot be read or asked is not repeated at each tick.
  const state: Refresh = { schema: 1, next: isDue ? later(now, 7 * dayMs) : before.next, asked: {} };
  await store(deps, state);
  for (const [type, asked] of open) {
    const step = await takeAnswer(deps, type, asked);
    if (step === undefined) state.asked[type] = asked;
    else done[type] = step;
  }
  if (isDue) for (const type of await askClouds(deps, state, now)) done[type] = 'asked';
  await store(deps, state);
  return done;
}

const later = (now: Date, ms: number): string => new Date(now.getTime() + ms).toISOString();

function store({ artifacts }: Using<'artifacts.putText'>, state: Refresh): Promise<void> {
  return artifacts.putText(storedAt, JSON.stringify(state), 'application/json');
}

/** One question for each type that a manifest has credentials of; without any it is looked again a day later. */
async function askClouds(deps: Ports, state: Refresh, now: Date): Promise<readonly RefreshedType[]> {
  const found = await credentialsInUse(deps);
  if (found.size === 0) state.next = later(now, dayMs);
  const started: RefreshedType[] = [];
  for (const [type, { key, question }] of found) {
    if (state.asked[type] !== undefined) continue;
    const folder = questionKeys.catalogues(key.namespace, type);
    const { newest, next } = await newestQuestion(deps, folder, 'catalogue');
    if (newest?.status === 'running') continue;
    state.asked[type] = { ...key, prefix: `${folder}${next}`, at: now.toISOString() };
    // Known before it starts: its answer is found after a crash, and it is not asked twice.
    await store(deps, state);
    await startQuestion(deps, `${folder}${next}`, { kind: 'catalogue', ...question });
    started.push(type);
  }
  return started;
}

interface Credentials {
  readonly key: ManifestKey;
  readonly question: CatalogueQuestion;
}

/** Those of manifests that are done, whose credentials have worked; the first of each type. */
async function credentialsInUse(
  deps: Using<'manifests.get' | 'manifests.listHeads'>,
): Promise<ReadonlyMap<RefreshedType, Credentials>> {
  const found = new Map<RefreshedType, Credentials>();
  let left = mostRead;
  for await (const { namespace, name, status, paused } of everyHead(deps)) {
    if (left === 0 || found.size === RefreshedType.options.length) break;
    if (status !== 'Done' || paused) continue;
    left -= 1;
    const key = { namespace, name };
    // What a newer version stored is reported where someone asks for it.
    const record = await deps.manifests.get(key).catch(() => undefined);
    const manifest = record && readableManifest(record);
    for (const { name: provider, plugin } of manifest?.spec.providers ?? []) {
      // One of another author may have the name of a type of ours.
      if (plugin !== undefined) continue;
      const { type, secret } = (manifest && wantedCheck(manifest, provider)) ?? {};
      const { data: refreshed } = RefreshedType.safeParse(type);
      if (refreshed === undefined || secret === undefined || found.has(refreshed)) continue;
      found.set(refreshed, { key, question: { type: refreshed, secret } });
    }
  }
  return found;
}

/** Undefined: its build has not ended. */
async function takeAnswer(
  deps: Ports,
  type: RefreshedType,
  asked: z.infer<typeof Asked>,
): Promise<CatalogueStep | undefined> {
  const found = await findQuestion(deps, asked.prefix).catch(() => ({ status: 'unread' }) as const);
  const age = deps.clock.now().getTime() - Date.parse(asked.at);
  if (found?.status === 'running' && age < 2 * questionLimitMs.catalogue) return undefined;
  if (found?.status === 'running') await deps.builds.stop(found.buildId);
  const result = found?.status === 'done' ? found.result : undefined;
  const list = foundIn('catalogue', result);
  const ignored =
    list === undefined
      ? (errorIn(result)?.message ?? (found?.status === 'unread' ? 'it has another form' : 'its build left no answer'))
      : await keep(deps, type, list);
  if (ignored === undefined) return 'kept';
  await report(deps, asked, `the list of what ${type} sells is not used: ${ignored}`);
  return 'ignored';
}

/** Returns why it is not kept. */
async function keep(deps: Ports, type: RefreshedType, list: KeptCatalogue): Promise<string | undefined> {
  const shipped = await catalogueOf(type);
  if (shipped === undefined) return 'its type has no list';
  const judged = judgeKept(list, shipped, deps.clock.now());
  if ('ignored' in judged) return judged.ignored;
  await deps.artifacts.putText(keptCatalogueKey(type), JSON.stringify(list), 'application/json');
  return undefined;
}

async function report(deps: Using<'events.append' | 'clock'>, key: ManifestKey, text: string): Promise<void> {
  const kind = 'CatalogueIgnored';
  const event = {
    at: deps.clock.now().toISOString(),
    runId: '',
    level: levelOf({ kind }),
    kind,
    message: printableText(text, 1000),
  } as const;
  await deps.events.append({ namespace: key.namespace, name: key.name }, [event]);
}
