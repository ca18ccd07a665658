/** Documents that are submitted together: read, validated as a whole with what the API knows, and planned. */
import type { PlanReport, Problem, WireFault } from '#contracts/api-bodies.ts';
import { DocumentPath, ManifestPath, RolePath } from '#contracts/http-parameters.ts';
import { InventoryDocumentPath, type InventoryPlan } from '#contracts/inventory.ts';
import { readObjects } from '#documents/read-objects.ts';
import { documentName, isManifestKind, kindOf, validateDocuments } from '#domain/documents/validate-documents.ts';
import { type InventoryKind, inventoryKinds } from '#domain/inventory/inventory-documents.ts';
import { manifestKinds } from '#domain/manifest/schema/manifest-kinds.ts';
import type { PlanTotals } from '#domain/planning/text/plan-totals.ts';
import { pricesOf } from '#domain/prices/scaling-prices.ts';
import { counted } from '#domain/words.ts';
import type { CliClient, ManifestName } from '../connection/api-client.ts';
import { ApiProblem } from '../connection/api-problem.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { faultLines, located } from '../print/faults.ts';
import { refusedFaults } from '../print/refusals.ts';
import { readDocuments, unreadableLines } from './documents.ts';
import type { FileDocument, FileNamespace } from './placed-in.ts';

/** Documents that others refer to go first. */
const order = [
  'RoleBinding',
  'Secret',
  'TemplateGitReference',
  'InventoryOrder',
  'InventoryLayer',
  'InventoryTemplate',
  'InventoryCluster',
  'ManagementPlane',
  ...manifestKinds,
  'GitSource',
  'Notification',
] as const;
export type Kind = (typeof order)[number];

/** The namespace of a RoleBinding is `*`. */
export interface Known extends ManifestName {
  readonly file: string;
  readonly kind: Kind;
  readonly document: unknown;
}

/** Why a document is not submitted. */
export type Refused = Pick<Problem, 'code' | 'detail' | 'faults'>;

/** A document and what the API says of it before it is submitted. */
export interface Judged extends Known {
  readonly refused?: { readonly problem: Refused; readonly exitCode: number };
  /** The plan of a manifest that is not refused. */
  readonly plan?: PlanReport;
  /** Totals of the manifest of an InventoryCluster that is not refused. */
  readonly totals?: PlanTotals;
}

/** In the order in which they are submitted. Throws with all faults before the API is asked. */
export async function knownDocuments(files: readonly string[], place?: FileNamespace): Promise<readonly Known[]> {
  const { documents, faults } = await readDocuments(files, place);
  const problems = [...unreadableLines(faults)];
  const known = documents.map((item) => identify(item));
  problems.push(...known.filter((item) => typeof item === 'string'), ...twinsIn(known));
  if (known.length === 0 && problems.length === 0) problems.push(`no document in ${files.join(', ')}`);
  if (problems.length > 0) throw new CliError(`nothing was submitted:\n${problems.join('\n')}`, exitCodes.invalid);
  return known
    .filter((item) => typeof item !== 'string')
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

/**
 * Validates all of them together, then plans each manifest as if the others were stored; a plan that is not one of the
 * given plans is refused. Changes nothing.
 */
export async function judge(
  api: CliClient,
  known: readonly Known[],
  plans?: readonly string[],
): Promise<readonly Judged[]> {
  const documents = await verdicts(
    api,
    known.map(({ document }) => document),
  );
  const judged: Judged[] = [];
  for (const [index, item] of known.entries()) {
    const faults = documents[index]?.faults ?? [];
    if (faults.length > 0) judged.push({ ...item, refused: faulty(item, faults) });
    else judged.push(isManifestKind(item.kind) ? await planned(api, item, { known, plans }) : item);
  }
  return judged.some(({ refused }) => refused) ? judged : withInventoryPlans(api, judged);
}

/** The size of one request is checked here, and again when each is submitted. */
async function verdicts(
  api: CliClient,
  documents: readonly unknown[],
): Promise<readonly { faults: readonly WireFault[] }[]> {
  try {
    return await api.validate(documents);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.problem.code !== 'PayloadTooLarge') throw error;
    return validateDocuments(documents, { readObjects, pricesOf }).map(({ faults }, index) => ({
      faults: located(documents[index], faults),
    }));
  }
}

/** Its warnings are printed when it is submitted. */
async function planned(
  api: CliClient,
  item: Known,
  { known, plans }: { readonly known: readonly Known[]; readonly plans: readonly string[] | undefined },
): Promise<Judged> {
  try {
    const plan = await api.planManifest(item, {
      document: item.document,
      related: referencedDocuments(known.map(({ document }) => document)),
      ...(plans && { plan: [...plans] }),
    });
    const faults = [...plan.faults, ...refusedFaults(plan, item.document)];
    return faults.length > 0 ? { ...item, refused: faulty(item, faults) } : { ...item, plan };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    return { ...item, refused: { problem: error.problem, exitCode: error.exitCode } };
  }
}

