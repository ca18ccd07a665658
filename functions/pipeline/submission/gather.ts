/** Reads and asks all that the decision about a document needs; `assess` decides. */
import type { ClusterRecord, ManifestKey } from '#contracts/records.ts';
import { withSet } from '#domain/documents/validate-documents.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { judgeForm } from '../assessment/assess.ts';
import type { KnownDocument, KnownPlanes, PinnedBefore, WantedDocument } from '../assessment/known.ts';
import { wantedPlanes } from '../assessment/pinned-planes.ts';
import { storedPlanes } from '../inventory/stored-inventory.ts';
import { askForPlugin, lookUpTemplates } from '../jobs/template-lookups.ts';
import { type PinOptions, pinTemplates } from '../manifests/template-versions.ts';
import { clusterName } from '../records/cluster-records.ts';
import { knownFacts } from '../records/known-facts.ts';
import { makingNow } from '../records/next-record.ts';
import { validationContextOf } from './validation-context.ts';

export interface SubmissionQuestion extends WantedDocument {
  readonly caller: AdmittedCaller;
  /** Versions that it was accepted with before and goes back to: no repository is asked. @default each is asked */
  readonly pinned?: PinnedBefore | undefined;
}

/** Throws `TemplatesPending` while a runner looks something up, and `Forbidden` for what the caller may not use. */
export async function gather(
  deps: SubmissionPorts,
  key: ManifestKey,
  question: SubmissionQuestion,
): Promise<KnownDocument> {
  const { document, stored, caller, accompanying = [], pinned } = question;
  const context = await validationContextOf(deps, key, document, caller);
  const form = judgeForm(key, document, withSet(context, accompanying));
  // The first step ends here for a document with faults: it costs no other read, and no runner is asked about it.
  if (form.accepted === undefined) return { key, document, stored, form };
  const [clusters, demands, before] = await Promise.all([
    deps.clusters.list(key),
    deps.demands.list(key),
    storedPlanes(deps, key.namespace),
  ]);
  const wanted = wantedPlanes(key, question, before);
  const planes = { ...wanted, installed: await installedOf(deps, wanted, clusters) };
  // The only line at which a runner may be asked and a build may start.
  const templates = pinned
    ? { ...pinned, faults: [] }
    : await pinTemplates(deps, key.namespace, form.accepted.manifest, asking(deps, key, question));
  const existing = { ...makingNow(deps), config: deps.config, clusters, demands, planes, templates };
  return { key, document, stored, form, existing };
}

async function installedOf(
  deps: SubmissionPorts,
  { wanted }: Pick<KnownPlanes, 'wanted'>,
  clusters: readonly ClusterRecord[],
): Promise<KnownPlanes['installed']> {
  const reading = wanted.map(async ({ spec: { cluster } }) => {
    const record = clusters.find((one) => clusterName(one) === cluster.name);
    return [cluster.name, record && (await knownFacts(deps, record)).documents] as const;
  });
  return Object.fromEntries(await Promise.all(reading));
}

/** What is fetched is from anywhere: readers do not make runners fetch. */
function asking(
  deps: SubmissionPorts,
  { namespace }: ManifestKey,
  { accompanying, stored, caller }: SubmissionQuestion,
): PinOptions {
  const mayAsk = caller.may('operator', namespace);
  return {
    accompanying,
    stored,
    lookUp: (reference, request) => lookUpTemplates(deps, reference, request),
    lookUpPlugin: (request) => askForPlugin(deps, { namespace, mayAsk }, request),
  };
}
