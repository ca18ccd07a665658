/** Removes what Kubeloom applied and does not render any more: by its list, and only what still has the label of the document. */
import { type DocumentState, staysInCluster } from '#domain/cluster-documents.ts';
import { nameOfObject, objectText, parseObjectText } from '#domain/kubernetes-objects.ts';
import { documentsLabel, isKept } from '#rendering/documents.ts';
import type { Kubectl } from '../kubernetes/kubectl.ts';
import type { StageContext } from '../stage-context.ts';
import { deleteObjects, getObjects } from './objects.ts';

/** Documents that are no longer desired. Those that others depend on stay, and an event says so. */
export async function pruneDocuments(
  context: StageContext,
  kubectl: Kubectl,
  names: readonly string[],
): Promise<number> {
  const { others, facts } = context;
  for (const name of names) {
    const known = others.flatMap(({ documents = [] }) => documents).find((document) => document.name === name);
    const objects = facts.current.documents?.[name]?.objects ?? [];
    if (known !== undefined && staysInCluster(known)) reportKept(context, known, objects);
    else await pruneObjects(context, kubectl, { name, objects: [...objects].reverse() });
    facts.documents(name, undefined);
    context.emit({ kind: 'DocumentsRemoved', message: `${name} is no longer managed in the cluster` });
  }
  return names.length;
}

/** The listed objects (`objectText`) of one document; those that users may have put something into stay. */
export async function pruneObjects(
  context: StageContext,
  kubectl: Kubectl,
  { name, objects }: { readonly name: string; readonly objects: readonly string[] },
): Promise<void> {
  const kept = objects.filter((text) => isKept(parseObjectText(text)));
  if (kept.length > 0) reportObjectsKept(context, name, kept);
  const listed = objects.filter((text) => !kept.includes(text));
  const live = await getObjects(kubectl, listed.map(parseObjectText));
  const ours = new Set(
    live
      .filter(({ metadata }) => metadata.labels?.[documentsLabel] === name)
      .map((object) => objectText(nameOfObject(object))),
  );
  await deleteObjects(kubectl, listed.filter((text) => ours.has(text)).map(parseObjectText));
}

function reportKept(context: StageContext, { name }: DocumentState, objects: readonly string[]): void {
  if (objects.length === 0) return;
  const message = `${name}: its ${objects.length} objects stay in the cluster, because volumes may depend on them; docs/storage.md says how to remove them`;
  context.emit({ kind: 'DocumentsKept', message });
}

function reportObjectsKept({ emit }: StageContext, name: string, kept: readonly string[]): void {
  const shown = kept.slice(0, 5).join(', ');
  const more = kept.length > 5 ? ` and ${kept.length - 5} more` : '';
  emit({
    kind: 'DocumentsKept',
    message: `${name}: ${shown}${more} stay in the cluster; delete them by hand if nothing uses them`,
  });
}