/** Documents of an inventory are planned together: each namespace once. */
async function withInventoryPlans(api: CliClient, judged: readonly Judged[]): Promise<readonly Judged[]> {
  const isPlanned = ({ kind }: Judged) => isInventoryKind(kind) && kind !== 'ManagementPlane';
  const namespaces = new Set(judged.filter(isPlanned).map(({ namespace }) => namespace));
  const plans = new Map<string, InventoryPlan>();
  for (const namespace of namespaces) {
    const sent = judged.filter((item) => isPlanned(item) && item.namespace === namespace);
    const all = [
      ...sent.map(({ document }) => document),
      ...referencedDocuments(judged.map(({ document }) => document)),
    ];
    const documents = all.map((document) => JSON.stringify(document)).join('\n---\n');
    plans.set(namespace, await api.planInventory({ namespace }, documents));
  }
  return judged.map((item) => {
    const plan = plans.get(item.namespace);
    if (plan === undefined || !isPlanned(item)) return item;
    const own = plan.faults.filter(({ document }) => document?.kind === item.kind && document.name === item.name);
    const row =
      item.kind === 'InventoryCluster' ? plan.clusters.find(({ cluster }) => cluster === item.name) : undefined;
    const faults = [...own, ...(row?.impact === 'refused' ? row.faults : [])];
    if (faults.length > 0) return { ...item, refused: faulty(item, faults) };
    return row?.totals ? { ...item, totals: row.totals } : item;
  });
}

function faulty(item: Known, faults: readonly WireFault[]): Judged['refused'] & object {
  const problem = {
    code: 'InvalidManifest',
    detail: `${documentTitle(item)} has ${counted(faults.length, 'fault')}`,
    faults: [...faults],
  };
  return { problem, exitCode: exitCodes.invalid };
}

/** Documents that plans refer to. Of a Secret, only its name is sent: a plan needs no more. */
export function referencedDocuments(documents: readonly unknown[]): readonly unknown[] {
  return documents.flatMap((document) => {
    const kind = kindOf(document);
    if (kind === 'TemplateGitReference' || kind === 'ManagementPlane') return [document];
    return kind === 'Secret' ? [{ kind, metadata: documentName(document) }] : [];
  });
}

/** Kind and name of a document, or what is wrong with them; the API checks all the rest. */
function identify({ file, index, document }: FileDocument): Known | string {
  const { kind: word, metadata } = (document ?? {}) as {
    kind?: unknown;
    metadata?: { name?: unknown; namespace?: unknown } | null;
  };
  const kind = order.find((known) => known === word);
  const name = metadata?.name === undefined ? undefined : documentName(document).name;
  // A RoleBinding belongs to none.
  const namespace = kind === 'RoleBinding' ? '*' : (metadata?.namespace ?? 'default');
  const place = `${file}, document ${index + 1}`;
  if (!kind) return `${place}: kind must be one of ${order.join(', ')}, not ${JSON.stringify(word) ?? 'missing'}`;
  if (typeof name !== 'string' || typeof namespace !== 'string' || !name || !namespace)
    return `${place}: metadata.name is missing`;
  if (canBeAsked(kind, namespace, name)) return { file, kind, namespace, name, document };
  const faults = located(
    document,
    validateDocuments([document], { readObjects, pricesOf }).flatMap((verdict) => verdict.faults),
  );
  return [`${place}:`, ...faultLines(faults, 'fault')].join('\n');
}

/** Whether its name fits the path of the API. If not, the API could report only that, and no other faults. */
function canBeAsked(kind: Kind, namespace: string, name: string): boolean {
  const path = { namespace, name };
  if (kind === 'RoleBinding') return RolePath.safeParse(path).success;
  if (isInventoryKind(kind)) return InventoryDocumentPath.safeParse({ ...path, kind }).success;
  return (
    isManifestKind(kind) || kind === 'GitSource' || kind === 'Notification' ? ManifestPath : DocumentPath
  ).safeParse(path).success;
}

/** A duplicate: the later one would replace the earlier one immediately. */
function twinsIn(items: readonly (Known | string)[]): readonly string[] {
  const seen = new Set<string>();
  return items.flatMap((item) => {
    if (typeof item === 'string') return [];
    const title = documentTitle(item);
    if (!seen.has(title)) {
      seen.add(title);
      return [];
    }
    return [`${item.file}: ${title} is in these documents twice; remove or rename one of them`];
  });
}

export function isInventoryKind(kind: Kind): kind is InventoryKind {
  return inventoryKinds.some((one) => one === kind);
}

/** "Secret default/key" */
function documentTitle({ kind, namespace, name }: Pick<Known, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${kind === 'RoleBinding' ? '' : `${namespace}/`}${name}`;
}
