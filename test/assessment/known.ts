/** What is known of a document, as plain values: no store, no clock, no runner. */
import type { ClusterRecord, ManifestRecord } from '#contracts/records.ts';
import { readObjects } from '#documents/read-objects.ts';
import type { ValidationContext } from '#domain/manifest/rules/manifest-index.ts';
import { type Assessment, assess, judgeForm, type NextGeneration } from '#functions/pipeline/assessment/assess.ts';
import type { KnownDocument, KnownExisting } from '#functions/pipeline/assessment/known.ts';
import { aManifest, key } from '#test/api/documents.ts';
import { aClusterRecord } from '#test/api/records.ts';
import { countingIds } from '#test/planning/arbitraries.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
export const noPlanes: KnownExisting['planes'] = { stored: [], sent: [], wanted: [], installed: {} };
export const noTemplates: KnownExisting['templates'] = { templates: {}, templateSecrets: {}, faults: [] };

/** A new installation, in which no cluster exists. */
export function settings() {
  const config = {
    KUBELOOM_AGENT_CA: '',
    KUBELOOM_AGENT_PROVIDERS: [],
    KUBELOOM_AGENT_URL: '',
    KUBELOOM_DEFAULT_STORAGE: 'none' as const,
    KUBELOOM_UPSTREAM_DOCUMENTS: [],
  };
  return { now, ids: countingIds('x'), config };
}

export interface Knowing extends Partial<KnownExisting> {
  readonly stored?: ManifestRecord | undefined;
  readonly context?: Partial<ValidationContext>;
}

/** What `gather` finds out about the document; `change`: what is not as in a new installation. */
export function knownOf(document: unknown, { stored, context, ...change }: Knowing = {}): KnownDocument {
  const form = judgeForm(key, document, { readObjects, ...context });
  const existing = { ...settings(), clusters: [], demands: [], planes: noPlanes, templates: noTemplates, ...change };
  return { key, document, stored, form, ...(form.accepted && { existing }) };
}

/** The same document as it is stored once it is accepted. */
export function storedAs(document: unknown, change: Partial<ManifestRecord> = {}): ManifestRecord {
  return { ...nextOf(assess(knownOf(document))).record, fence: 1, ...change };
}

/** The cluster of the manifest, as the last waypoint of its plan leaves it. */
export function reached(): readonly ClusterRecord[] {
  const current = assess(knownOf(aManifest())).plans[0]?.waypoints.at(-1)?.target ?? null;
  return [aClusterRecord({ cluster: current?.id ?? '', status: 'Converged', current })];
}

/** Throws for a document with a faulty form. */
export function nextOf({ next, faults }: Pick<Assessment, 'next' | 'faults'>): NextGeneration {
  if (next === undefined) throw new Error(JSON.stringify(faults));
  return next;
}

/** One manifest for all tests: two pools of the provider `sim`, one cluster. */
export { aManifest };
