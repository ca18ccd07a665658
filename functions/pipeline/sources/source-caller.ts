/** Who submits for a GitSource: itself, in its own namespace only, while the person who applied it holds the role operator there. */
import type { GitSourceRecord } from '#contracts/git-sources.ts';
import { holds } from '#domain/access.ts';
import type { AdmittedCaller } from '../../caller.ts';
import { grantsOfCaller } from '../../caller.ts';
import type { Using } from '../../ports.ts';

/** Undefined when its maker lost the role. */
export async function sourceCaller(
  deps: Using<'roleBindings.list' | 'config'>,
  { namespace, name, maker, document }: GitSourceRecord,
  commit: string,
): Promise<AdmittedCaller | undefined> {
  const own = await grantsOfCaller(deps, { ...maker, from: '' });
  if (!holds(own, 'operator', namespace)) return undefined;
  const grants = [{ role: 'operator' as const, namespaces: [namespace] }];
  return {
    kind: 'token',
    name: `gitsource:${name}@${commit}`,
    claims: {},
    from: document.spec.url,
    grants,
    may: (role, where) => holds(grants, role, where),
  };
}
