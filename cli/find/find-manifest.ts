/** Finding the manifest that a person means: by its own name, or by the name or id of one of its clusters. */
import type { ManifestSummary, Problem } from '#contracts/api-bodies.ts';
import type { PlacedPlan } from '#contracts/waiting-plans.ts';
import { nearest } from '#domain/nearest.ts';
import { type CliClient, itemsOf, type ManifestName } from '../connection/api-client.ts';
import { ApiProblem, isNotFound } from '../connection/api-problem.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { parseManifestName, shortName } from '../manifest-name.ts';
import { shortList } from '../print/layout.ts';
import { ago } from '../print/times.ts';

type Lister = Pick<CliClient, 'listManifests'>;

/** What `NAME` and `-n` say on the command line. */
export interface NamedManifest {
  readonly name: string;
  /** @default `default` */
  readonly namespace?: string | undefined;
}

/**
 * What `ask` answers of the manifest that is named. Only when there is no such manifest, names of clusters are
 * searched. Throws `CliError` that says which names there are.
 */
export async function ofManifest<Answer>(
  api: Lister,
  { name, namespace }: NamedManifest,
  ask: (key: ManifestName) => Promise<Answer>,
): Promise<Answer> {
  const key = parseManifestName(name, namespace);
  try {
    return await ask(key);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const fleet = await fleetIn(api).catch(() => undefined);
    // It exists, or that is unknown: something else is missing.
    if (fleet === undefined || fleet.items.some((item) => isNamed(item, key))) throw error;
    const waiting = fleet.proposed.find((one) => isNamed(one, key));
    if (waiting && error instanceof ApiProblem) throw new OnlyProposed(error.problem, waiting);
    return ask(ownerOf(fleet.items, key, error));
  }
}

/** As `manifestNamed`; programs get the problem of the API, people the names that could be meant. */
function ownerOf(all: readonly ManifestSummary[], key: ManifestName, missing: unknown): ManifestName {
  try {
    return manifestNamed(all, key);
  } catch (error) {
    if (!(missing instanceof ApiProblem && error instanceof CliError) || error.exitCode !== exitCodes.notFound)
      throw error;
    throw new ApiProblem({ ...missing.problem, detail: error.message });
  }
}

/** A manifest that does not exist yet: the plan that creates it once it is approved. */
export interface ProposedManifest extends Omit<PlacedPlan, 'name'> {
  readonly name: string;
  readonly status: 'Proposed';
}

/** The manifest does not exist yet: a plan that creates it waits for an approval. */
export class OnlyProposed extends ApiProblem {
  readonly manifest: ProposedManifest;
  constructor(problem: Problem, manifest: ProposedManifest) {
    super({ ...problem, detail: `${shortName(manifest)} does not exist yet: ${proposalText(manifest)}` });
    this.manifest = manifest;
  }
}

/** Who proposed it, when, and what an approver can do. */
export function proposalText(manifest: ProposedManifest): string {
  const { by, at, summary, id } = manifest;
  const way = `kubeloom approve ${shortName(manifest)} --plan ${id}`;
  return `${by} proposed it ${ago(at)} (${summary}), and its plan waits for an approval: \`${way}\``;
}

type Listing = NonNullable<Parameters<Lister['listManifests']>[0]>;

/** Those that exist, in the order that was asked for, and those that are only proposed. */
export async function fleetIn(
  api: Lister,
  query: Omit<Listing, 'next'> = {},
): Promise<{ readonly items: readonly ManifestSummary[]; readonly proposed: readonly ProposedManifest[] }> {
  const proposed: ProposedManifest[] = [];
  const pages = itemsOf(async (next) => {
    const page = await api.listManifests({ ...query, next });
    for (const { name, ...plan } of page.proposed ?? [])
      if (name !== null) proposed.push({ ...plan, name, status: 'Proposed' });
    return page;
  });
  return { items: await Array.fromAsync(pages), proposed };
}

/** Manifests that are read at once. */
const atOnce = 8;

/** What `ask` answers of each of them, in their order; a fleet is not asked about all at once. */
export async function ofEach<Answer>(
  manifests: readonly ManifestName[],
  ask: (key: ManifestName) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let start = 0; start < manifests.length; start += atOnce)
    answers.push(...(await Promise.all(manifests.slice(start, start + atOnce).map((one) => ask(one)))));
  return answers;
}

/** Every manifest of a namespace, or of all, that exists. */
export async function allManifests(api: Lister, namespace?: string): Promise<readonly ManifestSummary[]> {
  return (await fleetIn(api, { namespace })).items;
}

/** The manifest of that name, or else the one with a cluster of that name or id. Throws `CliError`. */
export function manifestNamed(all: readonly ManifestSummary[], key: ManifestName): ManifestSummary {
  const here = all.filter(({ namespace }) => namespace === key.namespace);
  const found = here.find((item) => isNamed(item, key));
  if (found) return found;
  const owners = here.filter((item) => hasCluster(item, key.name));
  const [only] = owners;
  if (only && owners.length === 1) return only;
  if (only) {
    const names = owners.map(({ name }) => name).join(', ');
    throw new CliError(`several manifests have a cluster "${key.name}": ${names}; name one of them`, exitCodes.usage);
  }
  const missing = `there is no manifest or cluster "${key.name}" in namespace "${key.namespace}"`;
  throw new CliError(`${missing}${candidates(all, key)}`, exitCodes.notFound);
}

/** What else could be meant: the same name elsewhere, a name much like it, or all there are. */
function candidates(all: readonly ManifestSummary[], key: ManifestName): string {
  const elsewhere = all.find((item) => item.name === key.name || hasCluster(item, key.name));
  if (elsewhere) return `; did you mean ${shortName({ ...elsewhere, name: key.name })}?`;
  const here = all.filter(({ namespace }) => namespace === key.namespace);
  const names = [...new Set(here.flatMap(({ name, clusters }) => [name, ...clusters.map((each) => each.name)]))];
  const near = nearest(key.name, names);
  if (near !== undefined) return `; did you mean ${shortName({ ...key, name: near })}?`;
  return names.length > 0 ? `; there is ${shortList(names, 10)}` : '; `kubeloom get` lists all';
}

const isNamed = (item: ManifestName, key: ManifestName): boolean =>
  item.name === key.name && item.namespace === key.namespace;

const hasCluster = ({ clusters }: ManifestSummary, name: string): boolean =>
  clusters.some((each) => each.name === name || each.cluster === name);
