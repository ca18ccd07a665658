/** Refuses an object that two documents have: each would apply its own form of it, and the one that goes would take it along. */
import {
  type KubernetesObject,
  nameOfObject,
  objectKey,
  objectText,
  parseObjectText,
} from '#domain/kubernetes-objects.ts';
import { planeOfDocument } from '#domain/planes/management-plane.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure } from '../stage-failure.ts';
import type { PreparedDocument } from './prepare-documents.ts';

/** Throws `ObjectsTwice`. Documents without a component among them are their user's own affair, and namespaces may be of several. */
export function refuseObjectsTwice(
  { facts, target }: Pick<StageContext, 'facts' | 'target'>,
  prepared: readonly PreparedDocument[],
): void {
  const changing = new Set(prepared.map(({ document }) => document.name));
  // What changes or goes may give its objects to others.
  const staying = (target?.documents ?? []).filter(({ name }) => !changing.has(name));
  const owners = new Map(
    staying.flatMap(({ name }) =>
      (facts.current.documents?.[name]?.objects ?? []).map((text) => [objectKey(parseObjectText(text)), name] as const),
    ),
  );
  const twice: string[] = [];
  for (const { document, objects } of prepared) {
    for (const object of objects.filter(({ apiVersion, kind }) => apiVersion !== 'v1' || kind !== 'Namespace')) {
      const key = objectKey(nameOfObject(object));
      const owner = owners.get(key) ?? document.name;
      if (owner !== document.name && isAffair(owner, document.name)) twice.push(textOf(object, owner, document.name));
      owners.set(key, document.name);
    }
  }
  if (twice.length === 0) return;
  const more = twice.length > 5 ? ` and ${twice.length - 5} more` : '';
  throw new StageFailure({
    class: 'user',
    code: 'ObjectsTwice',
    message: `Two documents have the same objects: ${twice.slice(0, 5).join('; ')}${more}. Nothing was changed.`,
    hint: 'Leave them out of one of the two: remove the document, or give the instance of the component another namespace.',
  });
}

function isAffair(one: string, other: string): boolean {
  return (planeOfDocument(one) ?? planeOfDocument(other)) !== undefined;
}

function textOf(object: KubernetesObject, one: string, other: string): string {
  return `${objectText(nameOfObject(object))} of ${one} and ${other}`;
}
