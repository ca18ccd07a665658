/** Refuses to remove components while objects of their kinds exist: nothing would act on them, and a webhook that is gone could not convert them. */
import { z } from 'zod';
import type { DocumentState } from '#domain/cluster-documents.ts';
import { type ObjectName, parseObjectText } from '#domain/kubernetes-objects.ts';
import { closedText } from '#domain/observed/closed-texts.ts';
import {
  KubernetesName,
  ObjectKind,
  ObjectPathName,
  ObjectUid,
  ObservedLabelValue,
} from '#domain/observed/kubernetes-texts.ts';
import { releaseOf } from '#domain/plane-documents.ts';
import { documentsLabel, isDefinition } from '#rendering/documents.ts';
import type { Kubectl } from '../kubernetes/kubectl.ts';
import { complaintsOnly } from '../process.ts';
import { knownStates, type StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import { readToolValue } from '../tool-answer.ts';
import { shownObjects } from './availability.ts';
import { findObjects } from './objects.ts';
import type { PreparedDocument } from './prepare-documents.ts';

const columns = [
  ...['KIND:.kind', 'NAMESPACE:.metadata.namespace', 'NAME:.metadata.name'],
  `DOCUMENTS:.metadata.labels.${documentsLabel.replaceAll('.', '\\.')}`,
  ...['UID:.metadata.uid', 'OWNERS:.metadata.ownerReferences[*].uid'],
].join(',');

const none = z.literal('<none>');

const ofObjects = { tool: 'kubectl', what: 'its list of the objects of components' };

/** A line of these columns. */
export const ObjectRow = z.tuple([
  ObjectKind,
  KubernetesName.or(none),
  ObjectPathName,
  ObservedLabelValue.or(none),
  ObjectUid,
  none.transform(() => []).or(closedText(5000, /^[\w-]+(?:,[\w-]+)*$/).transform((uids) => uids.split(','))),
]);

interface Removal {
  /** Names of documents that go. */
  readonly removed: readonly string[];
  readonly prepared: readonly PreparedDocument[];
}

/** Throws `ComponentInUse` with the list, before anything is touched. What goes with the documents itself does not count. */
export async function refuseComponentsInUse(
  context: StageContext,
  kubectl: Kubectl,
  { removed, prepared }: Removal,
): Promise<void> {
  const gone = removed.filter((name) => releaseOf(context.facts.current.documents?.[name] ?? { version: '' }));
  const places = placesOf(context, gone, prepared);
  const names = [...new Set([...places.values()].flat())];
  const existing = await findObjects(kubectl, names.map(definitionNamed));
  const live = new Set(existing.map(({ metadata }) => metadata.name));
  const used: string[] = [];
  for (const [namespace, definitions] of places) {
    const kinds = definitions.filter((name) => live.has(name));
    if (kinds.length > 0) used.push(...(await objectsOf(kubectl, { namespace, kinds, removed })));
  }
  if (used.length === 0) return;
  throw new StageFailure({
    class: 'user',
    code: 'ComponentInUse',
    message: `Components are not removed, because objects of their kinds exist: ${shownObjects(used)}. Nothing was changed.`,
    resource: gone[0],
    hint: 'Delete these objects while their components still run, then retry; or put the components into the ManagementPlane again.',
  });
}

/** Definitions of components that go, by the namespace whose objects lose their component; '' is all of them. */
function placesOf(
  context: StageContext,
  gone: readonly string[],
  prepared: readonly PreparedDocument[],
): ReadonlyMap<string, readonly string[]> {
  const states = knownStates(context).flatMap(({ documents = [] }) => documents);
  const own = (name: string): readonly string[] => [
    ...(context.facts.current.documents?.[name]?.objects ?? []).map(parseObjectText).filter(isDefinition).map(nameOf),
    ...prepared
      .filter(({ document }) => document.name === name)
      .flatMap(({ objects }) => objects.filter(isDefinition).map(({ metadata }) => metadata.name)),
  ];
  // One instance of a provider has the definitions of all.
  const definitionsOf = (name: string): readonly string[] => {
    const provider = states.find((state) => state.name === name)?.component?.provider;
    const alike = states.filter(({ component }) => provider !== undefined && component?.provider === provider);
    return [...new Set([name, ...alike.map((state) => state.name)].flatMap(own))];
  };
  const wanted = (context.target?.documents ?? []).map(({ name, component }) => ({
    watched: component?.watchNamespace,
    definitions: definitionsOf(name),
  }));
  const found = gone.flatMap((name) => {
    const watched = states.find((state): state is DocumentState => state.name === name)?.component?.watchNamespace;
    return definitionsOf(name).flatMap((definition) => {
      const others = wanted.filter(({ definitions }) => definitions.includes(definition));
      if (others.length === 0) return [{ namespace: '', definition }];
      const acting = others.some((other) => other.watched === undefined || other.watched === watched);
      return acting || watched === undefined ? [] : [{ namespace: watched, definition }];
    });
  });
  const groups = Map.groupBy(found, ({ namespace }) => namespace);
  return new Map([...groups].map(([place, all]) => [place, [...new Set(all.map(({ definition }) => definition))]]));
}

/** As `Cluster team/a`. Not those of documents that go, and not what belongs to them. */
async function objectsOf(
  kubectl: Kubectl,
  about: { readonly namespace: string; readonly kinds: readonly string[]; readonly removed: readonly string[] },
): Promise<readonly string[]> {
  const { namespace, kinds, removed } = about;
  const place = namespace === '' ? ['--all-namespaces'] : ['--namespace', namespace];
  const args = ['get', kinds.join(','), ...place, '-o', `custom-columns=${columns}`, '--no-headers'];
  const { stdout } = await kubectl.run([...args, '--request-timeout=60s'], { onLine: complaintsOnly });
  const lines = stdout.split('\n').filter((line) => line !== '');
  const rows = lines.map((line) => {
    const [kind, at, name, documents, uid, owners] = readToolValue(ObjectRow, line.trim().split(/ +/), ofObjects);
    return { kind, at, name, documents, uid, owners };
  });
  const going = new Set(rows.filter(({ documents }) => removed.includes(documents)).map(({ uid }) => uid));
  for (let before = -1; before < going.size; ) {
    before = going.size;
    for (const { uid, owners } of rows) if (owners.some((owner) => going.has(owner))) going.add(uid);
  }
  return rows
    .filter(({ uid, at }) => !going.has(uid) && (namespace === '' || at === namespace))
    .map(({ kind, at, name }) => `${kind} ${at === '<none>' ? '' : `${at}/`}${name}`);
}

function definitionNamed(name: string): ObjectName {
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
}

function nameOf({ name }: ObjectName): string {
  return name;
}
