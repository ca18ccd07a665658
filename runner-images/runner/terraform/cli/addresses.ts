/** Addresses of resources in a Terraform state. */

/** The type that an address names, e.g. `terraform_data` of `module.pool_x.terraform_data.host["node"]`. */
export function typeOfAddress(address: string): string {
  const names = address.replaceAll(/\[("[^"]*"|\d+)\]/g, '').split('.');
  return names.at(-2) ?? '';
}

/** The node that an address names as instance key, e.g. `module.pool_x.terraform_data.host["node"]`. */
export function nodeOfAddress(address: string, nodes: ReadonlySet<string>): string | undefined {
  for (const [, key] of address.matchAll(/\["([^"]+)"\]/g)) if (key !== undefined && nodes.has(key)) return key;
  return undefined;
}
