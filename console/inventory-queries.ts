/** What the pages of inventories and roll-outs ask for: each two seconds while a roll-out is under way, each ten else. */
import { useQuery } from '@tanstack/react-query';
import { type AnswerTo, ask } from './api.ts';

export type InventoryList = AnswerTo<'GET /v1/inventory/{namespace}'>;
export type InventoryCluster = InventoryList['clusters'][number];
export type InventoryPlan = AnswerTo<'POST /v1/inventory/{namespace}/plan'>;
export type RollOut = AnswerTo<'GET /v1/inventory/{namespace}/rollouts/{id}'>;
export type RollOutSummary = AnswerTo<'GET /v1/inventory/{namespace}/rollouts'>['items'][number];

const calmMs = 10_000;

/** So many namespaces are asked for an inventory at most. */
const askedAtMost = 20;

/** The first namespace that has an inventory; the first of all when none has; undefined while no one knows. */
export function useFirstInventory(namespaces: readonly string[], wanted: boolean): string | undefined {
  const first = useQuery({
    queryKey: ['first-inventory', ...namespaces],
    queryFn: async ({ signal }) => {
      for (const namespace of namespaces.slice(0, askedAtMost)) {
        const { items } = await ask('GET /v1/inventory/{namespace}', { params: { namespace }, signal });
        if (items.length > 0) return namespace;
      }
      return namespaces[0] ?? 'default';
    },
    enabled: wanted && namespaces.length > 0,
    staleTime: 60_000,
  });
  return first.data ?? (first.error ? namespaces[0] : undefined);
}

export function useInventory(namespace: string) {
  return useQuery({
    queryKey: ['inventory', namespace],
    queryFn: ({ signal }) => ask('GET /v1/inventory/{namespace}', { params: { namespace }, signal }),
    refetchInterval: calmMs,
  });
}

export function useRollOuts(namespace: string) {
  return useQuery({
    queryKey: ['roll-outs', namespace],
    queryFn: async ({ signal }) =>
      (await ask('GET /v1/inventory/{namespace}/rollouts', { params: { namespace }, signal })).items,
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => status === 'Running') ? 2000 : calmMs),
  });
}

export function useRollOut(namespace: string, id: string | undefined) {
  return useQuery({
    queryKey: ['roll-out', namespace, id],
    queryFn: ({ signal }) =>
      ask('GET /v1/inventory/{namespace}/rollouts/{id}', { params: { namespace, id: id ?? '' }, signal }),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === 'Running' ? 1000 : calmMs),
  });
}
