/** Applies documents server-side, waits until they work, and removes what is no longer rendered. */
import { hasToken, isBackground } from '#domain/cluster-documents.ts';
import {
  type KubernetesObject,
  nameOfObject,
  objectKey,
  objectText,
  parseObjectText,
} from '#domain/kubernetes-objects.ts';
import { planeOfDocument } from '#domain/planes/management-plane.ts';
import { applySteps, documentsLabel, fieldManager } from '#rendering/documents.ts';
import type { Kubectl } from '../kubernetes/kubectl.ts';
import type { StageContext } from '../stage-context.ts';
import { unreadableAnswer } from '../tool-answer.ts';
import { newAgentSecret } from './agent-token.ts';
import { type AvailabilityWait, sharedDeadlines, shownObjects, untilAvailable } from './availability.ts';
import { asList, deleteObjects, getObjects, objectsOf } from './objects.ts';
import type { PreparedDocument } from './prepare-documents.ts';
import { pruneObjects } from './prune-documents.ts';

interface ApplyOptions extends AvailabilityWait {
  /** Contracts of components, by the name of their documents. @default none */
  readonly contracts?: ReadonlyMap<string, string>;
}

/** A component that was not applied, and the one of its plane that does not work yet. */
export interface HeldComponent {
  readonly name: string;
  readonly holder: string;
}

interface AppliedDocuments {
  readonly applied: number;
  readonly held: readonly HeldComponent[];
}

/** In their order. What was applied is in the facts also when a later one fails. What does not work after the wait is a warning, and holds the components of its plane after it. */
export async function applyDocuments(
  context: StageContext,
  kubectl: Kubectl,
  documents: readonly PreparedDocument[],
  { totalMs = 10 * 60_000, pauseMs = 3000, contracts = new Map() }: ApplyOptions = {},
): Promise<AppliedDocuments> {
  const planes = documents.map(({ document }) => planeOfDocument(document.name));
  const deadlineOf = sharedDeadlines(planes, totalMs);
  const done: (() => Promise<void>)[] = [];
  const stuck = new Map<string, string>();
  const held: HeldComponent[] = [];
  for (const { document, objects, hash } of documents) {
    const { name, version } = document;
    const plane = planeOfDocument(name);
    const holder = plane && stuck.get(plane);
    if (holder !== undefined) {
      held.push({ name, holder });
      holdComponent(context, name, holder);
      continue;
    }
    const wait = { deadline: deadlineOf(plane), pauseMs };
    const contract = contracts.get(name);
    const before = context.facts.current.documents?.[name]?.objects ?? [];
    const applied: KubernetesObject[] = [];
    const broken: string[] = [];
    // It is applied with them, but no check compares it, because it differs each time.
    const secret = hasToken(document) ? [newAgentSecret(context, name)] : [];
    for (const step of applySteps([...secret, ...objects])) {
      applied.push(...(await applyStep(kubectl, name, step)));
      if (secret.some((object) => step.includes(object))) context.facts.agentApplied(context.ports.clock.now());
      // Until all of it is applied, what was applied before may exist, too.
      context.facts.documents(name, { version, hash: '', objects: [...new Set([...before, ...applied.map(textOf)])] });
      if (!isBackground(document)) broken.push(...(await untilAvailable(context, kubectl, step, wait)));
    }
    const keys = new Set(applied.map((object) => objectKey(nameOfObject(object))));
    const old = before.filter((text) => !keys.has(objectKey(parseObjectText(text))));
    done.push(async () => {
      // What takes their place may be in a component that is held; the next time that this one is applied, they go.
      const stays = held.length > 0;
      if (!stays) await pruneObjects(context, kubectl, { name, objects: old });
      const unfinished = broken.length > 0 && document.component && `these do not work yet: ${shownObjects(broken)}`;
      context.facts.documents(name, {
        version,
        hash,
        objects: [...applied.map(textOf), ...(stays ? old : [])],
        ...(contract !== undefined && { contract }),
        ...(unfinished && { unfinished }),
      });
    });
    if (plane !== undefined && broken.length > 0) stuck.set(plane, name);
    reportApplied(context, { name, version, count: applied.length, broken });
  }
  // An object may have moved from one to another: nothing is removed before all are applied.
  for (const finish of done) await finish();
  return { applied: documents.length - held.length, held };
}

/** Its contract says what the one before it must do: it would only fail in other words. */
function holdComponent({ emit, facts }: StageContext, name: string, holder: string): void {
  const unfinished = `it waits for ${holder}, which does not work yet`;
  emit({ kind: 'ComponentHeld', message: `${name} is not applied: ${unfinished}` });
  const before = facts.current.documents?.[name];
  if (before !== undefined) facts.documents(name, { ...before, unfinished });
}

function reportApplied(
  { emit }: StageContext,
  about: {
    readonly name: string;
    readonly version: string;
    readonly count: number;
    readonly broken: readonly string[];
  },
): void {
  const { name, version, count, broken } = about;
  const message = `${name} (${version}) is in the cluster: ${count} objects`;
  if (broken.length === 0) {
    emit({ kind: 'DocumentsApplied', message });
    return;
  }
  const what = `${message}, but these do not work yet: ${shownObjects(broken)}`;
  emit({ kind: 'DocumentsNotAvailable', message: `${what}; see \`kubectl describe\` of them and of their pods` });
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
  if (result.code !== 0) throw kubectl.failure('apply', result, name);
  return onlyOf(objects, objectsOf(result.stdout), name);
}

/** What is noted as applied is removed one day: the answer may name nothing else. */
function onlyOf(
  objects: readonly KubernetesObject[],
  answered: readonly KubernetesObject[],
  name: string,
): readonly KubernetesObject[] {
  const own = new Map(objects.map((object) => [objectKey({ ...nameOfObject(object), namespace: '' }), object]));
  const stranger = answered.find((object) => {
    const applied = own.get(objectKey({ ...nameOfObject(object), namespace: '' }));
    const { namespace } = applied?.metadata ?? {};
    return applied === undefined || (namespace !== undefined && namespace !== object.metadata.namespace);
  });
  if (stranger === undefined) return answered;
  throw unreadableAnswer(
    { tool: 'kubectl', what: 'its answer about applied objects', resource: name },
    `it names ${textOf(stranger)}, which was not applied`,
  );
}

function isImmutable(stderr: string): boolean {
  return /updates to \w+ are forbidden|field is immutable/i.test(stderr);
}

const errorsOnly = (line: string, stream: 'stdout' | 'stderr'): string | undefined =>
  stream === 'stderr' ? line : undefined;
