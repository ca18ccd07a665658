/** Everything that is to be said about a document before it is accepted: faults, warnings, and the plan it leads to. */

import type { Fault } from '#contracts/http.ts';
import type { ManifestKey, ManifestRecord } from '#contracts/records.ts';
import { InputManifest } from '#domain/manifest/input-manifest.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { validateUpdate } from '#domain/manifest/validate-update.ts';
import type { ClusterPlan } from '#domain/plan.ts';
import type { AdmittedCaller } from '../caller.ts';
import { nextRecord } from '../pipeline/next-generation.ts';
import { pinTemplates, planningOf } from '../pipeline/template-versions.ts';
import type { Deps } from '../ports.ts';
import { planClusters } from './plan-clusters.ts';
import { pathFaults, wireFaults } from './request-document.ts';
import { standingPart } from './standing-part.ts';
import { surroundingsOf } from './surroundings.ts';

export interface Question {
  readonly document: unknown;
  readonly stored: ManifestRecord | undefined;
  readonly caller: AdmittedCaller;
  /** Plan for nothing to be left. @default false */
  readonly deleting?: boolean;
}

export interface Judgement {
  /** With defaults; absent when its form is faulty. */
  readonly manifest?: InputManifest;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
  /** Templates of their own by provider instance; absent when its form is faulty. */
  readonly templates?: Pick<ManifestRecord, 'templates' | 'templateSecrets'>;
  /** Empty when its form is faulty. */
  readonly plans: readonly ClusterPlan[];
  /** What the planner will not do, as far as no fault says it already. */
  readonly refusals: readonly Fault[];
}

export async function judgeManifest(deps: Deps, key: ManifestKey, question: Question): Promise<Judgement> {
  const { document, stored, caller, deleting = false } = question;
  const verdict = validateManifest(document, await surroundingsOf(deps, key, document, caller));
  const form = [...pathFaults(document, key), ...verdict.faults];
  const warnings = wireFaults(verdict.warnings, document);
  const { manifest } = verdict;
  if (manifest === undefined || form.length > 0)
    return { faults: wireFaults(form, document), warnings, plans: [], refusals: [] };

  const clusters = await deps.clusters.list(key);
  const before = stored && InputManifest.safeParse(stored.document).data;
  const settled = stored?.status === 'Done' || stored?.status === 'Failed';
  const old = before && settled ? standingPart(before, clusters) : before;
  const pinned = deleting ? undefined : await pinTemplates(deps, key.namespace, manifest);
  const faults = wireFaults(
    [...(old && !deleting ? validateUpdate(old, manifest) : []), ...(pinned?.faults ?? [])],
    document,
  );
  const { templates = {}, templateSecrets = {} } = pinned ?? {};
  const own = { templates, templateSecrets };
  const wished = nextRecord(deps, key, stored, { document: manifest, deleting, again: false, templates: own });
  const plans = planClusters(planningOf(deps, wished), wished, clusters);
  const said = new Set(faults.map(({ path }) => path));
  const refusals = plans.flatMap((plan) => plan.refusals).filter(({ path }) => !said.has(path));
  return { manifest, faults, warnings, templates: own, plans, refusals };
}
