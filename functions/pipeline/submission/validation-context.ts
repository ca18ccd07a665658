/** The context of the rules of manifests: which references exist, which machines and names are in use. */
import { DnsSubdomain } from '#contracts/http-parameters.ts';
import type { ManifestKey } from '#contracts/records.ts';
import { readObjects } from '#documents/read-objects.ts';
import { PipelineError } from '#domain/errors.ts';
import { isMap } from '#domain/json.ts';
import { draftOfDocument } from '#domain/manifest/groups/groups-as-manifest.ts';
import { knownClouds } from '#domain/manifest/known-clouds.ts';
import { type Reference, referenceName, referencesIn } from '#domain/manifest/references-in.ts';
import type { ValidationContext } from '#domain/manifest/rules/manifest-index.ts';
import { pricesOf } from '#domain/prices/scaling-prices.ts';
import { fieldOf, listFrom } from '#domain/unread-json.ts';
import type { AdmittedCaller } from '../../caller.ts';
import type { SubmissionPorts } from '../../rights/submission-uses.ts';
import { isRecent, lastReport } from '../records/agent-reports.ts';
import { clusterName } from '../records/cluster-records.ts';
import { secretPath } from '../records/secret-path.ts';
import { claimedByManifests, endpointsOfOthers, type PlacedDocument } from './held-by-manifests.ts';
import { newerCatalogue } from './kept-catalogues.ts';

type SurroundingPorts = Pick<
  SubmissionPorts,
  'agentReports' | 'artifacts' | 'clock' | 'clusters' | 'config' | 'manifests' | 'secrets' | 'templateReferences'
>;

/** More than any real manifest refers to; each costs a question to another service. */
const mostReferences = 500;

/** Asks only about what the document refers to. Throws `Forbidden` when the caller may not use them. */
export async function validationContextOf(
  deps: SurroundingPorts,
  key: ManifestKey,
  document: unknown,
  caller: AdmittedCaller,
): Promise<Required<ValidationContext>> {
  const [stored, endpointsInUse] = await Promise.all([
    storedReferences(deps, [{ key, document }], caller),
    endpointsOfOthers(deps, { key, document }, caller),
  ]);
  return { ...stored, endpointsInUse };
}

/** What any of the documents refers to and is stored. Throws `Forbidden` as above. */
export async function storedReferences(
  deps: SurroundingPorts,
  placed: readonly PlacedDocument[],
  caller: AdmittedCaller,
): Promise<Required<Omit<ValidationContext, 'endpointsInUse'>>> {
  const referred = distinctReferences(placed, caller);
  const existing = async (field: Reference['field'], exists: (name: ManifestKey) => Promise<boolean>) => {
    const asked = [...referred.values()].filter((reference) => reference.field === field);
    const found = await Promise.all(asked.map(async (one) => ((await exists(one)) ? [referenceName(one)] : [])));
    return new Set(found.flat());
  };
  const [secrets, templateReferences, namesInUse, atWork] = await Promise.all([
    existing('secretRef', ({ namespace, name }) => deps.secrets.exists(secretPath(namespace, name))),
    existing(
      'templatesRef',
      async ({ namespace, name }) => (await deps.templateReferences.get(namespace, name)) !== undefined,
    ),
    claimedByManifests(deps, placed, caller),
    agentsAtWork(deps, placed, caller),
  ]);
  const {
    KUBELOOM_PROVIDER_TYPES: providerTypes,
    KUBELOOM_TEMPLATE_SOURCES: sources,
    KUBELOOM_INSTALLATION_PROXY: installationProxy,
    KUBELOOM_AGENT_URL: url,
    KUBELOOM_MAIL_TOPICS: mailTopics,
    KUBELOOM_AGENT_PROVIDERS: reachedFrom,
  } = deps.config;
  const agents = { reachApi: url !== '', ...(reachedFrom.length > 0 && { reachedFrom }), atWork };
  const clouds = await knownClouds(
    placed.map(({ document }) => document),
    deps.clock.now(),
    (type, shipped) => newerCatalogue(deps, type, shipped),
  );
  return {
    readObjects,
    pricesOf,
    providerTypes,
    secrets,
    ownTemplates: sources !== 'builtin',
    templateReferences,
    namesInUse,
    installationProxy,
    sendsMail: mailTopics !== '',
    agents,
    clouds,
  };
}

/** The clusters with autoscaled pools whose agent reported lately. */
async function agentsAtWork(
  deps: Pick<SurroundingPorts, 'agentReports' | 'artifacts' | 'clock' | 'clusters' | 'config'>,
  placed: readonly PlacedDocument[],
  caller: AdmittedCaller,
): Promise<ReadonlySet<string>> {
  const scaled = placed.filter(({ key, document }) => caller.may('viewer', key.namespace) && isAutoscaled(document));
  const found = await Promise.all(
    scaled.map(async ({ key }) => {
      const records = await deps.clusters.list(key);
      const reports = await Promise.all(records.map((record) => lastReport(deps, record)));
      return records.flatMap((record, index) => {
        const report = reports[index];
        const atWork = report !== undefined && isRecent(report, deps.clock.now());
        return atWork ? [`${key.namespace}/${key.name}/${clusterName(record)}`] : [];
      });
    }),
  );
  return new Set(found.flat());
}

function isAutoscaled(document: unknown): boolean {
  return listFrom(fieldOf(fieldOf(fieldOf(document, 'spec'), 'nodePools'), 'dynamic')).some((pool) =>
    isMap(fieldOf(pool, 'autoscaler')),
  );
}

/** Names that could not be stored under are left out: nothing of that name exists. */
function distinctReferences(placed: readonly PlacedDocument[], caller: AdmittedCaller): ReadonlyMap<string, Reference> {
  const distinct = new Map<string, Reference>();
  for (const { key, document } of placed) {
    const storable = [...referencesIn(draftOfDocument(document), key.namespace)].filter(({ namespace, name }) =>
      [namespace, name].every((part) => DnsSubdomain.safeParse(part).success),
    );
    refuseForeign(caller, key, storable);
    for (const reference of storable) distinct.set(`${reference.field} ${referenceName(reference)}`, reference);
  }
  if (distinct.size <= mostReferences) return distinct;
  const what = placed.length === 1 ? 'the manifest refers' : 'the documents refer';
  throw new PipelineError(
    'InvalidInput',
    `${what} to ${distinct.size} Secrets and templates, at most ${mostReferences} are possible; split it`,
  );
}

/**
 * A caller uses a Secret through the documents that it may change: for another namespace it needs the role there. Only callers
 * who may read a namespace learn whether a Secret of it exists, whatever namespace the document names.
 */
function refuseForeign(caller: AdmittedCaller, key: ManifestKey, referred: readonly Reference[]): void {
  if (referred.length > 0 && !caller.may('viewer', key.namespace)) {
    throw new PipelineError(
      'Forbidden',
      `${caller.name} lacks the role viewer in namespace "${key.namespace}", which the document names; an admin can grant it with a RoleBinding`,
    );
  }
  const foreign = referred.filter(({ namespace }) => namespace !== key.namespace && !caller.may('operator', namespace));
  if (foreign.length === 0) return;
  const names = foreign.map((reference) => `${reference.field} "${referenceName(reference)}"`).join(', ');
  throw new PipelineError(
    'Forbidden',
    `${caller.name} lacks the role operator in the namespaces that the document refers to: ${names}`,
  );
}
