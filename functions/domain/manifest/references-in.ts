/** References of documents to Secrets and TemplateGitReferences, by the names under which those are stored. */
import { isMap } from '../json.ts';
import { defaultVaultConnection } from './schema/secret-source.ts';

interface StoredName {
  readonly namespace: string;
  readonly name: string;
}

export interface Reference extends StoredName {
  readonly field: 'secretRef' | 'templatesRef';
}

/** `<namespace>/<name>` */
export function referenceName({ namespace, name }: StoredName): string {
  return `${namespace}/${name}`;
}

/** Every `secretRef` and `templatesRef` of a document, wherever they are; `own` is the document's namespace. */
export function* referencesIn(value: unknown, own: string): Iterable<Reference> {
  if (Array.isArray(value)) for (const item of value) yield* referencesIn(item, own);
  if (!isMap(value)) return;
  for (const [field, inner] of Object.entries(value)) {
    if (field === 'secretRef' && isMap(inner) && isMap(inner.vault)) {
      // What has to be stored here is the connection.
      const { connection } = inner.vault;
      const { name = defaultVaultConnection, namespace = own } = isMap(connection) ? connection : {};
      if (typeof name === 'string') yield { field, name, namespace: typeof namespace === 'string' ? namespace : own };
    } else if ((field === 'secretRef' || field === 'templatesRef') && isMap(inner) && typeof inner.name === 'string') {
      const { namespace, name } = inner;
      yield { field, name, namespace: typeof namespace === 'string' ? namespace : own };
    } else yield* referencesIn(inner, own);
  }
}
