/** The namespaces in which the caller may see something. */
import { useQuery } from '@tanstack/react-query';
import { ask } from './api.ts';
import { may } from './model/rights.ts';
import { namespacesOf } from './model/stored-names.ts';
import { useWhoAmI } from './queries.ts';

/** In order; undefined while no one knows. `more`: of the place that is shown, or of what else is known. */
export function useNamespaces(more: readonly string[] = []) {
  const me = useWhoAmI();
  const used = useQuery({
    queryKey: ['namespaces'],
    queryFn: ({ signal }) => namespacesInUse(signal),
    // Asked for once: new ones are rare, and are there after a visit of another page.
    staleTime: 60_000,
  });
  const own = (me.data?.grants ?? []).flatMap(({ namespaces }) => namespaces).filter((one) => one !== '*');
  const known = me.data && used.data;
  return {
    names: known && namespacesOf(known, own, more).filter((one) => may(me.data, 'viewer', one)),
    error: me.error ?? used.error,
  };
}

/** Namespaces that have manifests. */
async function namespacesInUse(signal: AbortSignal): Promise<readonly string[]> {
  const { counts } = await ask('GET /v1/manifests', { query: { counts: 'true', limit: 1 }, signal });
  return Object.keys(counts?.namespaces ?? {});
}
