/** Removes objects that Kubeloom applied and no longer renders: only listed objects that still have the label of the document. */
import { type DocumentState, hasToken, staysInCluster } from '#domain/cluster-documents.ts';
import { nameOfObject, objectKey, parseObjectText } from '#domain/kubernetes-objects.ts';
import { documentsLabel, isKept } from '#rendering/documents.ts';
import type { Kubectl } from '../kubernetes/kubectl.ts';
import type { StageContext } from '../stage-context.ts';
import { agentSecretObject } from './agent-token.ts';
import { shownObjects } from './availability.ts';
import { deleteObjects, findObjects } from './objects.ts';

/** Removes documents that are no longer desired. Objects that others depend on stay, and an event reports that. */
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
    const moved = Object.values(facts.current.documents ?? {}).some((one) => one.objects.includes(agentSecretObject));
    if (known !== undefined && hasToken(known) && !moved) facts.agent(undefined);
    context.emit({ kind: 'DocumentsRemoved', message: `${name} is no longer managed in the cluster` });
  }
  return names.length;
}

/** Removes the listed objects (`objectText`) of one document, unless another document now has them. Objects that may contain users' objects stay. */
export async function pruneObjects(
  context: StageContext,
  kubectl: Kubectl,
  { name, objects }: { readonly name: string; readonly objects: readonly string[] },
): Promise<void> {
  const elsewhere = objectsElsewhere(context, name);
  const left = objects.filter((text) => !elsewhere.has(objectKey(parseObjectText(text))));
  const kept = left.filter((text) => isKept(parseObjectText(text)));
  if (kept.length > 0) reportObjectsKept(context, name, kept);
  const listed = left.filter((text) => !kept.includes(text)).map(parseObjectText);
  const live = await findObjects(kubectl, listed);
  const ours = new Map(
    live
      .filter(({ metadata }) => metadata.labels?.[documentsLabel] === name)
      .map((object) => [objectKey(nameOfObject(object)), nameOfObject(object)]),
  );
  const deleted = new Set(listed.flatMap((object) => ours.get(objectKey(object)) ?? []));
  await deleteObjects(kubectl, [...deleted]);
}

/** `objectKey` of the objects of all other documents. */
function objectsElsewhere({ facts }: StageContext, name: string): ReadonlySet<string> {
  const others = Object.entries(facts.current.documents ?? {}).filter(([other]) => other !== name);
  return new Set(others.flatMap(([, { objects }]) => objects.map((text) => objectKey(parseObjectText(text)))));
}

function reportKept(context: StageContext, { name }: DocumentState, objects: readonly string[]): void {
  if (objects.length === 0) return;
  const message = `${name}: its ${objects.length} objects stay in the cluster, because volumes may depend on them; docs/storage.md says how to remove them`;
  context.emit({ kind: 'DocumentsKept', message });
}

function reportObjectsKept({ emit }: StageContext, name: string, kept: readonly string[]): void {
  const hasDefinition = kept.some((text) => parseObjectText(text).kind === 'CustomResourceDefinition');
  const danger = hasDefinition ? '; deleting a definition deletes all of its objects' : '';
  const message = `${name}: ${shownObjects(kept)} stay in the cluster; delete them by hand if nothing uses them${danger}`;
  emit({ kind: 'DocumentsKept', message });
}
