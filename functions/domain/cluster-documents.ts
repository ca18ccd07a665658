/** Documents in a cluster: named groups of Kubernetes objects that Kubeloom applies, compares and removes as one. */
import { z } from 'zod';
import { type BuiltinName, builtinDocuments, builtins } from './builtin-documents.ts';
import { componentKinds, SourceFile } from './planes/management-plane.ts';
import { sameValue } from './same-value.ts';

/** What makes documents a component of a management plane; its variables are their values. */
export const ComponentState = z.strictObject({
  kind: z.enum(componentKinds),
  /** As in `infrastructure-vsphere`. */
  provider: z.string(),
  instance: z.string().optional(),
  source: SourceFile,
  metadata: SourceFile.optional(),
  namespace: z.string().optional(),
  watchNamespace: z.string().optional(),
  /** Locator of the Secret whose fields are variables. */
  secret: z.string().optional(),
  /** Another instance has the objects that the cluster has once. */
  shared: z.literal('elsewhere').optional(),
});
export type ComponentState = z.infer<typeof ComponentState>;

/** One of a cluster, as its state has it; templates are filled with its values when it is applied. */
export const DocumentState = z.strictObject({
  /** Unique in the cluster. */
  name: z.string(),
  /** `builtin@<version>`, `inline` for the text of the manifest, `component@<release>`, or a version of templates (`template-version.ts`). */
  version: z.string(),
  /** What templates are filled with: a text, or a list whose templates are rendered once for each item. */
  values: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  /** YAML of the manifest, in place of templates. */
  text: z.string().optional(),
  /** Secret with the token of a private repository: `<namespace>/<name>`. */
  templatesSecret: z.string().optional(),
  component: ComponentState.optional(),
});
export type DocumentState = z.infer<typeof DocumentState>;

/** What was applied of one, kept in the facts of its cluster. */
export const DocumentFacts = z.strictObject({
  version: z.string(),
  /** SHA-256 of what was rendered. */
  hash: z.string(),
  /** `objectText` of each. */
  objects: z.array(z.string()),
  /** Components of Cluster API only: the contract of its release. */
  contract: z.string().optional(),
  /** Why a component is not installed as it should be, or does not work. */
  unfinished: z.string().optional(),
});
export type DocumentFacts = z.infer<typeof DocumentFacts>;

/** What its templates are filled with. */
export function valuesOf({ name, values }: DocumentState): DocumentState['values'] {
  return { ...builtins.get(name)?.defaults, ...values };
}

/** Names of upstream files that the documents need. */
export function upstreamOf(documents: readonly DocumentState[] = []): readonly string[] {
  return documents
    .filter(({ name, version }) => version.startsWith('builtin@') && builtins.get(name)?.upstream)
    .map(({ name }) => name);
}

/** True when its objects stay in the cluster once it is no longer desired. */
export function staysInCluster({ name, text }: DocumentState): boolean {
  return text === undefined && builtins.get(name)?.stays === true;
}

/** The agent in one file, which comes with the runner. */
export const agentProgram = 'agent.mjs';

/** True when the agent is in it. */
export function hasAgent({ name, text }: Pick<DocumentState, 'name' | 'text'>): boolean {
  return text === undefined && builtins.get(name)?.agent === true;
}

/** Names of those that come with Kubeloom whose templates it is rendered from. */
export function renderedFrom({ name, version }: Pick<DocumentState, 'name' | 'version'>): readonly string[] {
  const { brought } = builtins.get(name) ?? {};
  return [name, ...(brought?.by.some((one) => version === `builtin@${one}`) ? [brought.name] : [])];
}

/** True when the nodes stage gives it a token for the API. */
export function hasToken({ name, version, text }: Pick<DocumentState, 'name' | 'version' | 'text'>): boolean {
  return text === undefined && renderedFrom({ name, version }).some((one) => builtins.get(one)?.token === true);
}

/** True when no one waits until it works. */
export function isBackground({ name }: Pick<DocumentState, 'name'>): boolean {
  return builtins.get(name)?.background === true;
}

export function builtinDocument(name: BuiltinName, values: DocumentState['values']): DocumentState {
  return { name, version: `builtin@${builtinDocuments[name].version}`, values };
}

/** What changes from one list to the other: in the order in which they are applied. */
export function clusterDocumentChanges(
  from: readonly DocumentState[] = [],
  to: readonly DocumentState[] = [],
): {
  readonly added: readonly DocumentState[];
  readonly changed: readonly DocumentState[];
  readonly removed: readonly DocumentState[];
} {
  const before = new Map(from.map((document) => [document.name, document]));
  const after = new Set(to.map(({ name }) => name));
  return {
    added: to.filter(({ name }) => !before.has(name)),
    changed: to.filter((document) => before.has(document.name) && !sameValue(before.get(document.name), document)),
    removed: from.filter(({ name }) => !after.has(name)),
  };
}
