/** The outcome of a drift check: the record of it, whether something is repaired, and the event for people. */
import {
  type CheckPolicy,
  type ClusterDrift,
  type DriftItem,
  type DriftReport,
  driftKey,
  type StrayAction,
} from './drift.ts';
import type { Reported } from './event-kinds.ts';
import { counted } from './words.ts';

export interface DriftQuestion {
  readonly before: ClusterDrift | undefined;
  /** Instead of a report: a sentence that says why the check has no result. */
  readonly found: DriftReport | string;
  /** Undefined: this check only verifies whether a repair has helped. */
  readonly policy: CheckPolicy | undefined;
  /** What is done with strays without a person. @default report */
  readonly strays?: 'report' | StrayAction;
  /** What is done without a person about certificates that are due. @default report */
  readonly onExpiry?: 'renew' | 'report';
  /** Names of control nodes: certificates are renewed while nothing else is wrong with them. */
  readonly controls?: ReadonlySet<string>;
  /** Nodes that healing decides about: an automatic repair leaves their machines alone. @default none */
  readonly held?: ReadonlySet<string>;
  /** A change is in progress, which only machines that are gone do not wait for. @default false */
  readonly goneOnly?: boolean;
  readonly runId: string;
  readonly now: string;
}

/** The record, and its event without the message. */
export type DriftNews = WithDrift<
  Reported<'DriftChecked' | 'DriftFound' | 'DriftRepaired' | 'RepairDidNotHelp' | 'DriftCheckFailed'>
>;
type WithDrift<News> = News extends unknown ? Omit<News, 'message'> & { readonly drift: ClusterDrift } : never;

/** The numbers of one check that alarms watch. */
export interface DriftMeasures {
  /** Things that differ and that nothing is about to repair. */
  readonly driftLeft: number;
  /** Incomplete checks in a row. */
  readonly incompleteChecks: number;
}

export function measureDrift({ items, repair, incomplete = 0 }: ClusterDrift): DriftMeasures {
  const repaired = repair?.state === 'requested' ? repair.items.length : 0;
  return { driftLeft: Math.max(0, items.length - repaired), incompleteChecks: incomplete };
}

/** One repair for each check, and none for drift that a repair did not remove: never a loop. */
export function assessDrift(question: DriftQuestion): DriftNews {
  const { before, found } = question;
  if (typeof found === 'string') return notLooked(question, found);
  return before?.repair?.state === 'made' ? afterRepair(question, found) : afterCheck(question, found);
}

/** "3 things differ from what was created" */
export function differText(count: number): string {
  return count === 0
    ? 'nothing differs from what was created'
    : `${counted(count, 'thing')} ${count === 1 ? 'differs' : 'differ'} from what was created`;
}

/** Parts that were not checked are not reported as free of drift. */
function differences({ items, unchecked }: DriftReport): string {
  const text = differText(items.length);
  return unchecked.length > 0 ? `of what could be checked, ${text}` : text;
}

/** This many incomplete checks in a row are not a temporary fault. */
export const tooManyIncomplete = 3;

/** Counted by incomplete checks, and reported as an error once it is not a temporary fault. */
function incompleteness(before: ClusterDrift | undefined) {
  const incomplete = (before?.incomplete ?? 0) + 1;
  const reported = incomplete >= tooManyIncomplete;
  const words = reported ? `; ${incomplete} checks in a row were incomplete, a person should find out why` : '';
  return { incomplete, words, level: reported ? ('error' as const) : ('warning' as const) };
}

function notLooked({ before, runId, now }: DriftQuestion, why: string): DriftNews {
  const { repair } = before ?? {};
  const made = repair?.state === 'made';
  const { incomplete, words, level } = incompleteness(before);
  const outcome = made
    ? 'a repair was done, but whether it helped could not be checked; the next check shows it'
    : `the check failed and is repeated at its next time${before ? '; the listed drift was found before' : ''}`;
  const drift: ClusterDrift = {
    ...(before ?? { checkedAt: now, items: [] }),
    runId,
    unchecked: [why.slice(0, 500)],
    incomplete,
    outcome: `${outcome}${words}`,
    ...(repair && made && { repair: { ...repair, state: 'unverified' } }),
  };
  return { drift, kind: 'DriftCheckFailed', level };
}

function afterCheck(
  { before, policy, runId, now, held, controls, goneOnly, onExpiry = 'report', strays = 'report' }: DriftQuestion,
  report: DriftReport,
): DriftNews {
  const { items, unchecked } = report;
  const useless = stillUseless(before, report);
  const tried = new Set(policy === 'repairAll' ? [] : useless);
  const action = policy === 'repairAll' ? 'delete' : strays;
  const able = items.filter(({ kind, repairable, hold }) =>
    kind === 'stray' && action === 'quarantine' ? hold === 'possible' : repairable,
  );
  const isHeld = ({ kind, where }: DriftItem) =>
    (kind === 'machine' || kind === 'node') && where.node !== undefined && held?.has(where.node) === true;
  const free = able.filter((item) => !tried.has(driftKey(item)) && !isHeld(item) && (!goneOnly || item.gone));
  const renews = policy !== undefined && onExpiry === 'renew';
  const shaky = items.some((item) => isWeakness(item, controls));
  const isWanted = ({ kind, urgent }: DriftItem) => {
    if (policy === 'repairAll') return true;
    if (kind === 'stray') return action !== 'report' && policy !== undefined;
    return kind === 'expiry' ? renews && (urgent === true || !shaky) : policy === 'repair';
  };
  const wanted = policy === 'reportAll' ? [] : free.filter(isWanted);
  const done = action !== 'report' && wanted.some(({ kind }) => kind === 'stray') ? action : undefined;
  const missing = unchecked.length > 0 ? incompleteness(before) : undefined;
  const drift: ClusterDrift = {
    checkedAt: now,
    runId,
    items,
    unchecked,
    ...ends(before, report),
    ...(missing && { incomplete: missing.incomplete }),
    ...(wanted.length > 0
      ? { repair: { state: 'requested', runId, at: now, items: wanted, ...(done && { strays: done }) } }
      : before?.repair && { repair: before.repair }),
    ...(useless.length > 0 && { useless: [...useless] }),
    outcome: `${differences(report)}${whatFollows({ items, wanted, action }, useless.length, policy)}${healed(items.filter(isHeld).length)}${noted(report)}${missing?.words ?? ''}`,
  };
  if (items.length > 0) return { drift, kind: 'DriftFound', level: missing?.level ?? 'warning' };
  return { drift, kind: 'DriftChecked', level: missing?.level ?? 'info' };
}

