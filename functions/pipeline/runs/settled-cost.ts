/** What the machines of clusters cost when their run ends. Loaded on demand: drift checks, the most frequent runs, do not need prices. */
import type { ClusterRecord } from '#contracts/records.ts';
import { costWhen, sumOfAccepted } from '#domain/prices/accepted-cost.ts';
import type { AcceptedCost } from '#domain/prices/money.ts';
import { costOfMonth } from '#domain/prices/sum-costs.ts';
import type { SettledCluster } from './run-summary.ts';

/** As it is. */
export function costOfCluster({ cluster, current }: ClusterRecord): AcceptedCost {
  return costWhen('before', costOfMonth([{ cluster, before: current, after: current }]));
}

/** The sum for those whose cost was asked for. */
export function costOfSettled(clusters: readonly Pick<SettledCluster, 'cost'>[]): AcceptedCost {
  return sumOfAccepted(clusters.flatMap(({ cost }) => cost ?? []));
}
