/** Who submits when templates moved: the manifest itself, as its `onTemplates` says. */
import type { ManifestRecord } from '#contracts/records.ts';
import { holds } from '#domain/access.ts';
import { draftOfDocument } from '#domain/manifest/groups/groups-as-manifest.ts';
import { referencesIn } from '#domain/manifest/references-in.ts';
import type { AdmittedCaller } from '../../caller.ts';

/** It may use what the document refers to, as that was accepted, and nothing else. It is no person, and approves nothing. */
export function templatesCaller({ namespace, document }: ManifestRecord): AdmittedCaller {
  const referred = [...referencesIn(draftOfDocument(document), namespace)].map((reference) => reference.namespace);
  const grants = [{ role: 'operator' as const, namespaces: [...new Set([namespace, ...referred])] }];
  return {
    kind: 'token',
    name: 'kubeloom:onTemplates',
    claims: {},
    from: 'the schedule',
    grants,
    may: (role, where) => holds(grants, role, where),
  };
}
