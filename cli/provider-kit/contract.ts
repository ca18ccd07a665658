/** The contract between the generated root and the modules: the variables of each module, and the outputs that it must have. */
import { moduleTypes } from '#domain/machine-fields.ts';
import { type ModuleName, moduleNames } from './module-source.ts';
import { readTerraformType, type TerraformType } from './terraform-type.ts';

export interface ContractVariable {
  /** The type of the value that the root gives, as Terraform writes it. */
  readonly type: string;
  readonly description: string;
  /** As Terraform writes it. @default none: the root always gives a value */
  readonly default?: string;
  /** What Terraform asks of the value, with the sentence for a value that is refused. */
  readonly validation?: { readonly condition: string; readonly message: string };
}

interface ModuleContract {
  /** Variable → type of the value that the root gives. */
  readonly variables: Readonly<Record<string, TerraformType>>;
  readonly outputs: readonly string[];
}

const installation: ContractVariable = { type: 'string', description: 'Name of this Kubeloom installation.' };
const cluster_id: ContractVariable = { type: 'string', description: 'Id of the cluster: <name>-<hash7>.' };
const tags: ContractVariable = {
  type: 'map(string)',
  description: 'Put on everything that can carry tags.',
  default: '{}',
};

const poolAttributes = [['id', 'string'], ['role', 'string'], ...moduleTypes] as const;
const longestName = Math.max(...poolAttributes.map(([name]) => name.length));
/** Aligned as `terraform fmt` does it. */
const pool = `object({\n${poolAttributes.map(([name, type]) => `    ${name.padEnd(longestName)} = ${type}\n`).join('')}  })`;

/**
 * Every variable that the root gives, in one place: `node scripts/generate-module-variables.ts` writes the `variables.tf` of the
 * built-in types from it, `kubeloom provider test` compares other types with it.
 */
export const contractVariables: Readonly<Record<ModuleName, Readonly<Record<string, ContractVariable>>>> = {
  network: {
    installation,
    cluster_id,
    provider_name: {
      type: 'string',
      description: 'Name of the provider instance. Part of names, so that several instances can share one account.',
    },
    region: { type: 'string', description: 'Region of this call.' },
    api_port_open: {
      type: 'bool',
      description: 'Open 6443 to the world: no load balancer serves the API.',
      default: 'false',
    },
    roles: {
      type: 'list(object({ name = string, protocol = string, port = number }))',
      description: 'Ports of load balancer roles to open to the world.',
      default: '[]',
    },
    ssh_ports: {
      type: 'list(number)',
      description: 'SSH ports to open to admin_cidrs and peer_cidrs.',
      default: '[22]',
    },
    wireguard_port: { type: 'number', description: "WireGuard's UDP port, to open to peer_cidrs.", default: '51820' },
    admin_cidrs: {
      type: 'list(string)',
      description: "Networks that may use SSH, apart from the cluster's own nodes.",
      default: '["0.0.0.0/0"]',
    },
    peer_cidrs: {
      type: 'list(string)',
      description: "Public addresses of the cluster's own nodes; 0.0.0.0/0 when one may be behind NAT.",
      default: '[]',
    },
    cidr: { type: 'string', description: 'Network of the subnets of all pools.', default: '"10.0.0.0/16"' },
    tags,
  },
  nodepool: {
    // Its attributes are the outputs of the type's own network module, so each type declares it by hand.
    network: { type: 'any', description: "The network module of the pool's region, whole." },
    pool: { type: pool, description: 'The node pool.' },
    nodes: {
      type: 'map(object({ server_type = optional(string) }))',
      description: 'Node name => server_type where it is not that of the pool; the keys decide which machines exist.',
    },
    ssh_public_key: { type: 'string', description: 'Public key of the pool, one line as in authorized_keys.' },
    first_boot: {
      type: 'string',
      description:
        "POSIX shell script that a machine runs as root when it starts; @node@ in it is to be replaced by the node's name.",
    },
    tags,
  },
  dns: {
    installation,
    cluster_id,
    zone: { type: 'string', description: 'DNS zone that exists already, e.g. example.com.' },
    hostname: { type: 'string', description: 'First label(s) of the name in the zone.' },
    alternative_names: { type: 'list(string)', description: 'Further names in the same zone.', default: '[]' },
    addresses: {
      type: 'list(string)',
      description: "Public addresses of the load balancer's nodes, at least one.",
      validation: { condition: 'length(var.addresses) > 0', message: 'A load balancer needs at least one address.' },
    },
    health_check_port: {
      type: 'number',
      description: 'TCP port of the health check of a node; null: none.',
      default: 'null',
    },
    tags,
  },
};

const typesOf = (module: ModuleName): ModuleContract['variables'] =>
  Object.fromEntries(
    Object.entries(contractVariables[module]).map(([name, { type }]) => [name, readTerraformType(type)]),
  );

export const contract: Readonly<Record<ModuleName, ModuleContract>> = {
  network: { variables: typesOf('network'), outputs: [] },
  nodepool: { variables: typesOf('nodepool'), outputs: ['nodes'] },
  dns: { variables: typesOf('dns'), outputs: ['endpoint', 'alternative_endpoints'] },
};

/** Variables whose value may be null. */
export const nullableVariables: ReadonlySet<string> = new Set(
  Object.values(contractVariables).flatMap((variables) =>
    Object.entries(variables).flatMap(([name, variable]) => (variable.default === 'null' ? [name] : [])),
  ),
);

/** Modules that a type with `nodepool` cannot do without. */
export const machineModules: readonly ModuleName[] = moduleNames.filter((name) => name !== 'dns');

/** Terraform's own provider: its resources need no permission, no version and no mirror. */
export const builtInResources: ReadonlySet<string> = new Set(['terraform_data']);
