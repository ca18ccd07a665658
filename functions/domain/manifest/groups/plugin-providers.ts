/** Plugins of groups as providers of a manifest: one instance for each name. */
import { dnsForm } from '#domain/naming.ts';
import { providerTypes } from '#domain/provider-types.ts';
import { sameValue } from '#domain/same-value.ts';
import { trimmedEnd } from '#domain/trimmed-end.ts';
import { isMap } from '../../json.ts';
import { error, type Fault } from '../faults/fault.ts';
import { shown } from '../schema/names.ts';
import { pluginType } from '../schema/provider-plugin.ts';
import type { PlacedGroup } from './placed-groups.ts';
import { pluginOf, readPlugin } from './plugins.ts';

/** Settings of a provider instance. */
const longestName = 15;

type Draft = Readonly<Record<string, unknown>>;

export interface PluginProvider {
  /** The first group that names it. */
  readonly group: PlacedGroup;
  /** As a provider of a manifest is written. */
  readonly provider: Draft;
}

/** A plugin is a provider of the document of that name; otherwise the one whose Secret has its name. */
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
    const named = isMap(plugin) && plugin.secretRef !== undefined ? { secretRef: plugin.secretRef } : undefined;
    if (type === pluginType && isMap(plugin))
      return [{ group, provider: { name, providerType: type, plugin: pluginOf(plugin), ...named } }];
    const facts = Object.entries(providerTypes).find(([one]) => one === type)?.[1];
    const takesSecret = (facts?.secret.length ?? 0) > 0;
    const needsSecret = takesSecret && !(facts && 'secretOptional' in facts);
    const usual = needsSecret ? { secretRef: { name, namespace } } : {};
    return [{ group, provider: { name, providerType: type, ...((takesSecret && named) || usual) } }];
  });
}

/**
 * Finds plugin types whose name is already used by another provider of the document, and Secrets that would not be used: one
 * provider has one Secret.
 */
export function pluginConflicts(given: readonly unknown[], groups: readonly PlacedGroup[]): readonly Fault[] {
  const taken = namesOf(given);
  const first = new Map<string, unknown>();
  return groups.flatMap((group) => {
    const { kind, names, value } = group;
    const plugin = value.resourcePlugin;
    const name = pluginProviderName(plugin);
    if (kind !== 'plugin' || name === undefined || !isMap(plugin)) return [];
    const { type } = readPlugin(group);
    if (type === undefined) return [];
    const path = ['spec', 'groups', ...names, 'resourcePlugin'];
    const isElsewhere = type === pluginType;
    if (taken.has(name)) {
      const fix = 'leave that provider out, or give it another name';
      if (isElsewhere) return [error([...path, 'name'], `${shown(name)} is a provider of the document, too`, fix)];
      if (plugin.secretRef === undefined) return [];
      const reason = `is not used: ${shown(name)} is a provider of the document, with its own Secret`;
      return [error([...path, 'secretRef'], reason, 'leave it out here, or leave that provider out')];
    }
    const source = isElsewhere ? plugin : (plugin.secretRef ?? null);
    const known = first.has(name) ? first.get(name) : source;
    first.set(name, known);
    if (sameValue(known, source)) return [];
    if (isElsewhere && isMap(known) && known.name !== plugin.name) {
      const alike = `would create the provider ${shown(name)}, which another type of the document also creates, ${shown(known.name)}`;
      const fix = 'name one of them as a provider of the document, with providerSpec in its groups';
      return [error([...path, 'name'], alike, fix)];
    }
    const reason = isElsewhere
      ? `another group has ${shown(name)} from another place, in another version or with another Secret`
      : `another group has ${shown(name)} with another Secret`;
    const fix = 'write the same in both groups';
    if (isElsewhere) return [error([...path, 'name'], reason, fix)];
    return [error([...path, 'secretRef'], reason, `${fix}, or name providers with providerSpec`)];
  });
}

/** Name of the provider instance that stands for a plugin: names of networks in clouds are made with it, so a long one is cut. */
export function pluginProviderName(plugin: unknown): string | undefined {
  if (!isMap(plugin) || typeof plugin.name !== 'string') return undefined;
  return trimmedEnd(dnsForm(plugin.name).slice(0, longestName), '-');
}

function namesOf(given: readonly unknown[]): Set<unknown> {
  return new Set(given.flatMap((provider) => (isMap(provider) ? [provider.name] : [])));
}
