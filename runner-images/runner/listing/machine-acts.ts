/** Machines of clouds by their ids: each is read again, then stopped or deleted. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ProviderInstance } from '#domain/cluster-state.ts';
import type { StrayAction } from '#domain/drift.ts';
import { providerTypeFacts } from '#domain/provider-types.ts';
import { askCloud, type CloudAnswer } from '../provider-check/ask.ts';
import { stageCancelled } from '../stage-failure.ts';
import { type DeniedBy, type ListedThing, type ListInput, refusalOf } from './listing.ts';

export type MachineAt = Pick<ListedThing, 'id' | 'place'>;

export interface MachineNow {
  /** It has the tag of the cluster. */
  readonly isOurs: boolean;
  /** `going`: it is being deleted. */
  readonly power: 'on' | 'off' | 'going';
}

/** One request each. Throw `NotListed` or `CheckRefused`; acts also `NotDone`. */
interface MachinesOfType {
  /** Undefined when it does not exist. */
  look(machine: MachineAt): Promise<MachineNow | undefined>;
  stop(machine: MachineAt): Promise<void>;
  /** For a machine that did not end when `stop` asked it to. @default `stop` switches it off */
  switchOff?(machine: MachineAt): Promise<void>;
  remove(machine: MachineAt): Promise<void>;
}
export type MachinesIn = (input: ListInput) => Promise<MachinesOfType>;

/** Machines that modules of a user's own made may have other tags: their folder may have hooks. */
export function canAct({ type, templates }: Pick<ProviderInstance, 'type' | 'templates'>): boolean {
  return templates.startsWith('builtin@') && providerTypeFacts(type)?.strays === 'delete';
}

/** Why a machine was not stopped or deleted: a permission is missing, the cloud keeps it (a protection, a lock), or what may pass. */
export class NotDone extends Error {
  readonly reason: 'denied' | 'kept' | 'passing';

  constructor(what: string, why: string, reason: NotDone['reason']) {
    super(`${what}: ${why}`);
    this.name = 'NotDone';
    this.reason = reason;
  }
}

export interface RefusedBy {
  readonly denies: DeniedBy;
  /** Why the cloud keeps the machine; undefined for all other refusals. */
  readonly keeps: (answer: CloudAnswer) => string | undefined;
}

/** Throws `NotDone` for a refusal. A machine that no longer exists is not a refusal. */
export function mustBeDone(what: string, answer: CloudAnswer, { denies, keeps }: RefusedBy): void {
  if (answer.status < 300 || answer.status === 404) return;
  const { why, isDenied } = refusalOf(answer, denies);
  const kept = keeps(answer);
  throw new NotDone(what, kept ?? why, kept !== undefined ? 'kept' : isDenied ? 'denied' : 'passing');
}

/** Sends one request that acts on a machine, and throws `NotDone` for a refusal. */
export const actingOf =
  (refused: RefusedBy, ask = askCloud) =>
  async (what: string, ...request: Parameters<typeof askCloud>): Promise<void> =>
    mustBeDone(what, await ask(...request), refused);

/** Those that exist, have the tag and are not being deleted, and whether they are off. */
export async function readMachines<Machine extends MachineAt>(
  type: string,
  input: ListInput,
  machines: readonly Machine[],
): Promise<readonly (Machine & { readonly stopped: boolean })[]> {
  if (machines.length === 0) return [];
  const { look } = await machinesIn(type, input);
  const found: (Machine & { readonly stopped: boolean })[] = [];
  for (const machine of machines) {
    const now = await look(machine);
    if (now?.isOurs && now.power !== 'going') found.push({ ...machine, stopped: now.power === 'off' });
  }
  return found;
}

export interface MachineWork {
  readonly action: StrayAction;
  readonly machines: readonly MachineAt[];
  readonly signal: AbortSignal;
  /** Between two looks. @default 5000 */
  readonly pauseMs?: number;
}

/** Looks for as long as a cloud takes at most: ten minutes with the usual pause. */
const mostLooks = 120;
/** A machine that was asked to end has two minutes with the usual pause. */
const looksBeforeSwitchOff = 24;

/** Stops or deletes them one after the other and waits until each is. Returns the ids of those that it acted on. */
export async function actOnMachines(type: string, input: ListInput, work: MachineWork): Promise<readonly string[]> {
  const cloud = await machinesIn(type, input);
  const done: string[] = [];
  for (const machine of work.machines) {
    // Nothing that lost its tag meanwhile, and nothing twice.
    const now = await cloud.look(machine);
    if (!now?.isOurs || isDone(now, work.action)) continue;
    await (work.action === 'delete' ? cloud.remove(machine) : cloud.stop(machine));
    await untilDone(cloud, machine, work);
    done.push(machine.id);
  }
  return done;
}

async function untilDone(
  cloud: MachinesOfType,
  machine: MachineAt,
  { action, signal, pauseMs = 5000 }: MachineWork,
): Promise<void> {
  for (let looks = 0; looks < mostLooks; looks += 1) {
    if (isDone(await cloud.look(machine), action)) return;
    if (looks === looksBeforeSwitchOff && action === 'quarantine') await cloud.switchOff?.(machine);
    await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw stageCancelled(signal);
  }
  throw new NotDone(machine.id, `it was not ${action === 'delete' ? 'deleted' : 'off'} within some minutes`, 'passing');
}

function isDone(now: MachineNow | undefined, action: StrayAction): boolean {
  return now === undefined || now.power === 'going' || (action === 'quarantine' && now.power === 'off');
}

async function machinesIn(type: string, input: ListInput): Promise<MachinesOfType> {
  // Only that of the type is loaded.
  const { machines }: { readonly machines: MachinesIn } = await import(`./machines/${type}.ts`);
  return machines(input);
}
