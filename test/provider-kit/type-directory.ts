/** A small provider type that keeps the contract, written into a directory of its own; tests break one thing of it each. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { contractVariables } from '#cli/provider-kit/contract.ts';
import { examineType } from '#cli/provider-kit/examine-type.ts';
import type { Finding } from '#cli/provider-kit/finding.ts';
import type { ModuleName } from '#cli/provider-kit/module-source.ts';
import { readType } from '#cli/provider-kit/type-source.ts';

const prefix = 'kubeloom-kit-';

/** Those of the contract, with the types of `own` where it has the name. */
const variables = (module: ModuleName, own: Readonly<Record<string, string>>): string =>
  Object.entries(contractVariables[module])
    .map(([name, { type }]) => [name, own[name] ?? type])
    .map(([name, type]) => `variable "${name}" {\n  description = "It."\n  type        = ${type}\n}\n`)
    .join('\n');

const settings = `terraform {
  required_version = ">= 1.6"
  required_providers {
    acme = { source = "example/acme" }
  }
}
`;

export const pool = `object({
    id = string, role = string, region = string, zone = optional(string), server_type = string, image = string,
    storage_disk_size = number, spot = bool, subnet = string
  })`;

export const goodType: Readonly<Record<string, string>> = {
  'provider.json': JSON.stringify({
    firewall: 'cloud',
    provider: { name: 'acme', source: 'example/acme', version: '1.2.3', credentials: { token: 'token' } },
  }),
  'permissions.json': JSON.stringify({
    resources: { acme_firewall: ['firewall:write'], acme_server: ['server:write'] },
    data: {},
    always: [],
  }),
  'network/main.tf': `${settings}
locals {
  open = concat(var.api_port_open ? ["tcp/6443"] : [], [for role in var.roles : "\${role.protocol}/\${role.port}"])
}

resource "acme_firewall" "network" {
  name   = "\${var.cluster_id}-\${var.region}"
  labels = { for key, value in var.tags : key => value if key != "kubeloom-generation" }
  open   = local.open
  ssh    = { ports = var.ssh_ports, from = concat(var.admin_cidrs, var.peer_cidrs) }
  udp    = { ports = [var.wireguard_port], from = var.peer_cidrs }
}
`,
  'network/variables.tf': variables('network', { admin_cidrs: 'set(string)' }),
  'network/outputs.tf': `output "cluster_id" {
  value = var.cluster_id
}

output "firewall" {
  value = acme_firewall.network.id
}
`,
  'nodepool/main.tf': `${settings}
resource "acme_server" "node" {
  for_each  = var.nodes
  name      = "\${var.network.cluster_id}-\${each.key}"
  firewall  = var.network.firewall
  image     = var.pool.image
  user_data = replace(var.first_boot, "@node@", each.key)
  labels    = var.tags

  lifecycle {
    ignore_changes = [image, user_data, labels["kubeloom-generation"]]
  }
}
`,
  'nodepool/variables.tf': variables('nodepool', {
    network: 'object({ cluster_id = string, firewall = string })',
    pool,
    nodes: 'map(object({}))',
  }),
  'nodepool/outputs.tf': `output "nodes" {
  value = { for name, server in acme_server.node : name => { public_address = server.address } }
}
`,
};

/** Writes `files` into a new directory, with `change` (null: the file is left out). Remove it with `removeType`. */
export async function writeType(change: Readonly<Record<string, string | null>> = {}): Promise<string> {
  const directory = join(await mkdtemp(join(tmpdir(), prefix)), 'acme');
  await mkdir(directory);
  for (const [file, text] of Object.entries({ ...goodType, ...change })) {
    if (text === null) continue;
    await mkdir(join(directory, dirname(file)), { recursive: true });
    await writeFile(join(directory, file), text);
  }
  return directory;
}

/** Throws for a directory that `writeType` has not made: it is in a directory of its own, which is removed with it. */
export async function removeType(directory: string): Promise<void> {
  const parent = dirname(directory);
  if (!basename(parent).startsWith(prefix)) throw new Error(`${directory} was not made by writeType`);
  await rm(parent, { recursive: true, force: true });
}

/** What the kit says of the good type with `change`. */
export async function findingsOf(change: Readonly<Record<string, string | null>>): Promise<readonly Finding[]> {
  const directory = await writeType(change);
  try {
    return examineType(await readType(directory));
  } finally {
    await removeType(directory);
  }
}

/** A file of the good type with one text in the place of another. Throws when there is nothing to replace. */
export function edited(file: string, from: string, to: string): Readonly<Record<string, string>> {
  const text = goodType[file] ?? '';
  if (!text.includes(from)) throw new Error(`${file} does not have "${from}"`);
  return { [file]: text.replace(from, to) };
}
