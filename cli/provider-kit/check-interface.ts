/** Checks: variables and outputs are those of the contract, with types that fit the values of the root; no output is secret. */
import { providerTypeFacts } from '#domain/provider-types.ts';
import { contract, nullableVariables } from './contract.ts';
import { type Finding, findingsAbout } from './finding.ts';
import { type HclBody, type ModuleSource, textsOf } from './module-source.ts';
import { referencesOf } from './references.ts';
import { misfit, readTerraformType, type TerraformType, typeName } from './terraform-type.ts';
import { modulesOf, type TypeSource, validOf } from './type-source.ts';

const about = (place: string) => findingsAbout('interface', place);

export function* checkInterface(source: TypeSource): Iterable<Finding> {
  const template = validOf(source.template);
  const fromSecret = Object.keys(template?.moduleVariables ?? {});
  for (const module of modulesOf(source)) {
    const { variables, outputs } = contract[module.name];
    const inVariables = about(`${module.name}/variables.tf`);
    for (const [name, given] of Object.entries(givenTo(module, source.name))) yield* aboutVariable(module, name, given);
    for (const name of fromSecret)
      if (module.variables[name] === undefined)
        yield inVariables.fault(
          `there is no variable ${name}, which provider.json fills from the Secret`,
          'declare it in every module, with type string',
        );
    const asked = module.name === 'nodepool' && template?.properties !== undefined;
    if (asked && module.variables.properties === undefined)
      yield inVariables.fault(
        'there is no variable properties, which pools fill as provider.json allows',
        'declare it as an object with the properties of the schema',
      );
    const filled = new Set([
      ...(asked ? ['properties'] : []),
      ...[...Object.keys(variables), ...fromSecret],
      ...Object.keys(template?.environment[module.name] ?? {}),
    ]);
    for (const [name, body] of Object.entries(module.variables))
      if (!filled.has(name) && body.default === undefined)
        yield inVariables.fault(
          `variable ${name} gets no value and has no default`,
          'give it a default, or name it in provider.json',
        );
    for (const name of outputs)
      if (module.outputs[name] === undefined)
        yield about(`${module.name}/outputs.tf`).fault(
          `there is no output ${name}`,
          `add it: ${purpose[name] ?? 'see the contract'}`,
        );
    if (module.name !== 'nodepool') continue;
    yield* addressOutput(module);
    if (source.unreadable.network === undefined)
      yield* networkVariable(module, Object.keys(source.modules.network?.outputs ?? {}));
  }
}

/** A built-in type whose pools must name their external network is always given one. */
function givenTo({ name: module }: ModuleSource, type: string): Readonly<Record<string, TerraformType>> {
  const { variables } = contract[module];
  const { pool } = variables;
  if (pool?.kind !== 'object' || !providerTypeFacts(type)?.externalNetworkNeeded) return variables;
  const external_network_name = { type: { kind: 'string' }, optional: false } as const;
  return { ...variables, pool: { ...pool, attributes: { ...pool.attributes, external_network_name } } };
}

const purpose: Readonly<Record<string, string>> = {
  nodes: 'node name => { public_address, ssh_port?, wireguard_port?, data_device?, local_address?, local_network? }',
  endpoint: 'the full name, without a dot at its end',
  alternative_endpoints: 'alternative name => full name',
};

function* aboutVariable(module: ModuleSource, name: string, given: TerraformType): Iterable<Finding> {
  const { fault, warning } = about(`${module.name}/variables.tf`);
  const asType = `type = ${typeName(given)}`;
  const body = module.variables[name];
  if (body === undefined) return yield fault(`there is no variable ${name}`, `declare it with type ${typeName(given)}`);
  const type = typeOf(body);
  if (type === undefined) return yield fault(`variable ${name} has no type`, asType);
  if ('problem' in type) return yield fault(`type of variable ${name}: ${type.problem}`, asType);
  const reason = misfit(given, type.read);
  if (reason !== undefined)
    yield fault(`variable ${name} does not accept the value that it is given: ${reason}`, asType);
  else if (nullableVariables.has(name) && body.nullable === false)
    yield fault(`variable ${name} may be null`, 'remove nullable = false');
  else if (body.description === undefined)
    yield warning(`variable ${name} has no description`, 'describe what it does here');
}

function typeOf(body: HclBody): { readonly read: TerraformType } | { readonly problem: string } | undefined {
  if (typeof body.type !== 'string') return undefined;
  try {
    return { read: readTerraformType(body.type) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** A node cannot be reached without its address: `public_address` is in the output, or in a local that the output uses. */
function* addressOutput({ outputs: { nodes }, locals }: ModuleSource): Iterable<Finding> {
  if (nodes === undefined || textsOf([nodes, locals]).some((text) => text.includes('public_address'))) return;
  const fix = `value = { for … : <node name> => { public_address = … } }: ${purpose.nodes}`;
  yield about('nodepool/outputs.tf').fault('output nodes has no public_address', fix);
}

/** The network must have every output that the pool uses. */
function* networkVariable(module: ModuleSource, outputs: readonly string[]): Iterable<Finding> {
  const type = typeOf(module.variables.network ?? {});
  if (type === undefined || 'problem' in type || type.read.kind !== 'object') return;
  for (const [name, { optional }] of Object.entries(type.read.attributes))
    if (!optional && !outputs.includes(name))
      yield about('network/outputs.tf').fault(
        `there is no output ${name}, which nodepool needs from network`,
        'add it, or take it out of the type of variable network',
      );
}

const secretAttribute = /\.(\w*(?:password|passwd|secret|private_key|token|credential|user_data|first_boot)\w*)/i;

/** Outputs are kept in the state, in facts and in the runner's log, so nothing secret is in them. */
export function* checkOutputs(source: TypeSource): Iterable<Finding> {
  const fromSecret = Object.keys(validOf(source.template)?.moduleVariables ?? {});
  for (const module of modulesOf(source)) {
    const { fault } = findingsAbout('outputs', `${module.name}/outputs.tf`);
    const sensitive = Object.entries(module.variables).filter(([, body]) => body.sensitive === true);
    const secrets = new Set([...fromSecret, ...sensitive.map(([name]) => name)].map((name) => `var.${name}`));
    for (const [name, body] of Object.entries(module.outputs)) {
      const secret = [...referencesOf(module, body.value)].find((reference) => secrets.has(reference));
      const attribute = secretAttribute.exec(textsOf(body.value).join('\n'))?.[1];
      const what = secret ?? attribute;
      const why =
        body.sensitive === true ? 'is marked as sensitive: the root cannot pass it on' : what && `contains ${what}`;
      if (why) yield fault(`output ${name} ${why}`, 'remove it: code that needs it can read the Secret');
    }
  }
}
