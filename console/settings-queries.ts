/** What the settings ask for: lists that change when a person changes them. */
import { useQuery } from '@tanstack/react-query';
import { type AnswerTo, ask } from './api.ts';

type Instances = AnswerTo<'GET /v1/providers'>['items'];
export type ProviderInstance = Instances[number];

/** People change these: half a minute is recent enough. */
const calm = { refetchInterval: 30_000 } as const;

export function useInstances() {
  return useQuery({
    ...calm,
    queryKey: ['providers'],
    queryFn: async ({ signal }) => {
      const items: Instances = [];
      for (let next: string | undefined; ; ) {
        const page = await ask('GET /v1/providers', {
          query: { limit: 200, ...(next !== undefined && { next }) },
          signal,
        });
        items.push(...page.items);
        next = page.next;
        if (next === undefined) return items;
      }
    },
  });
}

export function useSecrets() {
  return useQuery({
    ...calm,
    queryKey: ['secrets'],
    queryFn: async ({ signal }) => (await ask('GET /v1/secrets', { signal })).items,
  });
}

export function useSources() {
  return useQuery({
    ...calm,
    queryKey: ['git-sources'],
    queryFn: async ({ signal }) => (await ask('GET /v1/git-sources', { signal })).items,
  });
}

export function useTemplates(namespaces: readonly string[]) {
  return useQuery({
    ...calm,
    queryKey: ['templates', ...namespaces],
    queryFn: async ({ signal }) => {
      const lists = namespaces.map((namespace) =>
        ask('GET /v1/templates/{namespace}', { params: { namespace }, signal }),
      );
      return (await Promise.all(lists)).flatMap(({ items }) => items);
    },
    enabled: namespaces.length > 0,
  });
}
