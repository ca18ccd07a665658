/** Plugins of groups as providers of a manifest: one instance for each name. */
import { dnsForm } from '#domain/naming.ts';
import { providerTypes } from '#domain/provider-types.ts';
import { sameValue } from '#domain/same-value.ts';
import { error, type Fault } from '../fault.ts';
import { isMap } from '../kubernetes-document.ts';
import { shown } from '../names.ts';
import { pluginType } from '../provider-plugin.ts';
import type { PlacedGroup } from './placed-groups.ts';
import { pluginOf, readPlugin } from './plugins.ts';

type Draft = Readonly<Record<string, unknown>>;

export interface PluginProvider {
  /** The first group that names it. */
  readonly group: PlacedGroup;
  /** As a provider of a manifest is written. */
  readonly provider: Draft;
}

/** A plugin is a provider of the document of that name; where there is none, one whose Secret has its name. */
export function pluginProviders(
  given: readonly unknown[],
  groups: readonly PlacedGroup[],
  namespace: unknown,
): readonly PluginProvider[] {
  const known = namesOf(given);
  return groups.flatMap((group): readonly PluginProvider[] => {
    const { type } = group.kind === 'plugin' ? readPlugin(group) : {};
    const plugin = group.value.resourcePlugin;
    const name = pluginProviderName(plugin);
    if (type === undefined || name === undefined || known.has(name)) return [];
    known.add(name);
    if (type === pluginType && isMap(plugin)) {
      const secret = plugin.secretRef === undefined ? {} : { secretRef: plugin.secretRef };
      return [{ group, provider: { name, providerType: type, plugin: pluginOf(plugin), ...secret } }];
    }
    const facts = Object.entries(providerTypes).find(([one]) => one === type)?.[1];
    const needsSecret = (facts?.secret.length ?? 0) > 0 && !(facts && 'secretOptional' in facts);
    return [{ group, provider: { name, providerType: type, ...(needsSecret && { secretRef: { name, namespace } }) } }];
  });
}

/** Types from elsewhere whose name already is another provider of the document. */
export function pluginConflicts(given: readonly unknown[], groups: readonly PlacedGroup[]): readonly Fault[] {
  const taken = namesOf(given);
  const first = new Map<string, unknown>();
  return groups.flatMap(({ kind, names, value, ...rest }) => {
    const plugin = value.resourcePlugin;
    const name = pluginProviderName(plugin);
    if (kind !== 'plugin' || name === undefined || readPlugin({ kind, names, value, ...rest }).type !== pluginType)
      return [];
    const path = ['spec', 'groups', ...names, 'resourcePlugin', 'name'];
    if (taken.has(name)) {
      const fix = 'leave that provider out, or give it another name';
      return [error(path, `${shown(name)} is a provider of the document, too`, fix)];
    }
    const known = first.get(name) ?? plugin;
    first.set(name, known);
    if (sameValue(known, plugin)) return [];
    const reason = `another group takes ${shown(name)} from elsewhere, in another version or with another Secret`;
    return [error(path, reason, 'write the same in both groups')];
  });
}

/** Name of the provider instance that stands for a plugin. */
export function pluginProviderName(plugin: unknown): string | undefined {
  return isMap(plugin) && typeof plugin.name === 'string' ? dnsForm(plugin.name).slice(0, 15) : undefined;
}

function namesOf(given: readonly unknown[]): Set<unknown> {
  return new Set(given.flatMap((provider) => (isMap(provider) ? [provider.name] : [])));
}
