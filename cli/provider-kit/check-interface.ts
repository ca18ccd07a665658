/** Check: variables and outputs are those of the contract, with types that fit the values of the root. */
import { providerTypeFacts } from '#domain/provider-types.ts';
import { contract, nullableVariables } from './contract.ts';
import { type Finding, fault, warningFinding } from './finding.ts';
import { type HclBody, type ModuleSource, textsOf } from './module-source.ts';
import { misfit, readTerraformType, type TerraformType, typeName } from './terraform-type.ts';
import { modulesOf, type TypeSource, validOf } from './type-source.ts';

const check = 'interface';

export function checkInterface(source: TypeSource): readonly Finding[] {
  const template = validOf(source.template);
  const networkOutputs = Object.keys(source.modules.network?.outputs ?? {});
  return modulesOf(source).flatMap((module) => {
    const fromSecret = Object.keys(template?.moduleVariables ?? {});
    const fromEnvironment = Object.keys(template?.environment[module.name] ?? {});
    return [
      ...Object.entries(givenTo(module, source.name)).flatMap(([name, given]) => aboutVariable(module, name, given)),
      ...fromSecret.flatMap((name) => aboutSecretVariable(module, name)),
      ...strays(module, new Set([...fromSecret, ...fromEnvironment])),
      ...contract[module.name].outputs
        .filter((name) => module.outputs[name] === undefined)
        .map((name) =>
          fault(check, {
            place: `${module.name}/outputs.tf`,
            message: `there is no output ${name}`,
            fix: `add it: ${purpose[name] ?? 'see the contract'}`,
          }),
        ),
      ...(module.name === 'nodepool' ? addressOutput(module) : []),
      ...(module.name === 'nodepool' && source.unreadable.network === undefined
        ? networkVariable(module, networkOutputs)
        : []),
    ];
  });
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
  nodes: 'node name => { public_address, ssh_port?, wireguard_port?, data_device? }',
  endpoint: 'the full name, without a dot at its end',
  alternative_endpoints: 'alternative name => full name',
};

function aboutVariable(module: ModuleSource, name: string, given: TerraformType): readonly Finding[] {
  const place = `${module.name}/variables.tf`;
  const reported = (message: string, fix: string): readonly Finding[] => [fault(check, { place, message, fix })];
  const body = module.variables[name];
  if (body === undefined) return reported(`there is no variable ${name}`, `declare it with type ${typeName(given)}`);
  const type = typeOf(body);
  if (type === undefined) return reported(`variable ${name} has no type`, `type = ${typeName(given)}`);
  if ('problem' in type) return reported(`type of variable ${name}: ${type.problem}`, `type = ${typeName(given)}`);
  const reason = misfit(given, type.read);
  if (reason !== undefined)
    return reported(
      `variable ${name} does not accept the value that it is given: ${reason}`,
      `type = ${typeName(given)}`,
    );
  if (nullableVariables.has(name) && body.nullable === false)
    return reported(`variable ${name} may be null`, 'remove nullable = false');
  if (body.description === undefined) {
    return [
      warningFinding(check, {
        place,
        message: `variable ${name} has no description`,
        fix: 'describe what it does here',
      }),
    ];
  }
  return [];
}

function typeOf(body: HclBody): { readonly read: TerraformType } | { readonly problem: string } | undefined {
  if (typeof body.type !== 'string') return undefined;
  try {
    return { read: readTerraformType(body.type) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function aboutSecretVariable(module: ModuleSource, name: string): readonly Finding[] {
  if (module.variables[name] !== undefined) return [];
  return [
    fault(check, {
      place: `${module.name}/variables.tf`,
      message: `there is no variable ${name}, which provider.json fills from the Secret`,
      fix: 'declare it in every module, with type string',
    }),
  ];
}

/** Variables that get no value must have a default. */
function strays(module: ModuleSource, filled: ReadonlySet<string>): readonly Finding[] {
  const known = contract[module.name].variables;
  return Object.entries(module.variables)
    .filter(([name, body]) => !Object.hasOwn(known, name) && !filled.has(name) && body.default === undefined)
    .map(([name]) =>
      fault(check, {
        place: `${module.name}/variables.tf`,
        message: `variable ${name} gets no value and has no default`,
        fix: 'give it a default, or name it in provider.json',
      }),
    );
}

/** A node cannot be reached without its address: `public_address` is in the output, or in a local that the output uses. */
function addressOutput(module: ModuleSource): readonly Finding[] {
  const { nodes } = module.outputs;
  if (nodes === undefined || textsOf([nodes, module.locals]).some((text) => text.includes('public_address'))) return [];
  return [
    fault(check, {
      place: 'nodepool/outputs.tf',
      message: 'output nodes has no public_address',
      fix: `value = { for … : <node name> => { public_address = … } }: ${purpose.nodes}`,
    }),
  ];
}

/** The network must have every output that the pool uses. */
function networkVariable(module: ModuleSource, outputs: readonly string[]): readonly Finding[] {
  const type = typeOf(module.variables.network ?? {});
  if (type === undefined || 'problem' in type || type.read.kind !== 'object') return [];
  return Object.entries(type.read.attributes)
    .filter(([name, { optional }]) => !optional && !outputs.includes(name))
    .map(([name]) =>
      fault(check, {
        place: 'network/outputs.tf',
        message: `there is no output ${name}, which nodepool needs from network`,
        fix: 'add it, or take it out of the type of variable network',
      }),
    );
}
