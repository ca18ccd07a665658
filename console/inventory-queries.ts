/** What the pages of inventories and roll-outs ask for: each two seconds while clusters of a roll-out are worked on. */
import { useQuery } from '@tanstack/react-query';
import type { InventoryList } from '#contracts/inventory.ts';
import type { RollOutDescription } from '#contracts/roll-outs.ts';
import type { AnswerTo } from './api.ts';
import { calmFor, quickMs } from './model/pace.ts';
import { paced } from './queries.ts';
import { askUnlessChanged } from './unless-changed.ts';

export type InventoryClusterRow = InventoryList['clusters'][number];
export type RollOutSummary = AnswerTo<'GET /v1/inventory/{namespace}/rollouts'>['items'][number];

/** So many namespaces are asked for an inventory at most. */
const askedAtMost = 20;

/** The first namespace that has an inventory; the first of all when none has. `namespaces` is undefined while no one knows. */
export function useFirstInventory(namespaces: readonly string[] | undefined, wanted: boolean) {
  return useQuery({
    queryKey: ['first-inventory', namespaces],
    queryFn: async ({ signal }) => {
      for (const namespace of (namespaces ?? []).slice(0, askedAtMost)) {
        const { items } = await askUnlessChanged('GET /v1/inventory/{namespace}', { params: { namespace }, signal });
        if (items.length > 0) return namespace;
      }
      return namespaces?.[0] ?? 'default';
    },
    enabled: wanted && namespaces !== undefined,
    staleTime: 60_000,
  });
}

/** The list, and the one that is shown. */
const requestsOfRollOuts = 2;

/** Waves are watched for hours: nothing happens then. */
const isAtWork = ({ status, soakUntil }: Pick<RollOutSummary, 'status' | 'soakUntil'>): boolean =>
  (status === 'Running' || status === 'Interrupted') && (soakUntil === null || Date.parse(soakUntil) <= Date.now());

export function useInventory(namespace: string) {
  return useQuery({
    queryKey: ['inventory', namespace],
    queryFn: ({ signal }) => askUnlessChanged('GET /v1/inventory/{namespace}', { params: { namespace }, signal }),
    refetchInterval: paced<unknown>(() => calmFor(1)),
  });
}

export function useRollOuts(namespace: string) {
  return useQuery({
    queryKey: ['roll-outs', namespace],
    queryFn: async ({ signal }) =>
      (await askUnlessChanged('GET /v1/inventory/{namespace}/rollouts', { params: { namespace }, signal })).items,
    refetchInterval: paced((all: readonly RollOutSummary[] = []) =>
      all.some(isAtWork) ? 5 * quickMs : calmFor(requestsOfRollOuts),
    ),
  });
}

/** Those that halted or were interrupted, in all namespaces. */
export function useTroubledRollOuts(requests: number) {
  return useQuery({
    queryKey: ['troubled-roll-outs'],
    queryFn: async ({ signal }) => (await askUnlessChanged('GET /v1/rollouts', { signal })).items,
    refetchInterval: paced<unknown>(() => calmFor(requests)),
  });
}

export function useRollOut(namespace: string, id: string | undefined) {
  return useQuery({
    queryKey: ['roll-out', namespace, id],
    queryFn: ({ signal }) =>
      askUnlessChanged('GET /v1/inventory/{namespace}/rollouts/{id}', { params: { namespace, id: id ?? '' }, signal }),
    enabled: id !== undefined,
    refetchInterval: paced((one: RollOutDescription | undefined) =>
      one && isAtWork(one) ? 2 * quickMs : calmFor(requestsOfRollOuts),
    ),
  });
}
