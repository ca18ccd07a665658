/** Documents that runners leave below a waypoint's prefix. */
import type { z } from 'zod';
import type { ClusterRecord } from '#contracts/records.ts';
import { waypointKeys } from '#contracts/stage.ts';
import { ClusterFacts } from '#domain/cluster-state.ts';
import { parseJson } from '#domain/json.ts';
import type { Using } from '../../ports.ts';

/** The facts of the runners of the last waypoint; else those known before. */
export async function knownFacts(deps: Using<'artifacts.getText'>, record: ClusterRecord): Promise<ClusterFacts> {
  if (record.waypointPrefix === null || record.status === 'Converged') return record.facts;
  const found = await readDocument(deps, waypointKeys.facts(record.waypointPrefix), ClusterFacts);
  return found ?? record.facts;
}

/** A document; undefined when it is missing, or truncated by a crash. */
export async function readDocument<Schema extends z.ZodType>(
  deps: Using<'artifacts.getText'>,
  key: string,
  schema: Schema,
): Promise<z.infer<Schema> | undefined> {
  const text = await deps.artifacts.getText(key);
  return text === undefined ? undefined : schema.safeParse(parseJson(text)).data;
}
