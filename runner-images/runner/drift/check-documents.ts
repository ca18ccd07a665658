/** The documents in the cluster: whether each of their objects still is as it was applied, which a dry run of the apply says, and works. */
import type { DriftItem } from '#domain/drift.ts';
import { planeOfDocument } from '#domain/planes/management-plane.ts';
import { fieldManager } from '#rendering/documents.ts';
import { notAvailable, shownObjects } from '../documents/availability.ts';
import { asList } from '../documents/objects.ts';
import { type PreparedDocument, prepareDocuments } from '../documents/prepare-documents.ts';
import { keepKubeconfig } from '../kubernetes/kubeconfig.ts';
import { Kubectl } from '../kubernetes/kubectl.ts';
import type { DriftContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { type Findings, sentence } from './findings.ts';
import { lookTwice } from './look-twice.ts';

export async function checkDocuments(context: DriftContext): Promise<Findings> {
  const { documents = [] } = context.target;
  if (documents.length === 0) return { items: [], unchecked: [] };
  const kubeconfig = await keepKubeconfig(context);
  if (kubeconfig === undefined) return { items: [], unchecked: ['documents: there is no kubeconfig'] };
  const kubectl = new Kubectl(context, kubeconfig);
  const findings = await Promise.all(
    documents.map(async (document): Promise<Findings> => {
      try {
        const [prepared] = await prepareDocuments(context, [document]);
        if (prepared === undefined) return { items: [], unchecked: [] };
        const found = await compare(kubectl, prepared);
        return found.items.length > 0 ? found : { items: await doNotWork(context, kubectl, prepared), unchecked: [] };
      } catch (error) {
        if (!(error instanceof StageFailure) || context.signal.aborted) throw error;
        return { items: [], unchecked: [sentence(`documents ${document.name}: ${error.error.message}`)] };
      }
    }),
  );
  const items = withHolders(findings.flatMap((found) => found.items));
  return { items, unchecked: findings.flatMap(({ unchecked }) => unchecked) };
}

/** A component after one of its plane that does not work, in their order: to apply it would not help yet. */
function withHolders(items: readonly DriftItem[]): readonly DriftItem[] {
  const holders = new Map<string, string>();
  return items.map((item) => {
    const { name = '' } = item.where;
    const plane = planeOfDocument(name);
    if (plane === undefined) return item;
    const holder = holders.get(plane);
    if (!item.repairable && holder === undefined) holders.set(plane, name);
    if (!item.repairable || holder === undefined) return item;
    const message = sentence(`${item.message}; it waits for ${holder}, which does not work`);
    return { ...item, message, repairable: false };
  });
}

/** As they were applied, but what they start does not work: to apply them again would not help. */
function doNotWork(
  context: DriftContext,
  kubectl: Kubectl,
  { document: { name }, objects }: PreparedDocument,
): Promise<readonly DriftItem[]> {
  return lookTwice(context, async () => {
    const broken = await notAvailable(kubectl, objects);
    if (broken.length === 0) return [];
    const message = sentence(
      `the documents ${name} are as they were applied, but do not work: ${shownObjects(broken)}`,
    );
    return [{ kind: 'document', where: { name }, message, repairable: false }];
  });
}

const diff = [
  ...['diff', '--server-side', `--field-manager=${fieldManager}`, '--force-conflicts'],
  ...['--request-timeout=60s', '-f', '-'],
];

/** kubectl writes both forms of each object into two directories and lets a program compare them: only the names of files are printed. */
async function compare(kubectl: Kubectl, { document, objects }: PreparedDocument): Promise<Findings> {
  const environment = { KUBECTL_EXTERNAL_DIFF: 'diff -qrN' };
  const { code, stdout, stderr } = await kubectl.try(diff, { input: asList(objects), environment });
  if (code === 0) return { items: [], unchecked: [] };
  const changed = stdout.split('\n').flatMap((line) => {
    const [, files = ''] = /^Files (.*) differ$/.exec(line) ?? [];
    const [file = ''] = files.split(' and ', 1);
    return /\/(?<name>[^/\s]+)$/.exec(file)?.groups?.name ?? [];
  });
  // A definition that is gone takes the kinds of its objects with it.
  const gone =
    /no matches for kind|the server could not find the requested resource|namespaces? "[^"]*" not found/i.test(stderr);
  if (changed.length === 0 && !gone) throw kubectl.failure('diff', { code, stdout, stderr }, document.name);
  const what =
    changed.length > 0 ? `differ from what was applied: ${shownObjects(changed)}` : 'are no longer in the cluster';
  const item: DriftItem = {
    kind: 'document',
    where: { name: document.name },
    message: sentence(`the documents ${document.name} ${what}`),
    repairable: true,
  };
  return { items: [item], unchecked: [] };
}
