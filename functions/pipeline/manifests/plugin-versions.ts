/** Provider types that do not come with Kubeloom: pinned when a manifest is accepted, and what they say about it. */
import type { Config } from '#contracts/config.ts';
import type { PluginAnswer, PluginLookup } from '#contracts/job.ts';
import type { ManifestRecord } from '#contracts/records.ts';
import { documentNamed } from '#domain/documents/validate-documents.ts';
import { error, type Fault } from '#domain/manifest/faults/fault.ts';
import type { InputManifest, Provider } from '#domain/manifest/schema/input-manifest.ts';
import { shown } from '#domain/manifest/schema/names.ts';
import { isPlainAddress } from '#domain/manifest/schema/plain-address.ts';
import { type ProviderPlugin, pluginAddress } from '#domain/manifest/schema/provider-plugin.ts';
import { locatorOf, storedSecretOf } from '#domain/manifest/schema/secret-source.ts';
import { archiveVersionText, templateVersionText } from '#domain/template-version.ts';

interface Refusal {
  readonly reason: string;
  readonly fix: string;
}

export type LookUpPlugin = (request: PluginLookup) => Promise<PluginAnswer | Refusal>;

export interface PinnedPlugins {
  /** Version text by provider instance. */
  readonly templates: Readonly<Record<string, string>>;
  readonly faults: readonly Fault[];
}

type Settings = Pick<Config, 'KUBELOOM_TEMPLATE_URLS' | 'KUBELOOM_TEMPLATE_SOURCES'>;

export interface PluginQuestion {
  readonly namespace: string;
  readonly manifest: InputManifest;
  /** Documents of the same request. @default none */
  readonly accompanying?: readonly unknown[] | undefined;
  /** Versions of the stored manifest of that name. @default no manifest is stored */
  readonly stored?: Pick<ManifestRecord, 'name' | 'templates'> | undefined;
  /** @default nothing is pinned: only the API may start the runner that is asked */
  readonly lookUp?: LookUpPlugin | undefined;
}

/** Asks what each is, and has the properties of its pools and its Secret judged. Throws `TemplatesPending` while a runner works. */
export async function pinPlugins(config: Settings, question: PluginQuestion): Promise<PinnedPlugins> {
  const { manifest, lookUp } = question;
  const wanted = manifest.spec.providers.flatMap(({ name, plugin, secretRef }, index) =>
    plugin === undefined ? [] : [{ name, plugin, secretRef, index }],
  );
  const pins = await Promise.all(
    wanted.map(async (instance) => {
      const { name, plugin, index } = instance;
      const path = ['spec', 'providers', index, 'plugin'];
      const refused = refusedAddress(config, pluginAddress(plugin));
      if (refused !== undefined) return { faults: [error([...path, 'url'], refused.reason, refused.fix)] };
      // Where nothing is fetched, what is written is compared.
      if (config.KUBELOOM_TEMPLATE_SOURCES !== 'git') return { name, version: asWritten(plugin), faults: [] };
      if (lookUp === undefined) return { faults: [] };
      const answer = await lookUp({
        ...plugin,
        url: pluginAddress(plugin),
        properties: propertiesOf(manifest, name),
        ...aboutInstance(question, instance),
      });
      if ('reason' in answer) return { faults: [error(path, answer.reason, answer.fix)] };
      return { name, version: answer.version, faults: [...faultsOf(manifest, instance, answer)] };
    }),
  );
  return {
    templates: Object.fromEntries(pins.flatMap((pin) => ('name' in pin ? [[pin.name, pin.version]] : []))),
    faults: pins.flatMap(({ faults }) => faults),
  };
}

/** Its Secret, unless that is still to be stored, and what the manifest was accepted with before. */
function aboutInstance(
  { namespace, accompanying = [], stored }: PluginQuestion,
  { name, secretRef }: Pick<Instance, 'name' | 'secretRef'>,
): Pick<PluginLookup, 'secret' | 'kept'> {
  const version = stored?.templates?.[name];
  const isNew = secretRef && documentNamed(accompanying, 'Secret', storedSecretOf(secretRef, namespace)) !== undefined;
  return {
    ...(secretRef !== undefined && !isNew && { secret: locatorOf(secretRef, namespace) }),
    ...(stored !== undefined && version !== undefined && { kept: { namespace, manifest: stored.name, version } }),
  };
}

/** Why this installation takes nothing from there; undefined when it does. */
export function refusedAddress({ KUBELOOM_TEMPLATE_URLS: allowed }: Settings, url: string): Refusal | undefined {
  const fits = (beginning: string): boolean => {
    const [whole, start] = [folded(url), folded(beginning)];
    return whole === start || whole.startsWith(start.endsWith('/') ? start : `${start}/`);
  };
  if (allowed.length === 0 || (isPlainAddress(url) && allowed.some(fits))) return undefined;
  const reason = `this installation accepts templates and provider types only from ${allowed.join(', ')}, not from ${url}`;
  return { reason, fix: 'use one from there, or ask the operator to add it to KUBELOOM_TEMPLATE_URLS' };
}

/** Capitals make no difference in a host. */
function folded(url: string): string {
  const [host = '', ...path] = url.split('/');
  return [host.toLowerCase(), ...path].join('/');
}

function asWritten({ version, sha256, ...plugin }: ProviderPlugin): string {
  const url = pluginAddress(plugin);
  return sha256 === undefined
    ? templateVersionText({ url, commit: version, path: '.' })
    : archiveVersionText({ url, sha256 });
}

/** By pool: of those that the instance makes. */
function propertiesOf({ spec }: InputManifest, provider: string): PluginLookup['properties'] {
  const pools = spec.nodePools.dynamic.filter(({ providerSpec }) => providerSpec.name === provider);
  return Object.fromEntries(pools.map(({ name, properties = {} }) => [name, properties]));
}

interface Instance extends Pick<Provider, 'name' | 'secretRef'> {
  readonly index: number;
}

/** What is asked of the type and it does not have, and what it asks for. */
function* faultsOf(
  { spec }: InputManifest,
  { name, secretRef, index }: Instance,
  { title, machines, dns, secret, secretFaults = [], faults }: PluginAnswer,
): Iterable<Fault> {
  for (const fault of secretFaults)
    yield error(
      ['spec', 'providers', index, 'secretRef'],
      `names a Secret that ${title} cannot use: ${fault}`,
      'correct the Secret',
    );
  if (secret !== undefined && secretRef === undefined) {
    const fix = `name the Secret with ${secret.join(', ')} for ${title}`;
    yield error(['spec', 'providers', index, 'secretRef'], 'is missing', fix);
  }
  for (const [place, pool] of spec.nodePools.dynamic.entries()) {
    if (pool.providerSpec.name !== name) continue;
    const path = ['spec', 'nodePools', 'dynamic', place];
    if (!machines)
      yield error([...path, 'providerSpec', 'name'], `${title} creates no machines`, 'use another provider');
    for (const fault of faults.filter((one) => one.pool === pool.name))
      yield error([...path, 'properties', ...fault.path], fault.reason, `check which properties ${shown(title)} has`);
  }
  for (const [place, balancer] of spec.loadBalancers.clusters.entries())
    if (balancer.dns.provider === name && !dns)
      yield error(
        ['spec', 'loadBalancers', 'clusters', place, 'dns', 'provider'],
        `${title} serves no DNS zones`,
        'use another provider',
      );
}
