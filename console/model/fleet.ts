/** The fleet: first the manifests that need a person, then those in progress, then the rest. */
import type { ManifestPage } from '#contracts/api-bodies.ts';
import type { FleetSort, FleetState } from '#contracts/fleet.ts';
import type { WaitingPlan } from '#contracts/waiting-plans.ts';
import { countOf } from './count-of.ts';
import { failureInLines } from './failure-in-lines.ts';

export type Summary = ManifestPage['items'][number];

/** In the order in which a person wants to see them. */
export const stateTitles = {
  attention: 'Needs you',
  running: 'In progress',
  drifted: 'Drifted',
  paused: 'Paused',
  'as-desired': 'As desired',
} as const satisfies Readonly<Record<FleetState, string>>;
export const shownStates = Object.keys(stateTitles) as readonly FleetState[];

/** Whether what exists is what the document asks for: apart from how it fares. */
export type Agreement = 'desired' | 'drifted' | 'changing' | 'unreached';

export interface FleetRow {
  readonly key: string;
  readonly summary: Summary;
  readonly state: FleetState;
  /** What there is to say, in a sentence; empty when all is well. */
  readonly remark: string;
  /** What to do about it. */
  readonly hint: string;
  readonly agreement: Agreement;
  /** That the last check found, of all clusters. */
  readonly differences: number;
  /** Something failed: the run shows where. */
  readonly failed: boolean;
  readonly nodes: number;
  readonly joins: number;
  readonly leaves: number;
  readonly providers: readonly string[];
}

export function fleetRow(summary: Summary): FleetRow {
  const { clusters } = summary;
  const failure = clusters.find((cluster) => cluster.failure !== undefined)?.failure;
  const sum = (of: (cluster: Summary['clusters'][number]) => number): number =>
    clusters.reduce((total, cluster) => total + of(cluster), 0);
  const differences = sum(({ drift = 0 }) => drift);
  return {
    key: `${summary.namespace}/${summary.name}`,
    summary,
    state: summary.state ?? 'as-desired',
    remark: remarkOf(summary),
    hint: failure === undefined ? '' : failureInLines(failure).todo,
    agreement: agreementOf(summary, differences),
    differences,
    failed: failure !== undefined,
    nodes: sum(({ nodes }) => nodes),
    joins: sum(({ now }) => now?.joins ?? 0),
    leaves: sum(({ now }) => now?.leaves ?? 0),
    providers: [...new Set(clusters.flatMap(({ providers = [] }) => providers))].sort(),
  };
}

function agreementOf({ status, clusters }: Summary, differences: number): Agreement {
  if (status === 'Running' || status === 'Deleting' || status === 'Pending') return 'changing';
  if (status !== 'Done' || clusters.some((one) => troubles.includes(one.status))) return 'unreached';
  return differences > 0 ? 'drifted' : 'desired';
}

/** Something went wrong with it: apart from that, a plan of it may wait. */
export const isTroubled = ({ status, clusters }: Pick<Summary, 'status' | 'clusters'>): boolean =>
  status === 'Failed' ||
  status === 'Unreadable' ||
  (status === 'Done' && clusters.some((one) => troubles.includes(one.status)));

export const troubles: readonly string[] = ['NeedsAttention', 'RolledBack', 'Degraded'];

function remarkOf(summary: Summary): string {
  const [plan] = summary.proposed ?? [];
  const waits = plan && waitingText(plan);
  return [stateOf(summary), waits].filter(Boolean).join('; ');
}

export const waitingText = ({ by, summary }: Pick<WaitingPlan, 'by' | 'summary'>): string =>
  `a plan of ${by} waits for an approval: ${summary}`;

function stateOf({ unreadable, clusters, status, paused }: Summary): string {
  if (unreadable !== undefined) return unreadable;
  const working = clusters.find(({ now }) => now !== undefined);
  if (working?.now) {
    const { direction, waypoint, waypoints, stage } = working.now;
    const where = stage === null ? '' : ` · ${stage}`;
    const name = clusters.length > 1 ? `${working.name}: ` : '';
    return `${name}${direction} ${waypoint} of ${waypoints}${where}`;
  }
  const failed = clusters.find(({ failure }) => failure !== undefined);
  if (failed?.failure) {
    const { what, cause } = failureInLines(failed.failure);
    return `${what}: ${cause}`;
  }
  const ending = clusters.find(({ ends }) => ends !== undefined);
  if (ending?.ends !== undefined) return ending.ends;
  const drifted = clusters.filter(({ drift = 0 }) => drift > 0);
  const differences = drifted.reduce((total, { drift = 0 }) => total + drift, 0);
  if (differences > 0) return `${countOf(differences, 'difference')} found by the last check`;
  if (status === 'Pending') return paused ? 'waits until it is resumed' : 'waits for its run to start';
  return '';
}

/** What one chooses of the fleet, as it is in the address of the page; empty: all. */
export interface FleetChoice {
  readonly search: string;
  readonly state: string;
  readonly namespace: string;
  /** A provider instance. */
  readonly provider: string;
  /** Empty: what needs a person first. */
  readonly sort: string;
}

export const everything: FleetChoice = { search: '', state: '', namespace: '', provider: '', sort: '' };

/** By the words of the API; that which needs a person first is the one without a choice. */
export const orders = {
  state: 'what needs you first',
  name: 'by name',
  changed: 'changed last first',
  created: 'newest first',
  nodes: 'largest first',
} as const satisfies Readonly<Record<FleetSort, string>>;

/** So many rows are drawn at first, and more when someone asks for them: more than a person reads. */
export const rowsAtOnce = 100;
/** As many as the API gives in one answer. */
export const mostRows = 1000;

/** The number of rows that an address names: one hundred, or some hundreds more. */
export function rowsOf(text: string | undefined): number {
  const wanted = Math.ceil(Number(text) / rowsAtOnce) * rowsAtOnce;
  return Number.isFinite(wanted) ? Math.min(mostRows, Math.max(rowsAtOnce, wanted)) : rowsAtOnce;
}
