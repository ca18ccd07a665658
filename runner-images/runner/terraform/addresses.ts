/** Addresses of resources in a Terraform state. */

/** The node that an address names as instance key, e.g. `module.pool_x.terraform_data.host["node"]`. */
export function nodeOfAddress(address: string, nodes: ReadonlySet<string>): string | undefined {
  for (const [, key] of address.matchAll(/\["([^"]+)"\]/g)) if (key !== undefined && nodes.has(key)) return key;
  return undefined;
}
