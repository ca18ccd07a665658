/** Applies documents server-side, waits until they work, and removes what is no longer rendered. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type KubernetesObject,
  nameOfObject,
  objectKey,
  objectText,
  parseObjectText,
} from '#domain/kubernetes-objects.ts';
import { applySteps, documentsLabel, fieldManager, hasStatus, isAvailable } from '#rendering/documents.ts';
import type { Kubectl } from '../kubernetes/kubectl.ts';
import type { StageContext } from '../stage-context.ts';
import { StageFailure, stageCancelled } from '../stage-failure.ts';
import { asList, deleteObjects, getObjects, objectsOf } from './objects.ts';
import type { PreparedDocument } from './prepare-documents.ts';
import { pruneObjects } from './prune-documents.ts';

export interface AvailabilityWait {
  /** For the objects of one document to work: images are pulled first. @default 15 minutes */
  readonly totalMs?: number;
  /** @default 3 s */
  readonly pauseMs?: number;
}

/** In their order. What was applied is in the facts also when a later one fails. Throws `DocumentNotAvailable` and the errors of kubectl. */
export async function applyDocuments(
  context: StageContext,
  kubectl: Kubectl,
  documents: readonly PreparedDocument[],
  waiting: AvailabilityWait = {},
): Promise<number> {
  const done: (() => Promise<void>)[] = [];
  for (const { document, objects, hash } of documents) {
    const { name, version } = document;
    const before = context.facts.current.documents?.[name]?.objects ?? [];
    const applied: KubernetesObject[] = [];
    for (const step of applySteps(objects)) {
      applied.push(...(await applyStep(kubectl, name, step)));
      // Until all of it is applied, what was applied before may exist, too.
      context.facts.documents(name, { version, hash: '', objects: [...new Set([...before, ...applied.map(textOf)])] });
      await untilAvailable(context, kubectl, { name, objects: step }, waiting);
    }
    const keys = new Set(applied.map((object) => objectKey(nameOfObject(object))));
    const old = before.filter((text) => !keys.has(objectKey(parseObjectText(text))));
    done.push(async () => {
      await pruneObjects(context, kubectl, { name, objects: old });
      context.facts.documents(name, { version, hash, objects: applied.map(textOf) });
    });
    context.emit({
      kind: 'DocumentsApplied',
      message: `${name} (${version}) is in the cluster: ${applied.length} objects`,
    });
  }
  // An object may have moved from one to another: nothing is removed before all are applied.
  for (const finish of done) await finish();
  return documents.length;
}

function textOf(object: KubernetesObject): string {
  return objectText(nameOfObject(object));
}

const apply = [
  ...['apply', '--server-side', `--field-manager=${fieldManager}`, '--force-conflicts'],
  // Fields that the API does not know are refused by a server-side apply anyway.
  ...['--validate=false', '-o', 'json', '--request-timeout=60s', '-f', '-'],
];

/** What the API server answers: it has the namespaces that were left out. */
async function applyStep(
  kubectl: Kubectl,
  name: string,
  objects: readonly KubernetesObject[],
): Promise<readonly KubernetesObject[]> {
  const run = () => kubectl.try(apply, { input: asList(objects), onLine: errorsOnly });
  let result = await run();
  const fixed = objects.filter(({ kind }) => kind === 'StorageClass');
  if (result.code !== 0 && fixed.length > 0 && isImmutable(result.stderr)) {
    // Classes cannot be changed in place, and volumes do not need theirs any more.
    const live = await getObjects(kubectl, fixed.map(nameOfObject));
    await deleteObjects(
      kubectl,
      live.filter(({ metadata }) => metadata.labels?.[documentsLabel] === name).map(nameOfObject),
    );
    result = await run();
  }
  if (result.code === 0) return objectsOf(result.stdout);
  throw kubectl.failure('apply', result, name);
}

function isImmutable(stderr: string): boolean {
  return /updates to \w+ are forbidden|field is immutable/i.test(stderr);
}

const errorsOnly = (line: string, stream: 'stdout' | 'stderr'): string | undefined =>
  stream === 'stderr' ? line : undefined;

async function untilAvailable(
  { log, signal }: StageContext,
  kubectl: Kubectl,
  { name, objects }: { readonly name: string; readonly objects: readonly KubernetesObject[] },
  { totalMs = 15 * 60_000, pauseMs = 3000 }: AvailabilityWait,
): Promise<void> {
  const watched = objects.filter(hasStatus);
  if (watched.length === 0) return;
  const deadline = performance.now() + totalMs;
  for (;;) {
    const live = await getObjects(
      kubectl,
      watched.map((object) => ({ namespace: 'default', ...nameOfObject(object) })),
    );
    const waitedFor = live.filter((object) => !isAvailable(object)).map(textOf);
    const [first] = waitedFor;
    if (first === undefined && live.length === watched.length) return;
    if (performance.now() > deadline) throw notAvailable(name, first ?? 'an object that is gone again', totalMs);
    log.write('runner', `waiting for ${waitedFor.join(', ')}`);
    await pause(pauseMs, undefined, { signal }).catch(() => {
      throw stageCancelled(signal);
    });
  }
}

function notAvailable(name: string, object: string, totalMs: number): StageFailure {
  return new StageFailure({
    class: 'transient',
    code: 'DocumentsNotAvailable',
    message: `${object} of the documents ${name} does not work after ${Math.round(totalMs / 1000)} s.`,
    resource: name,
    hint: 'See `kubectl describe` of it and of its pods: an image that cannot be pulled, or no node that they may run on.',
  });
}
