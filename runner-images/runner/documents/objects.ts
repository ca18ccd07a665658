/** Objects of a cluster by their names: read and deleted in one call of kubectl each. */
import { z } from 'zod';
import type { KubernetesObject, ObjectName } from '#domain/kubernetes-objects.ts';
import type { Kubectl } from '../kubernetes/kubectl.ts';
import { complaintsOnly } from '../process.ts';

const Live = z.custom<KubernetesObject>((value) => z.object({ kind: z.string() }).safeParse(value).success);
const Answer = z.union([z.object({ kind: z.literal('List'), items: z.array(Live) }), Live]);

/** Those that exist. */
export async function getObjects(kubectl: Kubectl, names: readonly ObjectName[]): Promise<readonly KubernetesObject[]> {
  if (names.length === 0) return [];
  const args = ['get', '--ignore-not-found', '-o', 'json', '--request-timeout=30s', '-f', '-'];
  const { stdout } = await kubectl.run(args, { input: asList(names.map(bare)), onLine: complaintsOnly });
  return objectsOf(stdout);
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
  const answer = Answer.parse(JSON.parse(stdout));
  return 'items' in answer && answer.kind === 'List'
    ? (answer.items as readonly KubernetesObject[])
    : [answer as KubernetesObject];
}

function bare({ apiVersion, kind, namespace, name }: ObjectName): object {
  return { apiVersion, kind, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } };
}
