/** Check: the modules exist, are readable, and leave providers, versions and the backend to the root. */
import type { ProviderTemplate } from '#rendering/provider-template.ts';
import { builtInResources, machineModules } from './contract.ts';
import { type Finding, fault, warningFinding } from './finding.ts';
import { bodies, type ModuleSource } from './module-source.ts';
import { modulesOf, type TypeSource, validOf } from './type-source.ts';

const check = 'modules';
const neededFiles = ['main.tf', 'variables.tf', 'outputs.tf'];

export function checkModules(source: TypeSource): readonly Finding[] {
  const template = validOf(source.template);
  return [
    ...missing(source),
    ...Object.entries(source.unreadable).map(([place, message]) =>
      fault(check, { place, message, fix: 'run terraform fmt' }),
    ),
    ...modulesOf(source).flatMap((module) => [
      ...neededFiles
        .filter((name) => !module.files.includes(name))
        .map((name) =>
          fault(check, { place: module.name, message: `there is no ${name}`, fix: `add ${module.name}/${name}` }),
        ),
      ...rootsBusiness(module),
      ...(template === undefined ? [] : requiredProviders(module, template)),
    ]),
  ];
}

function missing({ modules, unreadable }: TypeSource): readonly Finding[] {
  const there = (name: keyof TypeSource['modules']) => modules[name] !== undefined || unreadable[name] !== undefined;
  const machines = machineModules.some(there);
  if (!machines && !there('dns')) {
    return [
      fault(check, {
        place: '.',
        message: 'there is neither nodepool nor dns',
        fix: 'add network and nodepool for machines, dns for names; or name the directory that has them',
      }),
    ];
  }
  if (!machines) return [];
  return machineModules
    .filter((name) => !there(name))
    .map((name) =>
      fault(check, {
        place: '.',
        message: `${name} is missing: machines need both network and nodepool`,
        fix: `add ${name}, even if it creates nothing`,
      }),
    );
}

function rootsBusiness(module: ModuleSource): readonly Finding[] {
  const place = `${module.name}/main.tf`;
  const settings = module.settings.flatMap((body) => Object.keys(body));
  return [
    ...module.providerBlocks.map((name) =>
      fault(check, {
        place,
        message: `a provider block for ${name} keeps the module from having a count`,
        fix: 'remove it: the root has it, see provider.json',
      }),
    ),
    ...['backend', 'cloud']
      .filter((word) => settings.includes(word))
      .map((word) => fault(check, { place, message: `${word} belongs in the root`, fix: 'remove the block' })),
    ...(settings.includes('required_version')
      ? []
      : [
          fault(check, {
            place,
            message: 'the required version of Terraform is missing',
            fix: 'terraform { required_version = ">= 1.6" }',
          }),
        ]),
    ...module.calls.map((name) =>
      warningFinding(check, {
        place,
        message: `module ${name} is called; this kit does not check it`,
        fix: 'prefer resources of your own',
      }),
    ),
  ];
}

function requiredProviders(module: ModuleSource, template: ProviderTemplate): readonly Finding[] {
  const place = `${module.name}/main.tf`;
  const declared = Object.assign({}, ...module.settings.flatMap((body) => bodies(body.required_providers)));
  const pinned: Readonly<Record<string, { readonly source: string }>> = {
    ...template.alsoRequired,
    ...(template.provider ? { [template.provider.name]: template.provider } : {}),
  };
  const used = new Set(
    [...module.resources, ...module.data].map(({ type }) => type).filter((type) => !builtInResources.has(type)),
  );
  return [
    ...Object.entries(declared).flatMap(([name, value]) =>
      declaration(place, name, bodies(value)[0] ?? {}, pinned[name]),
    ),
    ...[...new Set([...used].map((type) => type.replace(/_.*$/, '')))]
      .filter((name) => !Object.hasOwn(declared, name))
      .map((name) =>
        fault(check, {
          place,
          message: `required_providers lacks ${name}: Terraform would take hashicorp/${name}`,
          fix: `add ${name} with its source`,
        }),
      ),
  ];
}

function declaration(
  place: string,
  name: string,
  { source, version, configuration_aliases: aliases }: Readonly<Record<string, unknown>>,
  pinned: { readonly source: string } | undefined,
): readonly Finding[] {
  const reported = (message: string, fix: string): Finding => fault(check, { place, message, fix });
  return [
    ...(pinned === undefined
      ? [reported(`provider ${name} is not in provider.json`, 'pin it there: provider or alsoRequired')]
      : []),
    ...(pinned !== undefined && source !== pinned.source
      ? [
          reported(
            `source of ${name} is ${String(source)} here and ${pinned.source} in provider.json`,
            'write the same',
          ),
        ]
      : []),
    ...(version === undefined
      ? []
      : [reported(`the version of ${name} is set here and in provider.json`, 'remove it here')]),
    ...(aliases === undefined
      ? []
      : [reported(`aliases of ${name} cannot be given by the root`, 'one provider a module; regions are the root’s')]),
  ];
}