/** A control plane that lacks a node would not answer while another one restarts. */
function isWeakness({ kind, where }: DriftItem, controls: ReadonlySet<string> = new Set()): boolean {
  if (!['machine', 'mesh', 'node'].includes(kind)) return false;
  return where.node === undefined ? kind === 'node' : controls.has(where.node);
}

function whatFollows(
  {
    items,
    wanted: asked,
    action,
  }: {
    readonly items: readonly DriftItem[];
    readonly wanted: readonly DriftItem[];
    readonly action: 'report' | StrayAction;
  },
  useless: number,
  policy: CheckPolicy | undefined,
): string {
  if (items.length === 0) return '';
  const not =
    useless > 0
      ? `; ${counted(useless, 'thing')} ${useless === 1 ? 'was' : 'were'} repaired before, which did not help`
      : '';
  const held = asked.filter(({ kind }) => action === 'quarantine' && kind === 'stray');
  const wanted = asked.filter((item) => !held.includes(item));
  const quarantine =
    held.length > 0
      ? `; ${counted(held.length, 'stray')} ${held.length === 1 ? 'is' : 'are'} put in quarantine now`
      : '';
  if (held.length > 0 && wanted.length === 0) return `${quarantine}${not}`;
  if (wanted.length > 0) {
    const what = wanted.length === items.length ? 'all of it' : counted(wanted.length, 'thing');
    return `; ${what} ${wanted.length === items.length || wanted.length === 1 ? 'is' : 'are'} repaired now${quarantine}${not}`;
  }
  if (!items.some(({ repairable }) => repairable)) return '; a person has to fix it';
  if (policy === 'report' || policy === 'reportAll')
    return '; nothing is changed, as the manifest says to report only (`kubeloom drift NAME --repair` repairs it)';
  return not;
}

/** What is done about these nodes, events of their own say. */
function healed(count: number): string {
  return count === 0
    ? ''
    : `; healing decides whether ${counted(count, 'node')} ${count === 1 ? 'is' : 'are'} replaced`;
}

function noted({ notes = [] }: DriftReport): string {
  return notes.map((note) => `; ${note}`).join('');
}

function afterRepair({ before, runId, now }: DriftQuestion, report: DriftReport): DriftNews {
  const { items, unchecked } = report;
  const repaired = before?.repair?.items ?? [];
  const quarantined = before?.repair?.strays === 'quarantine';
  const isHeld = (item: DriftItem): boolean => quarantined && item.hold === 'held';
  const there = new Set(items.filter((item) => !isHeld(item)).map(driftKey));
  const left = repaired.filter((item) => there.has(driftKey(item)));
  const held = quarantined ? repaired.filter(({ kind }) => kind === 'stray').length : 0;
  const helped = left.length === 0;
  const state = !helped ? 'useless' : unchecked.length > 0 ? 'unverified' : 'helped';
  const useless = [...new Set([...stillUseless(before, report), ...left.map(driftKey)])];
  const first = left[0];
  const outcome = helped
    ? `${[
        ...(repaired.length > held ? [`${counted(repaired.length - held, 'thing')} repaired`] : []),
        ...(held > 0 ? [`${counted(held, 'stray')} in quarantine`] : []),
      ].join(', ')}; ${differences(report)} now${noted(report)}`
    : `the repair did not help: ${counted(left.length, 'thing')} still ${left.length === 1 ? 'differs' : 'differ'} (${first?.message ?? ''}); it is not repaired again automatically`;
  const drift: ClusterDrift = {
    checkedAt: now,
    runId,
    items,
    unchecked,
    ...ends(before, report),
    outcome,
    // Both passes of one check count once.
    ...(unchecked.length > 0 && { incomplete: Math.max(1, before?.incomplete ?? 0) }),
    ...(before?.repair && { repair: { ...before.repair, state } }),
    ...(useless.length > 0 && { useless }),
  };
  return helped ? { drift, kind: 'DriftRepaired' } : { drift, kind: 'RepairDidNotHelp' };
}

/** A check that saw no certificate keeps what an earlier one saw. */
function ends(before: ClusterDrift | undefined, { expiries }: DriftReport): Pick<ClusterDrift, 'expiries'> {
  const known = expiries ?? before?.expiries;
  return known === undefined ? {} : { expiries: known };
}

/** Drift that is no longer found may be repaired again if it returns; drift that was not checked may still exist. */
function stillUseless(before: ClusterDrift | undefined, { items, unchecked }: DriftReport): readonly string[] {
  if (unchecked.length > 0) return before?.useless ?? [];
  const there = new Set(items.map(driftKey));
  return (before?.useless ?? []).filter((key) => there.has(key));
}
