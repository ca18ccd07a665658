/** Objects of a cluster by their names: read and deleted in one call of kubectl each. */
import { groupOf, type KubernetesObject, type ObjectName } from '#domain/kubernetes-objects.ts';
import type { Kubectl } from '../kubernetes/kubectl.ts';
import { complaintsOnly } from '../process.ts';
import { readToolJson } from '../tool-answer.ts';
import { AnsweredObjects } from './live-objects.ts';

const read = ['get', '--ignore-not-found', '-o', 'json', '--request-timeout=30s'];

/** Those that exist. */
export async function getObjects(kubectl: Kubectl, names: readonly ObjectName[]): Promise<readonly KubernetesObject[]> {
  if (names.length === 0) return [];
  const { stdout } = await kubectl.run([...read, '-f', '-'], {
    input: asList(names.map(bare)),
    onLine: complaintsOnly,
  });
  return objectsOf(stdout);
}

/** Those that exist, in whichever version the cluster serves; a kind that it does not have any more has none. */
export async function findObjects(
  kubectl: Kubectl,
  names: readonly ObjectName[],
): Promise<readonly KubernetesObject[]> {
  if (names.length === 0) return [];
  const result = await kubectl.try([...read, '-f', '-'], { input: asList(names.map(bare)), onLine: complaintsOnly });
  if (result.code === 0) return objectsOf(result.stdout);
  if (!/no matches for kind/i.test(result.stderr)) throw kubectl.failure('get', result, undefined);
  const found: KubernetesObject[] = [];
  for (const alike of Map.groupBy(names, kindAndNamespace).values()) found.push(...(await findOfKind(kubectl, alike)));
  return found;
}

function kindAndNamespace({ apiVersion, kind, namespace = '' }: ObjectName): string {
  return `${kindArgument(apiVersion, kind)} ${namespace}`;
}

/** `ConfigMap.v1.`, `Deployment.apps` */
function kindArgument(apiVersion: string, kind: string): string {
  const group = groupOf(apiVersion);
  return group === '' ? `${kind}.${apiVersion}.` : `${kind}.${group}`;
}

/** All of one kind and namespace. */
async function findOfKind(kubectl: Kubectl, names: readonly ObjectName[]): Promise<readonly KubernetesObject[]> {
  const [first] = names;
  if (first === undefined) return [];
  const place = first.namespace === undefined ? [] : ['--namespace', first.namespace];
  const kind = kindArgument(first.apiVersion, first.kind);
  const result = await kubectl.try([...read, ...place, kind, ...names.map(({ name }) => name)], {
    onLine: complaintsOnly,
  });
  if (result.code === 0) return objectsOf(result.stdout);
  if (/doesn't have a resource type|no matches for kind/i.test(result.stderr)) return [];
  throw kubectl.failure('get', result, undefined);
}

/** Waits until they are gone. */
export async function deleteObjects(kubectl: Kubectl, names: readonly ObjectName[]): Promise<void> {
  if (names.length === 0) return;
  const args = ['delete', '--ignore-not-found', '--wait=true', '--timeout=120s', '-f', '-'];
  await kubectl.run(args, { input: asList(names.map(bare)) });
}

/** Several objects as one input of kubectl. */
export function asList(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

/** What `-o json` prints: nothing, one object, or a list. */
export function objectsOf(stdout: string): readonly KubernetesObject[] {
  if (stdout.trim() === '') return [];
  return readToolJson(AnsweredObjects, stdout, { tool: 'kubectl', what: 'its list of objects' });
}

function bare({ apiVersion, kind, namespace, name }: ObjectName): object {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}
