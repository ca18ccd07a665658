/** The contract between the generated root and the modules: what each is given, and what it must hand back. */
import { type ModuleName, moduleNames } from './module-source.ts';
import { readTerraformType, type TerraformType } from './terraform-type.ts';

interface ModuleContract {
  /** Variable → type of the value that the root gives. */
  readonly variables: Readonly<Record<string, TerraformType>>;
  readonly outputs: readonly string[];
}

const types = (table: Readonly<Record<string, string>>): Readonly<Record<string, TerraformType>> =>
  Object.fromEntries(Object.entries(table).map(([name, text]) => [name, readTerraformType(text)]));

export const contract: Readonly<Record<ModuleName, ModuleContract>> = {
  network: {
    variables: types({
      installation: 'string',
      cluster_id: 'string',
      provider_name: 'string',
      region: 'string',
      cidr: 'string',
      api_port_open: 'bool',
      roles: 'list(object({ name = string, protocol = string, port = number }))',
      ssh_ports: 'list(number)',
      wireguard_port: 'number',
      admin_cidrs: 'list(string)',
      peer_cidrs: 'list(string)',
      tags: 'map(string)',
    }),
    outputs: [],
  },
  nodepool: {
    variables: types({
      // Its attributes are the outputs of the type's own network module.
      network: 'any',
      pool: `object({
        id = string, role = string, region = string, zone = optional(string), server_type = string, image = string,
        storage_disk_size = number, external_network_name = optional(string), spot = bool, subnet = string,
        machine_spec = optional(object({
          cpu_count = optional(number), memory = optional(number),
          nvidia_gpu_count = optional(number), nvidia_gpu_type = optional(string)
        }))
      })`,
      nodes: 'map(object({}))',
      ssh_public_key: 'string',
      first_boot: 'string',
      tags: 'map(string)',
    }),
    outputs: ['nodes'],
  },
  dns: {
    variables: types({
      installation: 'string',
      cluster_id: 'string',
      zone: 'string',
      hostname: 'string',
      alternative_names: 'list(string)',
      addresses: 'list(string)',
      health_check_port: 'number',
      tags: 'map(string)',
    }),
    outputs: ['endpoint', 'alternative_endpoints'],
  },
};

/** Variables whose value may be null. */
export const nullableVariables: ReadonlySet<string> = new Set(['health_check_port']);

/** Modules that a type with `nodepool` cannot do without. */
export const machineModules: readonly ModuleName[] = moduleNames.filter((name) => name !== 'dns');

/** Terraform's own provider: its resources need no permission, no version and no mirror. */
export const builtInResources: ReadonlySet<string> = new Set(['terraform_data']);
