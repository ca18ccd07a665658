/** What waits for a person, which no check of a manifest finds: proposed plans, halted roll-outs, clusters behind their inventory. */
import { changesOf } from '#contracts/change-events.ts';
import type { NewEvent } from '#contracts/records.ts';
import { inventoryPlanName } from '#contracts/waiting-plans.ts';
import { isPipelineError } from '#domain/errors.ts';
import { type KindOf, levelOf } from '#domain/event-kinds.ts';
import { indexInventory } from '#domain/inventory/inventory-index.ts';
import { parseJson } from '#domain/json.ts';
import { printableText } from '#domain/observed/printable-text.ts';
import { isLookDue, Reminders, remind, type WaitingKind } from '#domain/reminders.ts';
import { counted } from '#domain/words.ts';
import type { Using } from '../../ports.ts';
import { inventoryClusterState } from '../inventory/inventory-cluster-state.ts';
import { storedInventory } from '../inventory/stored-inventory.ts';
import { fittingPlans } from '../proposals/fitting-plans.ts';
import { everyHead } from '../records/stored-manifest.ts';

type Ports = Using<
  | 'artifacts.getText'
  | 'artifacts.putText'
  | 'clock'
  | 'events.append'
  | 'inventory.list'
  | 'manifests.get'
  | 'manifests.head'
  | 'manifests.listHeads'
  | 'rollOuts.halted'
  | 'waitingPlans.list'
>;

interface Waits {
  /** Absent: not known. */
  readonly since?: string;
  readonly about: { readonly namespace: string; readonly name: string };
  readonly kind: Extract<KindOf<'manifest'>, 'PlanWaits' | 'BehindInventory'> | 'RollOutWaits';
  readonly message: string;
}

/** Artifact: what waits since when, and when it was last reported. */
const storedAt = 'schedule/reminders.json';

/** When this process last asked whether it is time: that alone costs a request. */
const asked = new WeakMap<object, number>();
const hourMs = 3_600_000;
/** More than people work on. */
const mostHalted = 200;

/** Once a day, whatever it finds. Returns how many were reported; undefined: it is not time. */
export async function remindOfWaiting(deps: Ports): Promise<number | undefined> {
  const now = deps.clock.now();
  const last = asked.get(deps.artifacts);
  if (last !== undefined && now.getTime() - last < hourMs) return undefined;
  asked.set(deps.artifacts, now.getTime());
  const before = await storedReminders(deps);
  if (!isLookDue(before, now)) return undefined;
  // First, so that what cannot be read is not read again at each tick.
  await store(deps, { schema: 1, waiting: {}, ...before, at: now.toISOString() });
  const waits = new Map<string, Waits>([...(await plans(deps)), ...(await rollOuts(deps)), ...(await behind(deps))]);
  const { due, next } = remind(before, new Map([...waits].map(([key, { since }]) => [key, since])), now);
  for (const key of due) {
    const one = waits.get(key);
    if (one) await report(deps, one, now);
  }
  await store(deps, next);
  return due.length;
}

/** Undefined: no look was made yet. */
export async function storedReminders({ artifacts }: Using<'artifacts.getText'>): Promise<Reminders | undefined> {
  return Reminders.safeParse(parseJson((await artifacts.getText(storedAt)) ?? '')).data;
}

function store({ artifacts }: Using<'artifacts.putText'>, reminders: Reminders): Promise<void> {
  return artifacts.putText(storedAt, JSON.stringify(reminders), 'application/json');
}

async function report(deps: Using<'events.append'>, { about, kind, message }: Waits, now: Date): Promise<void> {
  const event: NewEvent = { at: now.toISOString(), runId: '', level: levelOf({ kind }), kind, message };
  await deps.events.append(about, [event]);
}

type Found = readonly (readonly [`${WaitingKind}/${string}`, Waits])[];

async function plans(deps: Using<'waitingPlans.list' | 'manifests.head' | 'inventory.list'>): Promise<Found> {
  return (await fittingPlans(deps, await deps.waitingPlans.list())).map(({ namespace, name, id, at, by, summary }) => {
    const about = name === inventoryPlanName ? changesOf(namespace) : { namespace, name };
    const text = `plan ${id} of ${by} waits for a decision since ${at.slice(0, 10)}: ${summary}; \`kubeloom approve\`, \`reject\` or \`withdraw\` decides`;
    return [
      `plan/${namespace}/${name}/${id}`,
      { since: at, about, kind: 'PlanWaits', message: printableText(text, 1000) },
    ];
  });
}

async function rollOuts({ rollOuts }: Using<'rollOuts.halted'>): Promise<Found> {
  return (await rollOuts.halted(mostHalted)).map(({ namespace, id, updatedAt, halted = '' }) => {
    const text = `roll-out ${id}: it is halted since ${updatedAt.slice(0, 10)} (${halted}) and waits for a person: resume, undo or cancel it`;
    return [
      `rollOut/${namespace}/${id}`,
      { since: updatedAt, about: changesOf(namespace), kind: 'RollOutWaits', message: printableText(text, 1000) },
    ];
  });
}

type InventoryPorts = Using<'inventory.list' | 'manifests.get'>;

/** Clusters that have no manifest yet are not behind, and neither are those of namespaces without one. */
async function behind(deps: InventoryPorts & Using<'manifests.listHeads'>): Promise<Found> {
  const namespaces = new Set<string>();
  for await (const { namespace } of everyHead(deps)) namespaces.add(namespace);
  const found: Found[] = [];
  for (const namespace of namespaces)
    found.push(
      await behindIn(deps, namespace).catch((fault: unknown) => {
        // What a newer version stored is reported where someone asks for it.
        if (isPipelineError(fault, 'Unreadable')) return [];
        throw fault;
      }),
    );
  return found.flat();
}

async function behindIn(deps: InventoryPorts, namespace: string): Promise<Found> {
  const index = indexInventory(await storedInventory(deps, namespace));
  const found: Found[number][] = [];
  for (const cluster of index.clusters) {
    const { name } = cluster.document.metadata;
    const { state, changes } = inventoryClusterState(cluster, index, await deps.manifests.get({ namespace, name }));
    if (state !== 'behind') continue;
    const message = `its inventory asks for something else than what was applied (${counted(changes.length, 'change')}): \`kubeloom inventory plan\` shows it, \`kubeloom inventory apply\` applies it`;
    found.push([`behind/${namespace}/${name}`, { about: { namespace, name }, kind: 'BehindInventory', message }]);
  }
  return found;
}
