/** Check: `provider.json` and `permissions.json` are valid, agree with the modules, and with the table of built-in types. */
import { isProviderType, type ProviderTypeFacts, providerTypes } from '#domain/provider-types.ts';
import { readSchema } from '#rendering/property-schema.ts';
import { type ProviderTemplate, usedFields } from '#rendering/provider-template.ts';
import { type Finding, findingsAbout } from './finding.ts';
import { modulesOf, type Permissions, pinnedProviders, pluginTypes, type TypeSource, validOf } from './type-source.ts';

const { fault, warning } = findingsAbout('descriptions', 'provider.json');

export function* checkDescriptions(source: TypeSource): Iterable<Finding> {
  const template = validOf(source.template);
  const permissions = validOf(source.permissions);
  const plugins = modulesOf(source).some(({ resources }) => pluginTypes(resources).length > 0);
  yield* brokenFile('provider.json', source.template);
  if (plugins || permissions !== undefined) yield* brokenFile('permissions.json', source.permissions);
  if (template !== undefined) {
    yield* aboutProvider(source, template);
    yield* aboutSchemas(template);
    yield* aboutSecret(source.name, template);
  }
  if (permissions !== undefined) yield* aboutPermissions(source, permissions);
}

function* brokenFile(place: string, read: TypeSource['template'] | TypeSource['permissions']): Iterable<Finding> {
  if ('value' in read) return;
  const about = findingsAbout('descriptions', place);
  for (const message of read.problems) yield about.fault(message, 'see "The files" of docs/write-a-provider.md');
}

function* aboutProvider({ modules }: TypeSource, template: ProviderTemplate): Iterable<Finding> {
  for (const [name, { source, version }] of Object.entries(pinnedProviders(template))) {
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
      yield fault(`version "${version}" of ${name} is not an exact version`, 'write one like 2.67.0');
    if (!/^([\w.-]+\/)?[\w-]+\/[\w-]+$/.test(source))
      yield fault(`source "${source}" of ${name} is not a provider address`, 'write <namespace>/<name>');
  }
  if (modules.nodepool !== undefined && template.firewall === 'none')
    yield warning(
      'firewall is "none": nothing blocks connections to the machines from outside',
      'say "cloud" when the network module has a firewall, else "host"',
    );
}

function* aboutSchemas(template: ProviderTemplate): Iterable<Finding> {
  for (const name of ['properties', 'secret'] as const) {
    const schema = template[name];
    if (schema === undefined) continue;
    const read = readSchema(schema);
    if ('problem' in read)
      yield fault(`${name} is not a JSON Schema that can be used: ${read.problem}`, 'see docs/plugins.md');
    else if (schema.type !== 'object')
      yield fault(`${name} is not the schema of an object`, 'write "type": "object" and its properties');
  }
}

function* aboutSecret(type: string, template: ProviderTemplate): Iterable<Finding> {
  const used = usedFields(template);
  for (const field of template.optionalFields.filter((name) => !used.includes(name)))
    yield fault(
      `optionalFields names ${field}, which nothing uses`,
      'remove it, or use it in credentials, moduleVariables or secretEnvironment',
    );
  if (!isProviderType(type)) return;
  const facts: ProviderTypeFacts = providerTypes[type];
  const known = [...facts.secret, ...(facts.keyless ?? []).flat()];
  for (const field of used.filter((used) => !known.some(({ name }) => name === used)))
    yield fault(
      `the Secret of type ${type} has no field ${field}`,
      'name a field of functions/domain/provider-types.ts',
    );
  for (const { name, required } of known)
    if (!required && used.includes(name) && !template.optionalFields.includes(name))
      yield fault(`field ${name} may be missing in a Secret of type ${type}`, 'list it in optionalFields');
  for (const { name } of facts.secret.filter((field) => !used.includes(field.name)))
    yield warning(
      `field ${name} of the Secret of type ${type} is not used here`,
      'name it in credentials, moduleVariables or secretEnvironment, unless the runner passes it automatically',
    );
}

function* aboutPermissions(source: TypeSource, permissions: Permissions): Iterable<Finding> {
  const about = findingsAbout('descriptions', 'permissions.json');
  for (const [what, key] of [['resource', 'resources'] as const, ['data source', 'data'] as const]) {
    const wanted = new Set(modulesOf(source).flatMap((module) => pluginTypes(module[key])));
    const listed = Object.keys(permissions[key]);
    for (const type of wanted)
      if (!listed.includes(type))
        yield about.fault(
          `${what} ${type} is used, but its permissions are not listed`,
          `list its permissions under "${key}"`,
        );
    // It is not known what a module uses that cannot be read.
    if (Object.keys(source.unreadable).length > 0) continue;
    for (const type of listed.filter((one) => !wanted.has(one)))
      yield about.fault(
        `${what} ${type} is listed, but no module uses it`,
        'remove it: credentials need only the permissions that modules use',
      );
  }
}
