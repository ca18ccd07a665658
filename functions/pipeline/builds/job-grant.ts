/** What the job of a build is about: its place, and the Secrets and copies of provider types that its documents name. */
import { type Job, type Question, readDriftCheck, readQuestion } from '#contracts/job.ts';
import { WaypointDocument, waypointKeys } from '#contracts/stage.ts';
import { allPools, type ClusterState, type ProviderInstance } from '#domain/cluster-state.ts';
import { PipelineError } from '#domain/errors.ts';
import { parseLocator } from '#domain/secret-locator.ts';
import { copyOf } from '#domain/template-version.ts';
import { type JobPlace, noPlace } from '../../rights/job-rights.ts';
import type { RunnerTool } from '../../rights/runner-rights.ts';
import { toolOfStage } from '../stages/stage-requests.ts';

export interface JobGrant {
  readonly tool: RunnerTool;
  readonly place: JobPlace;
  /** `<namespace>/<name>`, also of other namespaces; sorted. */
  readonly secrets: readonly string[];
  /** SHA-256 of accepted copies of provider types; sorted. */
  readonly copies: readonly string[];
}

/** Reads the document of the job, `text`. Throws `Forbidden` when it is about another cluster than the place of the job. */
export function grantOf(job: Job, text: string): JobGrant {
  if (job.kind === 'question') return grantOfQuestion(job.prefix, readQuestion(text));
  const attempt = attemptOf(job);
  if (job.kind === 'drift') {
    const check = readDriftCheck(text);
    return grantOfStates('drift', placeOfWork(job.waypoint, attempt, check), [check.current]);
  }
  const document = WaypointDocument.parse(JSON.parse(text));
  const { before, target, attempted } = document;
  const states = [before, target, attempted].filter((state) => state !== null);
  return grantOfStates(toolOfStage[job.stage], placeOfWork(job.waypoint, attempt, document), states);
}

function attemptOf(job: Exclude<Job, { readonly kind: 'question' }>): string {
  const [stage, mode] = job.kind === 'drift' ? (['drift', 'do'] as const) : ([job.stage, job.mode] as const);
  return waypointKeys.attempt('', stage, mode, job.attempt).slice(1);
}

/** `runs/<namespace>/<manifest>/<run>/<cluster>/<waypoint>` */
function placeOfWork(
  prefix: string,
  attempt: string,
  document: Pick<WaypointDocument, 'namespace' | 'manifest' | 'cluster' | 'runId'>,
): JobPlace {
  const { namespace, manifest, cluster, runId: run } = document;
  const waypoint = prefix.slice(prefix.lastIndexOf('/') + 1);
  if (prefix !== `runs/${namespace}/${manifest}/${run}/${cluster}/${waypoint}`) throw elsewhere(prefix);
  return { ...noPlace, namespace, manifest, cluster, run, waypoint, attempt };
}

function grantOfStates(tool: RunnerTool, place: JobPlace, states: readonly ClusterState[]): JobGrant {
  const references = states.flatMap((state) => referencesOf(tool, state));
  const copies = tool === 'terraform' ? states.flatMap(providersOf).map(({ templates }) => copyOf(templates).copy) : [];
  return granted(tool, place, references, copies);
}

/** Secrets that a runner needs of a state: those of providers, of machines that users have, of documents. */
function referencesOf(tool: RunnerTool, state: ClusterState): readonly (string | undefined)[] {
  const ofProviders = providersOf(state).flatMap(({ secret, templatesSecret }) => [secret, templatesSecret]);
  const ofMachines = allPools(state).flatMap(({ nodes }) => nodes.map((node) => node.static?.secret));
  const ofDocuments = (state.documents ?? []).flatMap((one) => [one.templatesSecret, one.component?.secret]);
  switch (tool) {
    case 'terraform':
      return ofProviders;
    case 'ansible':
    case 'kubeone':
      return ofMachines;
    case 'kubectl':
      return ofDocuments;
    case 'drift':
      return [...ofProviders, ...ofMachines, ...ofDocuments];
    default:
      return tool satisfies never;
  }
}

function providersOf(state: ClusterState): readonly ProviderInstance[] {
  const ofPools = allPools(state).flatMap(({ source }) => (source.kind === 'dynamic' ? [source.provider] : []));
  return [...ofPools, ...state.loadBalancers.map(({ dns }) => dns.provider)];
}

function grantOfQuestion(question: string, asked: Question): JobGrant {
  const [folder, first = '', second = ''] = question.split('/');
  const place = { ...noPlace, question: question.slice(question.indexOf('/') + 1) };
  if (asked.kind === 'certificate' || asked.kind === 'ssh' || asked.kind === 'state') {
    const { namespace, manifest, cluster } = asked;
    if (!question.startsWith(`access/${namespace}/${manifest}/${cluster}/`)) throw elsewhere(question);
    const about = { ...place, namespace, manifest, cluster };
    if (asked.kind === 'state') return granted('drift', about, [], []);
    return asked.kind === 'certificate'
      ? granted('kubectl', about, [], [])
      : granted('ansible', about, referencesOf('ansible', asked.current), []);
  }
  if (folder !== 'checks') throw elsewhere(question);
  // Its namespace is in the place of the question, after what kind of question it is; only a check has none of that.
  const namespace = first.startsWith('_') ? second : first;
  if (asked.kind !== 'plugin') return granted('terraform', { ...place, namespace }, [asked.secret], []);
  const { kept } = asked;
  if (kept === undefined) return granted('terraform', { ...place, namespace }, [asked.secret], []);
  const { namespace: keeper, manifest } = kept;
  if (keeper !== namespace) throw elsewhere(question);
  return granted('terraform', { ...place, namespace, manifest }, [asked.secret], [copyOf(kept.version).copy]);
}

type Named = readonly (string | undefined)[];

function granted(tool: RunnerTool, place: JobPlace, references: Named, copies: Named): JobGrant {
  const secrets = unique(references.map(storedSecretOf));
  const odd = secrets.find((name) => !/^[\w.-]+\/[\w.-]+$/.test(name));
  // A policy would take other characters for a pattern.
  if (odd !== undefined) throw new PipelineError('Forbidden', `"${odd}" is not the name of a Secret`);
  return { tool, place, secrets, copies: unique(copies) };
}

/** The Secret that is read: of a secret of a Vault, its connection. */
function storedSecretOf(reference: string | undefined): string | undefined {
  const locator = parseLocator(reference ?? '');
  return locator?.kind === 'vault' ? locator.connection : locator?.name;
}

const unique = (texts: Named): readonly string[] =>
  [...new Set(texts)].filter((text) => text !== undefined).toSorted((one, other) => (one < other ? -1 : 1));

function elsewhere(place: string): PipelineError {
  return new PipelineError('Forbidden', `what is asked of the build in ${place} is about another cluster or namespace`);
}
