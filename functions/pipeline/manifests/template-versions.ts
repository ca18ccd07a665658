/** Which templates each provider instance, and each document of a cluster, uses: pinned when the manifest is accepted, compared by every plan. */
import type { TemplateLookup } from '#contracts/job.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { documentNamed } from '#domain/documents/validate-documents.ts';
import { error } from '#domain/manifest/faults/fault.ts';
import { defaultTemplates, type InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { locatorOf, storedSecretOf } from '#domain/manifest/schema/secret-source.ts';
import type { TemplateGitReference } from '#domain/manifest/schema/template-git-reference.ts';
import { validateTemplateReference } from '#domain/manifest/validate-template-reference.ts';
import { documentsKey, isCommitHash, templateVersionText } from '#domain/template-version.ts';
import type { ResolvedTemplates, Using } from '../../ports.ts';
import type { PinnedTemplates } from '../assessment/known.ts';
import { type LookUpPlugin, pinPlugins, refusedAddress } from './plugin-versions.ts';

type Ports = Using<'config' | 'templateReferences.get' | 'templateSources'>;

type LookUp = (
  reference: { readonly namespace: string; readonly name: string },
  request: TemplateLookup,
) => Promise<ResolvedTemplates>;

export interface PinOptions {
  /** Documents of the same request. @default none */
  readonly accompanying?: readonly unknown[] | undefined;
  /** Asks a private repository. @default those are not asked, and a fault says so */
  readonly lookUp?: LookUp | undefined;
  /** Finds out what a type is that does not come with Kubeloom. @default no one is asked, and nothing is pinned */
  readonly lookUpPlugin?: LookUpPlugin | undefined;
  /** Versions of the stored manifest of that name. @default no manifest is stored */
  readonly stored?: Pick<ManifestRecord, 'name' | 'templates'> | undefined;
}

/**
 * Asks the repositories which commits the references of a manifest name now. A reference used by many is resolved once.
 * References in `accompanying` take precedence over stored ones of the same name; a private repository whose token is in `accompanying`, and so
 * not stored yet, is not asked. Throws `TemplatesPending` while a runner asks a private one.
 */
export async function pinTemplates(
  deps: Ports,
  namespace: string,
  manifest: InputManifest,
  { accompanying = [], lookUp, lookUpPlugin, stored }: PinOptions = {},
): Promise<PinnedTemplates> {
  const asked = new Map<string, Promise<Pin | undefined>>();
  const pins = await Promise.all(
    usesOf(manifest).map(async ({ key, path, templatesRef, folder }) => {
      const reference = { namespace: templatesRef.namespace ?? namespace, name: templatesRef.name };
      const name = `${reference.namespace}/${reference.name}`;
      const answer = asked.get(name) ?? pinOf(deps, reference, { accompanying, lookUp });
      asked.set(name, answer);
      const pin = await answer;
      if (pin === undefined) return {};
      if ('reason' in pin) return { fault: error(path, pin.reason, pin.fix) };
      const { url, commit, paths, secret } = pin;
      const inside = paths[folder];
      if (inside !== undefined) return { key, version: templateVersionText({ url, commit, path: inside }), secret };
      const reason = `the TemplateGitReference "${name}" names no folder for this`;
      return { fault: error(path, reason, `add paths.${folder} to it`) };
    }),
  );
  const plugins = await pinPlugins(deps.config, { namespace, manifest, accompanying, stored, lookUp: lookUpPlugin });
  return {
    templates: {
      ...Object.fromEntries(pins.flatMap(({ key, version }) => (key ? [[key, version]] : []))),
      ...plugins.templates,
    },
    templateSecrets: Object.fromEntries(pins.flatMap(({ key, secret }) => (key && secret ? [[key, secret]] : []))),
    faults: [...pins.flatMap(({ fault }) => (fault === undefined ? [] : [fault])), ...plugins.faults],
  };
}

/** The keys of what a manifest pins of one reference, and the folder of each. */
export function keysOfReference(
  manifest: InputManifest,
  namespace: string,
  reference: { readonly namespace: string; readonly name: string },
): readonly Pick<TemplatesUse, 'key' | 'folder'>[] {
  return usesOf(manifest).filter(({ templatesRef }) => {
    return templatesRef.name === reference.name && (templatesRef.namespace ?? namespace) === reference.namespace;
  });
}

interface TemplatesUse {
  /** In what is pinned. */
  readonly key: string;
  readonly path: readonly PropertyKey[];
  readonly templatesRef: { readonly name: string; readonly namespace?: string | undefined };
  readonly folder: 'terraformer' | 'manifestsK8s';
}

function usesOf({ spec: { providers, kubernetes } }: InputManifest): readonly TemplatesUse[] {
  const ofProviders = providers.map(
    ({ name, templatesRef }, index): TemplatesUse => ({
      key: name,
      path: ['spec', 'providers', index, 'templatesRef'],
      templatesRef,
      folder: 'terraformer',
    }),
  );
  const ofDocuments = kubernetes.clusters.flatMap(({ name: cluster, documents = [] }, place) =>
    documents.flatMap(({ name, templatesRef }, index): TemplatesUse[] => {
      const path = ['spec', 'kubernetes', 'clusters', place, 'documents', index, 'templatesRef'];
      const key = documentsKey(cluster, name);
      return templatesRef === undefined ? [] : [{ key, path, templatesRef, folder: 'manifestsK8s' }];
    }),
  );
  return [...ofProviders.filter(({ templatesRef }) => templatesRef.name !== defaultTemplates), ...ofDocuments];
}

/** A reference as it is now: its commit, and the Secret of a private repository. */
interface Resolved {
  readonly url: string;
  readonly commit: string;
  readonly paths: TemplateGitReference['spec']['paths'];
  readonly secret: string | undefined;
}

export type Pin = Resolved | { readonly reason: string; readonly fix: string };

/** What a stored reference, or one of `accompanying`, names now. Undefined: it cannot be asked yet. */
export async function pinOf(
  deps: Ports,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { accompanying = [], lookUp }: PinOptions,
): Promise<Pin | undefined> {
  const given = documentNamed(accompanying, 'TemplateGitReference', { namespace, name });
  const stored = given ?? (await deps.templateReferences.get(namespace, name));
  if (stored === undefined) {
    return { reason: `there is no TemplateGitReference "${namespace}/${name}"`, fix: 'apply it first' };
  }
  const { document: reference, faults } = validateTemplateReference(stored);
  // Stored by an older version, which accepted what this one refuses.
  if (reference === undefined) {
    const reasons = faults.map(({ path, reason }) => `${path}: ${reason}`).join('; ');
    return {
      reason: `the stored TemplateGitReference "${namespace}/${name}" is no longer accepted: ${reasons}`,
      fix: 'fix it and apply it again',
    };
  }
  const { endpoint, commit: revision, paths, auth } = reference.spec;
  const refused = refusedAddress(deps.config, endpoint.url);
  if (refused !== undefined) return refused;
  const secret = auth && locatorOf(auth.secretRef, namespace);
  if (auth && documentNamed(accompanying, 'Secret', storedSecretOf(auth.secretRef, namespace))) return undefined;
  const byRunner = deps.config.KUBELOOM_TEMPLATE_SOURCES === 'git' && !isCommitHash(revision);
  const isPrivate = secret !== undefined && byRunner;
  if (isPrivate && !lookUp)
    return { reason: 'it is a private repository, which only a runner may read', fix: 'apply the manifest again' };
  const answer =
    isPrivate && lookUp
      ? await lookUp({ namespace, name }, { url: endpoint.url, revision, secret })
      : await deps.templateSources.resolve(endpoint.url, revision);
  if (!('commit' in answer)) return answer;
  return { url: endpoint.url, commit: answer.commit, paths, secret };
}
