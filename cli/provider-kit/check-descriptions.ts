/** Check: `provider.json` and `permissions.json` are valid, agree with the modules, and with the table of built-in types. */
import { isProviderType, type ProviderTypeFacts, providerTypes } from '#domain/provider-types.ts';
import { type ProviderTemplate, usedFields } from '#rendering/provider-template.ts';
import { builtInResources } from './contract.ts';
import { type Finding, fault, warningFinding } from './finding.ts';
import type { Permissions } from './permissions.ts';
import { modulesOf, type TypeSource, validOf } from './type-source.ts';

const check = 'descriptions';
const file = 'provider.json';

export function checkDescriptions(source: TypeSource): readonly Finding[] {
  const template = validOf(source.template);
  const permissions = validOf(source.permissions);
  const plugins = modulesOf(source).some(({ resources }) => resources.some(({ type }) => !builtInResources.has(type)));
  const broken = [
    ...brokenFile(file, source.template),
    ...(plugins || permissions !== undefined ? brokenFile('permissions.json', source.permissions) : []),
  ];
  return [
    ...broken,
    ...(template === undefined ? [] : [...aboutProvider(source, template), ...aboutSecret(source.name, template)]),
    ...(permissions === undefined ? [] : aboutPermissions(source, permissions)),
  ];
}

function brokenFile(place: string, read: TypeSource['template'] | TypeSource['permissions']): readonly Finding[] {
  if ('value' in read) return [];
  return read.problems.map((message) =>
    fault(check, { place, message, fix: `see "The files" of docs/write-a-provider.md` }),
  );
}

function aboutProvider({ modules }: TypeSource, template: ProviderTemplate): readonly Finding[] {
  const pinned = {
    ...template.alsoRequired,
    ...(template.provider ? { [template.provider.name]: template.provider } : {}),
  };
  const versions = Object.entries(pinned).flatMap(([name, { source, version }]) => [
    ...(/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)
      ? []
      : [
          fault(check, {
            place: file,
            message: `version "${version}" of ${name} is not an exact version`,
            fix: 'write one like 2.67.0',
          }),
        ]),
    ...(/^([\w.-]+\/)?[\w-]+\/[\w-]+$/.test(source)
      ? []
      : [
          fault(check, {
            place: file,
            message: `source "${source}" of ${name} is not a provider address`,
            fix: 'write <namespace>/<name>',
          }),
        ]),
  ]);
  const unguarded =
    modules.nodepool !== undefined && template.firewall === 'none'
      ? [
          warningFinding(check, {
            place: file,
            message: 'firewall is "none": nothing blocks connections to the machines from outside',
            fix: 'say "cloud" when the network module has a firewall, else "host"',
          }),
        ]
      : [];
  return [...versions, ...unguarded];
}

function aboutSecret(type: string, template: ProviderTemplate): readonly Finding[] {
  const used = usedFields(template);
  const stray = template.optionalFields
    .filter((field) => !used.includes(field))
    .map((field) =>
      fault(check, {
        place: file,
        message: `optionalFields names ${field}, which nothing uses`,
        fix: 'remove it, or use it in credentials, moduleVariables or secretEnvironment',
      }),
    );
  if (!isProviderType(type)) return stray;
  const facts: ProviderTypeFacts = providerTypes[type];
  const known = [...facts.secret, ...(facts.keyless ?? []).flat()];
  const optional = known.filter(({ required }) => !required).map(({ name }) => name);
  return [
    ...stray,
    ...used
      .filter((field) => !known.some(({ name }) => name === field))
      .map((field) =>
        fault(check, {
          place: file,
          message: `the Secret of type ${type} has no field ${field}`,
          fix: 'name a field of functions/domain/provider-types.ts',
        }),
      ),
    ...optional
      .filter((field) => used.includes(field) && !template.optionalFields.includes(field))
      .map((field) =>
        fault(check, {
          place: file,
          message: `field ${field} may be missing in a Secret of type ${type}`,
          fix: 'list it in optionalFields',
        }),
      ),
    ...facts.secret
      .filter(({ name }) => !used.includes(name))
      .map(({ name }) =>
        warningFinding(check, {
          place: file,
          message: `field ${name} of the Secret of type ${type} is not used here`,
          fix: 'name it in credentials, moduleVariables or secretEnvironment, unless the runner passes it automatically',
        }),
      ),
  ];
}

function aboutPermissions(source: TypeSource, { resources, data }: Permissions): readonly Finding[] {
  const place = 'permissions.json';
  const used = (kind: 'resources' | 'data') =>
    new Set(
      modulesOf(source)
        .flatMap((module) => module[kind].map(({ type }) => type))
        .filter((type) => !builtInResources.has(type)),
    );
  const compare = (
    what: string,
    wanted: ReadonlySet<string>,
    listed: readonly string[],
    key: string,
  ): readonly Finding[] => [
    ...[...wanted]
      .filter((type) => !listed.includes(type))
      .map((type) =>
        fault(check, {
          place,
          message: `${what} ${type} is used, but its permissions are not listed`,
          fix: `list its permissions under "${key}"`,
        }),
      ),
    // It is not known what a module uses that cannot be read.
    ...(Object.keys(source.unreadable).length > 0 ? [] : listed)
      .filter((type) => !wanted.has(type))
      .map((type) =>
        fault(check, {
          place,
          message: `${what} ${type} is listed, but no module uses it`,
          fix: 'remove it: credentials need only the permissions that modules use',
        }),
      ),
  ];
  return [
    ...compare('resource', used('resources'), Object.keys(resources), 'resources'),
    ...compare('data source', used('data'), Object.keys(data), 'data'),
  ];
}
