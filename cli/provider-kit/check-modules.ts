/** Check: the modules exist, are readable, and leave providers, versions and the backend to the root. */
import type { ProviderTemplate } from '#rendering/provider-template.ts';
import { machineModules } from './contract.ts';
import { type Finding, findingsAbout } from './finding.ts';
import { bodies, type ModuleSource } from './module-source.ts';
import { modulesOf, pinnedProviders, pluginTypes, type TypeSource, validOf } from './type-source.ts';

const neededFiles = ['main.tf', 'variables.tf', 'outputs.tf'];
const about = (place: string) => findingsAbout('modules', place);

export function* checkModules(source: TypeSource): Iterable<Finding> {
  const template = validOf(source.template);
  yield* missing(source);
  for (const [place, message] of Object.entries(source.unreadable))
    yield about(place).fault(message, 'run terraform fmt');
  for (const module of modulesOf(source)) {
    for (const name of neededFiles)
      if (!module.files.includes(name))
        yield about(module.name).fault(`there is no ${name}`, `add ${module.name}/${name}`);
    yield* rootsBusiness(module);
    if (template !== undefined) yield* requiredProviders(module, template);
  }
}

function* missing({ modules, unreadable }: TypeSource): Iterable<Finding> {
  const { fault } = about('.');
  const there = (name: keyof TypeSource['modules']) => modules[name] !== undefined || unreadable[name] !== undefined;
  if (machineModules.some(there)) {
    for (const name of machineModules)
      if (!there(name))
        yield fault(
          `${name} is missing: machines need both network and nodepool`,
          `add ${name}, even if it creates nothing`,
        );
  } else if (!there('dns')) {
    const fix = 'add network and nodepool for machines, dns for names; or name the directory that has them';
    yield fault('there is neither nodepool nor dns', fix);
  }
}

function* rootsBusiness(module: ModuleSource): Iterable<Finding> {
  const { fault, warning } = about(`${module.name}/main.tf`);
  const settings = module.settings.flatMap((body) => Object.keys(body));
  for (const name of module.providerBlocks)
    yield fault(
      `a provider block for ${name} keeps the module from having a count`,
      'remove it: the root has it, see provider.json',
    );
  for (const word of ['backend', 'cloud'])
    if (settings.includes(word)) yield fault(`${word} belongs in the root`, 'remove the block');
  if (!settings.includes('required_version'))
    yield fault('the required version of Terraform is missing', 'terraform { required_version = ">= 1.6" }');
  for (const name of module.calls)
    yield warning(`module ${name} is called; this kit does not check it`, 'prefer resources of your own');
}

function* requiredProviders(module: ModuleSource, template: ProviderTemplate): Iterable<Finding> {
  const { fault } = about(`${module.name}/main.tf`);
  const declared = Object.assign({}, ...module.settings.flatMap((body) => bodies(body.required_providers)));
  const pins = pinnedProviders(template);
  for (const [name, value] of Object.entries(declared)) {
    const { source, version, configuration_aliases: aliases } = bodies(value)[0] ?? {};
    const pinned = pins[name];
    if (pinned === undefined)
      yield fault(`provider ${name} is not in provider.json`, 'pin it there: provider or alsoRequired');
    else if (source !== pinned.source)
      yield fault(
        `source of ${name} is ${String(source)} here and ${pinned.source} in provider.json`,
        'write the same',
      );
    if (version !== undefined) yield fault(`the version of ${name} is set here and in provider.json`, 'remove it here');
    if (aliases !== undefined)
      yield fault(`aliases of ${name} cannot be given by the root`, 'one provider a module; regions are the root’s');
  }
  const used = pluginTypes([...module.resources, ...module.data]).map((type) => String(type.split('_', 1)[0]));
  for (const name of new Set(used))
    if (!Object.hasOwn(declared, name))
      yield fault(
        `required_providers lacks ${name}: Terraform would take hashicorp/${name}`,
        `add ${name} with its source`,
      );
}
