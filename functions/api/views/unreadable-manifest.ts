/** Manifests of which something cannot be read: they are in every list, with the reason. */
import type { ManifestDescription, ManifestSummary } from '#contracts/api-bodies.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { isPipelineError } from '#domain/errors.ts';
import { wayOut } from '../../pipeline/manifests/stored-manifest.ts';
import type { ManifestRemains } from '../../ports.ts';
import type { ApiPorts } from '../../rights/api-uses.ts';
import { describeManifest, summarizeManifest } from './manifest-description.ts';

type Ports = Pick<ApiPorts, 'clusters'>;

/** The row of a manifest; it is unreadable when one of its clusters is. */
export async function summaryOf(deps: Ports, record: ManifestRecord): Promise<ManifestSummary> {
  try {
    return summarizeManifest(record, await deps.clusters.list(record));
  } catch (error) {
    return summaryOfRemains(remainsWithout(record, error));
  }
}

export function summaryOfRemains(remains: ManifestRemains): ManifestSummary {
  return { ...summarizeManifest(remains.record, []), ...marked(remains) };
}

export function describeRemains(remains: ManifestRemains): ManifestDescription {
  return { ...describeManifest(remains.record, [], undefined), ...marked(remains) };
}

/** What is left of a manifest whose clusters cannot be read. Throws any other error. */
export function remainsWithout(record: ManifestRecord, error: unknown): ManifestRemains {
  if (!isPipelineError(error, 'Unreadable')) throw error;
  const { namespace, name } = record;
  return { namespace, name, reason: error.message, record, replaceable: false };
}

function marked(remains: ManifestRemains): Pick<ManifestSummary, 'status' | 'unreadable'> {
  return { status: 'Unreadable', unreadable: wayOut(remains) };
}
