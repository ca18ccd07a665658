/** What the settings ask for: lists that change when a person changes them. `others`: requests that the page makes at the same time. */
import { useQuery } from '@tanstack/react-query';
import type { AnswerTo } from './api.ts';
import { calmFor } from './model/pace.ts';
import { paced } from './queries.ts';
import { askUnlessChanged } from './unless-changed.ts';

type Instances = AnswerTo<'GET /v1/providers'>['items'];
export type ListedInstance = Instances[number];

/** As many as the API gives at once. */
const pageSize = 200;
const pagesOf = (all: readonly unknown[] = []): number => Math.max(1, Math.ceil(all.length / pageSize));

export function useInstances(others: number) {
  return useQuery({
    queryKey: ['providers'],
    queryFn: async ({ signal }) => {
      const items: Instances = [];
      for (let next: string | undefined; ; ) {
        const page = await askUnlessChanged('GET /v1/providers', {
          query: { limit: pageSize, ...(next !== undefined && { next }) },
          signal,
        });
        items.push(...page.items);
        next = page.next;
        if (next === undefined) return items;
      }
    },
    refetchInterval: paced((all: Instances | undefined) => calmFor(pagesOf(all) + others)),
  });
}

/** With the instances that need them. */
export function useSecrets() {
  const instances = useInstances(1);
  const secrets = useQuery({
    queryKey: ['secrets'],
    queryFn: async ({ signal }) => (await askUnlessChanged('GET /v1/secrets', { signal })).items,
    refetchInterval: paced<unknown>(() => calmFor(pagesOf(instances.data) + 1)),
  });
  return { instances, secrets };
}

export function useSources() {
  return useQuery({
    queryKey: ['git-sources'],
    queryFn: async ({ signal }) => (await askUnlessChanged('GET /v1/git-sources', { signal })).items,
    refetchInterval: paced<unknown>(() => calmFor(1)),
  });
}

/** Templates of these namespaces, with the provider instances that use them; `namespaces` is undefined while no one knows. */
export function useTemplates(namespaces: readonly string[] | undefined) {
  const count = namespaces?.length ?? 0;
  const instances = useInstances(count);
  const templates = useQuery({
    queryKey: ['templates', namespaces],
    queryFn: async ({ signal }) => {
      const lists = (namespaces ?? []).map((namespace) =>
        askUnlessChanged('GET /v1/templates/{namespace}', { params: { namespace }, signal }),
      );
      return (await Promise.all(lists)).flatMap(({ items }) => items);
    },
    enabled: namespaces !== undefined,
    refetchInterval: paced<unknown>(() => calmFor(pagesOf(instances.data) + count)),
  });
  return { instances, templates };
}
