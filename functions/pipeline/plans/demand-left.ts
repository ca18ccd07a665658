/** What is left of a demand, by the manifest and the planner. Apart from the records: a roll back seldom needs it, and it is large. */
import type { ClusterRecord, DemandRecord, ManifestRecord } from '#contracts/records.ts';
import type { ClusterRun } from '#contracts/state-inputs.ts';
import { demandTexts, openDemand } from '#domain/demand.ts';
import type { Using } from '../../ports.ts';
import { clusterEvent, keyOf } from '../records/cluster-records.ts';
import { changeDemand } from '../records/demand-records.ts';
import { manifestOf } from '../records/stored-document.ts';
import { boundsOf, needsWork } from './cluster-plans.ts';
import { planningOf } from './planning.ts';

/** The part of the demand that is still open; fulfilled parts are removed and reported. Undefined when nothing is open. */
export async function demandLeft(
  deps: Using<'demands.get' | 'demands.put' | 'events.append'>,
  { run, manifest, record, now }: DemandQuestion,
): Promise<DemandRecord | undefined> {
  const of = { key: keyOf(run), cluster: run.cluster };
  const stored = await deps.demands.get(of.key, of.cluster);
  if (stored === undefined || manifest.deleting) return stored;
  const bounds = boundsOf(manifestOf(manifest));
  const left = await changeDemand(deps, of, (demand) => openDemand(demand, { ...record, bounds }));
  const met = demandTexts(stored).filter((text) => !demandTexts(left).includes(text));
  const events = met.map((text) => clusterEvent(run, now, { kind: 'DemandMet', message: `${text}: done` }));
  if (events.length > 0) await deps.events.append(of.key, events);
  return { ...stored, ...left };
}

interface DemandQuestion {
  readonly run: ClusterRun;
  readonly manifest: ManifestRecord;
  readonly record: ClusterRecord;
  readonly now: string;
}

/** Whether the cluster is where the manifest wants it: only what was asked for apart from that failed. */
export async function nothingIsLeft(
  deps: Using<'manifests.get' | 'demands.get' | 'ids' | 'config'>,
  record: ClusterRecord,
): Promise<boolean> {
  const key = { namespace: record.namespace, name: record.manifest };
  const [manifest, demand] = await Promise.all([deps.manifests.get(key), deps.demands.get(key, record.cluster)]);
  return manifest !== undefined && !needsWork(planningOf(deps, manifest, demand ? [demand] : []), manifest, record);
}
