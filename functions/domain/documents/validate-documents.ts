/** Validates a set of documents together: each by its kind, Secrets by what the manifests of the set use them for. */
import { type InventoryKind, inventoryKinds } from '../inventory/inventory-documents.ts';
import { validateInventoryDocument } from '../inventory/validate-inventory.ts';
import { isMap } from '../json.ts';
import { unframed } from '../manifest/faults/claudie-dialects.ts';
import { error, type Fault } from '../manifest/faults/fault.ts';
import { withoutEmptyFields } from '../manifest/faults/kubernetes-document.ts';
import { manifestOfDocument } from '../manifest/groups/manifest-of-document.ts';
import { validateAsManifest } from '../manifest/groups/validate-as-manifest.ts';
import { validateRoleBinding } from '../manifest/role-binding.ts';
import type { NameOwner, ValidationContext } from '../manifest/rules/manifest-index.ts';
import { GitSource, gitSourceSecret } from '../manifest/schema/git-source.ts';
import { type ManifestKind, manifestKinds } from '../manifest/schema/manifest-kinds.ts';
import { Notification, notificationSecret } from '../manifest/schema/notification.ts';
import { TemplateGitReference } from '../manifest/schema/template-git-reference.ts';
import { type SecretUse, secretUses } from '../manifest/secrets/secret-uses.ts';
import { validateSecret } from '../manifest/secrets/validate-secret.ts';
import { validateGitSource } from '../manifest/validate-git-source.ts';
import { validateNotification } from '../manifest/validate-notification.ts';
import { validateTemplateReference } from '../manifest/validate-template-reference.ts';
import { claimedNames } from '../manifest/values/claimed-names.ts';
import { nearest } from '../nearest.ts';

const documentKinds = [
  ...manifestKinds,
  'Secret',
  'TemplateGitReference',
  'RoleBinding',
  'GitSource',
  'Notification',
  ...inventoryKinds,
] as const;
export type DocumentKind = (typeof documentKinds)[number];

