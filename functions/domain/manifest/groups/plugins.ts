/** Groups in the words of Kadende: which provider type a plugin is, and what its properties say about machines. */
import { type ProviderTypeName, providerTypeNames, providerTypes } from '#domain/provider-types.ts';
import { isMap } from '../../json.ts';
import { nearest } from '../../nearest.ts';
import { error, type Fault, pathText, warning } from '../faults/fault.ts';
import { schemaFaults } from '../faults/schema-faults.ts';
import { shown } from '../schema/names.ts';
import { ProviderPlugin, pluginType } from '../schema/provider-plugin.ts';
import type { PlacedGroup } from './placed-groups.ts';

/** A field of a created group, and the names that properties have for it. */
const words = {
  serverType: ['instanceType', 'serverType', 'instanceSize', 'machineType'],
  image: ['image', 'ami'],
  region: ['region', 'location'],
  zone: ['zone', 'availabilityZone'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Word = keyof typeof words;

/** Properties without effect here, and why. */
const unused: Readonly<Record<string, string>> = {
  key: 'Kubeloom creates the SSH keys of machines',
  sshKey: 'Kubeloom creates the SSH keys of machines',
  memory: 'the instance type decides about it',
  cpu: 'the instance type decides about it',
};

/** What a type takes when a group does not say: where there is only one region, or nothing to choose. */
const usual: Partial<Record<PluginTypeName, Readonly<Partial<Record<Word, string>>>>> = {
  // The folder of the type says which properties there are; these stand for what it has no words for.
  plugin: { region: 'default', serverType: 'default', image: 'default' },
  local: { region: 'here', serverType: 'host', image: 'debian' },
  sim: { region: 'here', serverType: 'host', image: 'debian' },
};

type PluginTypeName = ProviderTypeName | typeof pluginType;
type Path = readonly string[];

export interface ReadPlugin {
  /** Absent when there is no such type. */
  readonly type?: PluginTypeName;
  /** What the properties say, in the words of a pool. */
  readonly machine: Readonly<Partial<Record<Word, unknown>>>;
  /** Where the group has each of them. */
  readonly places: Readonly<Record<Word, string>>;
  readonly faults: readonly Fault[];
}

/** Never throws. */
export function readPlugin({ names, value }: PlacedGroup): ReadPlugin {
  const path = ['spec', 'groups', ...names];
  const plugin = isMap(value.resourcePlugin) ? value.resourcePlugin : {};
  const properties = isMap(value.resourceProperties) ? value.resourceProperties : {};
  const type = typeOf(plugin);
  const used = Object.entries(words).map(([word, known]) => {
    const given = known.find((name) => properties[name] !== undefined);
    return [
      word as Word,
      given,
      given === undefined ? type && usual[type]?.[word as Word] : properties[given],
    ] as const;
  });
  if (type === pluginType) return { type, ...wordsOf(used), faults: sourceFaults(plugin, path) };
  const known = new Set<string>([...Object.values(words).flat(), ...Object.keys(unused)]);
  const faults = [
    ...(type === undefined ? typeFaults(plugin, path) : sourceAdvice(plugin, type, path)),
    ...Object.keys(properties)
      .filter((name) => !known.has(name))
      .map((name) => unknownProperty([...path, 'resourceProperties', name], name, known)),
    ...Object.entries(unused)
      .filter(([name]) => properties[name] !== undefined)
      .map(([name, why]) =>
        warning('unused-property', [...path, 'resourceProperties', name], `has no effect: ${why}`, 'leave it out'),
      ),
  ];
  return { ...(type && { type }), ...wordsOf(used), faults };
}

function wordsOf(
  used: readonly (readonly [word: Word, given: string | undefined, value: unknown])[],
): Pick<ReadPlugin, 'machine' | 'places'> {
  return {
    machine: Object.fromEntries(used.flatMap(([word, , value]) => (value === undefined ? [] : [[word, value]]))),
    places: Object.fromEntries(
      used.map(([word, given]) => [word, `resourceProperties.${given ?? words[word][0]}`]),
    ) as Record<Word, string>,
  };
}

/** What the group says about where the type is from. */
export function pluginOf(plugin: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { secretRef: _, ...source } = plugin;
  return source;
}

/** What is wrong with its name, address, version or sum. */
function sourceFaults(plugin: Readonly<Record<string, unknown>>, path: readonly string[]): readonly Fault[] {
  return schemaFaults(ProviderPlugin, pluginOf(plugin)).faults.map((fault) => ({
    ...fault,
    path: `${pathText([...path, 'resourcePlugin'])}.${fault.path}`,
  }));
}

/** A name with a URL is a type from there, unless it comes with Kubeloom. */
function typeOf({ name, url }: Readonly<Record<string, unknown>>): PluginTypeName | undefined {
  if (typeof name !== 'string') return undefined;
  const known = builtIn(name);
  return known === undefined && url !== undefined ? pluginType : known;
}

function builtIn(name: string): ProviderTypeName | undefined {
  return providerTypeNames.find((type) => type === name.toLowerCase() && providerTypes[type].nodes);
}

function typeFaults({ name }: Readonly<Record<string, unknown>>, path: readonly string[]): readonly Fault[] {
  // Its absence is a fault of form.
  if (typeof name !== 'string') return [];
  const types = providerTypeNames.filter((type) => providerTypes[type].nodes);
  const near = nearest(name.toLowerCase(), types);
  const fix =
    near === undefined ? `use one of ${types.join(', ')}, or give the url of another` : `did you mean ${near}?`;
  return [error([...path, 'resourcePlugin', 'name'], `there is no provider type ${shown(name)}`, fix)];
}

/** Fields about the origin of the type that have no effect. */
function sourceAdvice(plugin: Readonly<Record<string, unknown>>, type: ProviderTypeName, path: Path): readonly Fault[] {
  const { name, version, url, sha256, secretRef } = plugin;
  const unused = (field: string, reason: string, fix = 'leave it out'): Fault =>
    warning('unused-property', [...path, 'resourcePlugin', field], reason, fix);
  const fetchesNothing = `${shown(name)} comes with Kubeloom, nothing is fetched`;
  const isOne = url === undefined && version !== undefined && version !== 'latest';
  return [
    ...(url === undefined ? [] : [unused('url', fetchesNothing)]),
    ...(sha256 === undefined ? [] : [unused('sha256', fetchesNothing)]),
    ...(isOne
      ? [unused('version', `${shown(name)} comes with Kubeloom and has one version`, 'leave it out, or use "latest"')]
      : []),
    ...(secretRef === undefined || providerTypes[type].secret.length > 0
      ? []
      : [unused('secretRef', `${shown(name)} has no credentials`)]),
  ];
}

function unknownProperty(path: readonly string[], name: string, known: ReadonlySet<string>): Fault {
  const near = nearest(name, [...known]);
  const fix = near === undefined ? `remove it; known are ${[...known].join(', ')}` : `did you mean ${near}?`;
  return error(path, `there is no property ${shown(name)}`, fix);
}
