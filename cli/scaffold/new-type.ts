/** `kubeloom provider init`: the folder of a new provider type, which keeps the contract from the start and makes nothing yet. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ProviderPlugin } from '#domain/manifest/schema/provider-plugin.ts';
import { CliError, exitCodes } from '../exit-codes.ts';
import { contractVariables } from '../provider-kit/contract.ts';
import type { ModuleName } from '../provider-kit/module-source.ts';
import { variableBlock } from '../provider-kit/variable-block.ts';

/** Writes it; returns the paths. Throws `CliError` for a directory that is not empty, or whose name no type can have. */
export async function initType(directory: string): Promise<readonly string[]> {
  const name = basename(directory);
  const named = ProviderPlugin.shape.name.safeParse(name);
  if (!named.success) throw new CliError(named.error.issues[0]?.message ?? name, exitCodes.usage);
  const present = await readdir(directory).catch(() => []);
  if (present.length > 0) throw new CliError(`${directory} is not empty; name a new directory`, exitCodes.usage);
  const files = filesOf(name);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, dirname(path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return Object.keys(files);
}

function filesOf(name: string): Readonly<Record<string, string>> {
  const modules = {
    network: networkMain(name),
    nodepool: nodepoolMain(name),
  };
  return {
    'provider.json': `${JSON.stringify(descriptionOf(name), null, 2)}\n`,
    'README.md': readmeOf(name),
    'network/main.tf': modules.network,
    'network/variables.tf': variablesOf('network', modules.network),
    'network/outputs.tf': networkOutputs,
    'nodepool/main.tf': modules.nodepool,
    'nodepool/variables.tf': `${variablesOf('nodepool', modules.nodepool)}\n${ownVariables}`,
    'nodepool/outputs.tf': nodepoolOutputs,
  };
}

const descriptionOf = (name: string) => ({
  title: name,
  firewall: 'host',
  properties: {
    type: 'object',
    properties: {
      region: { type: 'string', minLength: 1 },
      image: { type: 'string', minLength: 1 },
      size: { enum: ['small', 'large'] },
    },
    additionalProperties: false,
  },
});

/** Those of the contract; what the module does not use yet says so. */
function variablesOf(module: ModuleName, code: string): string {
  const used = (variable: string) => new RegExp(`\\bvar\\.${variable}\\b`).test(code.replaceAll(/^[ \t]*#.*$/gm, ''));
  return Object.entries(contractVariables[module])
    .filter(([variable]) => variable !== 'network')
    .map(([variable, facts]) =>
      variableBlock(variable, facts, used(variable) ? facts.description : `Not used: ${facts.description}`),
    )
    .join('\n');
}

const networkMain = (name: string): string => `# Provider type ${name}, network: what the pools of one region share.

terraform {
  required_version = ">= 1.6"
}

# In its place: the network of your cloud, and its firewall if it has one ("firewall": "cloud" in provider.json).
resource "terraform_data" "region" {
  input = { name = "\${var.cluster_id}-\${var.provider_name}-\${var.region}" }
}
`;

const networkOutputs = `output "cluster_id" {
  description = "Id of the cluster."
  value       = var.cluster_id
}

output "name" {
  description = "Name of the network."
  value       = terraform_data.region.output.name
}
`;

const nodepoolMain = (name: string): string => `# Provider type ${name}, nodepool: the machines of one pool.

terraform {
  required_version = ">= 1.6"
}

# In its place: the server of your cloud, with
#   user_data = replace(var.first_boot, "@node@", each.key)
#   labels    = var.tags
#   lifecycle { ignore_changes = [image, user_data, labels["kubeloom-generation"]] }
resource "terraform_data" "machine" {
  for_each = var.nodes

  input = {
    name    = "\${var.network.cluster_id}-\${each.key}"
    network = var.network.name
    region  = var.pool.region
    size    = var.properties.size
    # An address for documentation: nothing answers there. Yours comes from the server.
    address = "192.0.2.\${parseint(substr(each.key, -2, 2), 16)}"
  }
}
`;

const ownVariables = `variable "network" {
  description = "The network module of the pool's region, whole."
  type        = object({ cluster_id = string, name = string })
}

variable "properties" {
  description = "What the pool says in the words of this type; provider.json has the schema."
  type        = object({ size = optional(string, "small") })
  default     = {}
}
`;

const nodepoolOutputs = `output "nodes" {
  description = "Node name => {public_address}."
  value       = { for name, machine in terraform_data.machine : name => { public_address = machine.output.address } }
}
`;

const readmeOf = (name: string): string => `# Provider type ${name} for Kubeloom

Keeps the contract, and makes nothing yet. Replace the resources of \`network\` and \`nodepool\` by those of your cloud, pin its plugin in \`provider.json\`
(\`provider\`: \`name\`, \`source\`, \`version\`, \`credentials\`), add \`permissions.json\`, and after each step:

    kubeloom provider test ${name}
    kubeloom provider test ${name} --full

The contract, and what is easy to get wrong: docs/write-a-provider.md of Kubeloom. How to publish it: docs/plugins.md.
`;