export interface DocumentVerdict {
  /** Absent when the document is not one of Kubeloom. */
  readonly kind?: DocumentKind;
  /** `*` for documents without namespace. */
  readonly namespace: string;
  /** Empty when it has none. */
  readonly name: string;
  /** As parsed, defaults applied; absent when there are faults. */
  readonly document?: unknown;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

/**
 * One verdict for each document, in their order. Names in `surroundings` that are known (`secrets`,
 * `templateReferences`) are joined by those of the set, as are `stored` uses of Secrets. Never throws.
 */
export function validateDocuments(
  documents: readonly unknown[],
  context: ValidationContext,
  stored: ReadonlyMap<string, readonly SecretUse[]> = new Map(),
): DocumentVerdict[] {
  const known = withSet(context, documents);
  const uses = usesIn(documents, stored);
  const seen = new Set<string>();
  const names = new Map(known.namesInUse);
  return documents.map((document) => {
    const verdict = judge(document, { ...known, namesInUse: names }, uses);
    for (const [name, owner] of namesOf(document)) if (!names.has(name)) names.set(name, owner);
    const key = `${verdict.kind} ${verdict.namespace === '*' ? '' : `${verdict.namespace}/`}${verdict.name}`;
    const isTwin = verdict.kind !== undefined && verdict.name !== '' && seen.has(key);
    seen.add(key);
    if (!isTwin) return verdict;
    const twin = error(
      ['metadata', 'name'],
      `${key} is in these documents twice`,
      'remove or rename one of them; two versions of one document are validated one at a time',
    );
    return { ...verdict, faults: [...verdict.faults, twin] };
  });
}

/** DNS names of a manifest: those after it may not have them. */
function namesOf(document: unknown): readonly (readonly [string, NameOwner])[] {
  if (!isManifest(document)) return [];
  const { namespace, name } = documentName(document);
  const manifest = `${namespace}/${name}`;
  return claimedNames(document).map((one) => [one, { manifest, shown: manifest }]);
}

/** The kind of a document; undefined when it is not one of Kubeloom. */
export function kindOf(document: unknown): DocumentKind | undefined {
  return isMap(document) ? documentKinds.find((kind) => kind === document.kind) : undefined;
}

/** Namespace and name as far as they can be read; the default namespace is `default`; an InventoryTemplate also has a version. */
export function documentName(document: unknown): { readonly namespace: string; readonly name: string } {
  const metadata = isMap(document) && isMap(document.metadata) ? document.metadata : {};
  const name = typeof metadata.name === 'string' ? metadata.name : '';
  const spec = isMap(document) && document.kind === 'InventoryTemplate' && isMap(document.spec) ? document.spec : {};
  return {
    namespace: typeof metadata.namespace === 'string' ? metadata.namespace : 'default',
    name: typeof spec.version === 'number' ? `${name}@${spec.version}` : name,
  };
}

/** The document of that kind and name. */
export function documentNamed(
  documents: readonly unknown[],
  kind: DocumentKind,
  wanted: { readonly namespace: string; readonly name: string },
): unknown {
  return documents.find((document) => {
    const { namespace, name } = documentName(document);
    return kindOf(document) === kind && namespace === wanted.namespace && name === wanted.name;
  });
}

function judge(
  document: unknown,
  context: ValidationContext,
  uses: ReadonlyMap<string, readonly SecretUse[]>,
): DocumentVerdict {
  const kind = kindOf(document);
  const names = documentName(document);
  if (kind === undefined) return { ...names, faults: [unknownKind(document)], warnings: [] };
  const base = { kind, ...names };
  switch (kind) {
    case 'InputManifest':
    case 'MachineGroups': {
      const { manifest: _, ...verdict } = validateAsManifest(document, context);
      return { ...base, ...verdict };
    }
    case 'Secret': {
      const { secret, ...verdict } = validateSecret(document, uses.get(`${names.namespace}/${names.name}`));
      return { ...base, ...(secret && { document: secret }), ...verdict };
    }
    case 'TemplateGitReference':
      return { ...base, ...validateTemplateReference(document, context), warnings: [] };
    case 'GitSource':
      return { ...base, ...validateGitSource(document, context), warnings: [] };
    case 'Notification':
      return { ...base, ...validateNotification(document, context), warnings: [] };
    case 'RoleBinding':
      return { ...base, namespace: '*', ...validateRoleBinding(document), warnings: [] };
    default:
      return { ...base, ...validateInventoryDocument(kind satisfies InventoryKind, document), warnings: [] };
  }
}

function unknownKind(document: unknown): Fault {
  const choice = `use one of ${documentKinds.join(', ')}`;
  if (!isMap(document)) return error([], 'the document is not a map of fields', 'begin it with apiVersion and kind');
  const { kind } = document;
  if (kind === undefined) return unframed(document) ?? error(['kind'], 'is missing', choice);
  if (typeof kind !== 'string') return error(['kind'], 'is not text', choice);
  const near = nearest(kind, documentKinds);
  return error(
    ['kind'],
    `there is no kind "${kind.slice(0, 60)}" here`,
    near === undefined ? choice : `did you mean ${near}?`,
  );
}

/** True for a document that is stored as a manifest. */
export function isManifest(document: unknown): boolean {
  return isManifestKind(kindOf(document));
}

export function isManifestKind(kind: DocumentKind | undefined): kind is ManifestKind {
  return manifestKinds.some((one) => one === kind);
}

/** Names in `surroundings` that are known are joined by those of the documents. */
export function withSet(context: ValidationContext, documents: readonly unknown[]): ValidationContext {
  const keysOf = (wanted: DocumentKind): string[] =>
    documents
      .filter((document) => kindOf(document) === wanted)
      .map(documentName)
      .map(({ namespace, name }) => `${namespace}/${name}`);
  const { secrets, templateReferences } = context;
  return {
    ...context,
    ...(secrets && { secrets: new Set([...secrets, ...keysOf('Secret')]) }),
    ...(templateReferences && {
      templateReferences: new Set([...templateReferences, ...keysOf('TemplateGitReference')]),
    }),
  };
}

function usesIn(
  documents: readonly unknown[],
  stored: ReadonlyMap<string, readonly SecretUse[]>,
): Map<string, readonly SecretUse[]> {
  const uses = new Map(stored);
  // Only Secrets are judged by them.
  if (!documents.some((document) => kindOf(document) === 'Secret')) return uses;
  const note = (key: string, more: readonly SecretUse[]) => uses.set(key, [...(uses.get(key) ?? []), ...more]);
  for (const document of documents) {
    const manifest = manifestOfDocument(withoutEmptyFields(document));
    if ('manifest' in manifest) for (const [key, more] of secretUses(manifest.manifest)) note(key, more);
    const reference = TemplateGitReference.safeParse(document);
    const token = reference.success ? reference.data.spec.auth?.secretRef : undefined;
    if (token !== undefined) note(`${token.namespace}/${token.name}`, ['git']);
    const source = GitSource.safeParse(document);
    const login = source.success ? gitSourceSecret(source.data) : undefined;
    if (login !== undefined) note(login, ['git']);
    const sent = Notification.safeParse(document);
    const hook = sent.success ? notificationSecret(sent.data) : undefined;
    if (hook !== undefined) note(hook, [sent.data?.spec.to === 'webhook' ? 'webhook' : 'chat']);
  }
  return uses;
}
