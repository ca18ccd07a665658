/** Rules of `spec.providers`. */
import { providerTypeFacts, providerTypeNames } from '#domain/provider-types.ts';
import { error, type Fault } from '../faults/fault.ts';
import { defaultTemplates } from '../schema/input-manifest.ts';
import { shown } from '../schema/names.ts';
import { pluginType } from '../schema/provider-plugin.ts';
import { defaultVaultConnection } from '../schema/secret-source.ts';
import type { ManifestIndex, Path } from './manifest-index.ts';
import type { PartialProvider, PartialSecretSource } from './partial-manifest.ts';
import { uniqueNames } from './references.ts';

/** Names are unique, the type can be built here, Secret and templates exist. */
export function* providerRules(index: ManifestIndex): Iterable<Fault> {
  const { providerTypes } = index.context;
  yield* uniqueNames('provider', index.providers);
  for (const { thing: provider, path } of index.providers) {
    const { providerType: type, secretRef, templatesRef } = provider;
    yield* pluginRules(index, provider, path);
    if (type !== undefined && type !== pluginType && providerTypes !== undefined && !providerTypes.includes(type)) {
      yield error(
        [...path, 'providerType'],
        `this installation cannot build ${shown(type)}`,
        `use one of ${providerTypes.join(', ')}${type === 'sim' ? '; or try it with `kubeloom simulate`, or on a platform of `kubeloom local up --runner sim`' : ''}`,
      );
    }
    const facts = providerTypeFacts(type ?? '');
    const takesSecret = (facts?.secret.length ?? 0) > 0;
    if (takesSecret && facts?.secretOptional !== true && secretRef === undefined) {
      yield error([...path, 'secretRef'], 'is missing', `name the Secret with the ${type} credentials`);
    }
    if (takesSecret || type === pluginType) yield* sourceExists(index, secretRef, [...path, 'secretRef']);
    if (templatesRef?.name === undefined || templatesRef.name === defaultTemplates) continue;
    yield* templatesExist(
      index,
      templatesRef,
      [...path, 'templatesRef'],
      `leave templatesRef out, or name ${defaultTemplates}`,
    );
  }
}

/** What a plugin needs here; what is in its folder a runner says later. */
function* pluginRules({ context }: ManifestIndex, provider: PartialProvider, path: Path): Iterable<Fault> {
  const { providerType: type, plugin, templatesRef } = provider;
  if (type === undefined) return;
  if (type !== pluginType) {
    if (plugin !== undefined)
      yield error([...path, 'plugin'], `is for providers of type plugin; this one is ${type}`, 'leave it out');
    return;
  }
  if (plugin === undefined) yield error([...path, 'plugin'], 'is missing', 'add it: name, url and version of the type');
  if (templatesRef?.name !== undefined && templatesRef.name !== defaultTemplates)
    yield error([...path, 'templatesRef'], 'is not for plugins, which have their own modules', 'leave it out');
  if (context.ownTemplates === false) {
    const reason = 'this installation has only the provider types that come with it';
    yield error(
      [...path, 'providerType'],
      reason,
      `use one of ${(context.providerTypes ?? providerTypeNames).join(', ')}`,
    );
  }
}

/** A fault when this installation fetches no templates, or does not have the TemplateGitReference. */
export function* templatesExist(
  { namespace: own, context: { ownTemplates, templateReferences } }: ManifestIndex,
  { name, namespace = own }: { readonly name?: string | undefined; readonly namespace?: string | undefined },
  path: Path,
  without: string,
): Iterable<Fault> {
  if (name === undefined) return;
  if (ownTemplates === false) {
    const reason = `this installation has only the templates that come with it, it cannot fetch those of ${shown(name)}`;
    yield error(path, reason, without);
    return;
  }
  const key = `${namespace}/${name}`;
  if (templateReferences === undefined || templateReferences.has(key)) return;
  const fix = 'apply it first; it may be in the same file';
  yield error(path, `there is no TemplateGitReference ${shown(key)}`, fix);
}

/** A fault when what a reference needs to be stored here, the Secret itself or the connection to Vault, is not. */
export function* sourceExists(
  { namespace, context: { secrets } }: ManifestIndex,
  source: PartialSecretSource | undefined,
  path: Path,
): Iterable<Fault> {
  if (source?.vault === undefined) {
    yield* secretExists(secrets, source ?? {}, path);
    return;
  }
  const needed = source.vault.connection ?? { name: defaultVaultConnection, namespace };
  const place = source.vault.connection === undefined ? 'vault' : 'vault.connection';
  const key = `${needed.namespace}/${needed.name}`;
  if (secrets === undefined || needed.name === undefined || needed.namespace === undefined || secrets.has(key)) return;
  const at = [...path, ...place.split('.')];
  yield error(at, `there is no Secret ${shown(key)} with the connection to Vault`, 'apply it first (docs/secrets.md)');
}

/** A fault when the Secret that is referred to is known not to exist. */
export function* secretExists(
  secrets: ReadonlySet<string> | undefined,
  reference: { readonly name?: string | undefined; readonly namespace?: string | undefined },
  path: readonly (string | number)[],
): Iterable<Fault> {
  if (secrets === undefined || reference.name === undefined || reference.namespace === undefined) return;
  const key = `${reference.namespace}/${reference.name}`;
  if (!secrets.has(key))
    yield error(path, `there is no Secret ${shown(key)}`, 'apply it first; it may be in the same file');
}
