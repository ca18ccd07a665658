/** Describes which pods a drain waits for and which disruption budgets hold them, from the output of kubectl and the budgets of the cluster. */
import { z } from 'zod';
import { parseJson } from '#domain/json.ts';
import { KubernetesName } from '#domain/observed/kubernetes-texts.ts';
import { complaintsOnly } from '../process.ts';
import type { Kubectl } from './kubectl.ts';

export const DisruptionBudgets = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: KubernetesName, namespace: KubernetesName }),
      status: z.object({ disruptionsAllowed: z.number().default(0) }).prefault({}),
    }),
  ),
});

/** `error when evicting pods/"db-0" -n "shop" (will retry after 5s): Cannot evict pod as it would violate …` */
const evicted = /evicting pods\/"([-a-z0-9.]{1,253})" -n "([-a-z0-9]{1,63})"[^\n]{0,1000}disruption budget/g;
const mostNamed = 3;

/** Never throws: without an answer it names the pods only. */
export async function budgetsThatHold(kubectl: Kubectl, stderr: string): Promise<string> {
  const pods = [...new Set([...stderr.matchAll(evicted)].map(([, pod, namespace]) => `${namespace}/${pod}`))];
  if (pods.length === 0) return 'its pods have not ended yet';
  const namespaces = new Set(pods.map((pod) => pod.split('/')[0]));
  const result = await kubectl.try(
    ['get', 'poddisruptionbudgets', '--all-namespaces', '-o', 'json', '--request-timeout=30s'],
    { onLine: complaintsOnly },
  );
  const budgets = result.code === 0 ? (DisruptionBudgets.safeParse(parseJson(result.stdout)).data?.items ?? []) : [];
  const full = budgets.flatMap(({ metadata, status }) =>
    namespaces.has(metadata.namespace) && status.disruptionsAllowed < 1
      ? [`${metadata.namespace}/${metadata.name}`]
      : [],
  );
  const held = full.length === 0 ? 'a disruption budget' : `the disruption budget ${named(full)}`;
  return `${held} does not allow to evict ${named(pods)}`;
}

function named(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return more > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${more} more` : names.join(', ');
}
