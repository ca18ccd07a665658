/** Which resource and data source types the Terraform modules use, read from their `.tf` files. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface UsedTypes {
  readonly resources: ReadonlySet<string>;
  readonly dataSources: ReadonlySet<string>;
}

/** Types in the modules of all provider types; only those of the provider with the local name `prefix` (`aws` → `aws_…`). */
export function usedTypes(templates: string, prefix: string): UsedTypes {
  const files = globSync('*/{network,nodepool,dns}/*.tf', { cwd: templates }).sort();
  const text = files.map((file) => readFileSync(join(templates, file), 'utf8')).join('\n');
  const typesOf = (kind: 'resource' | 'data'): ReadonlySet<string> => {
    const blocks = new RegExp(`^\\s*${kind}\\s+"(${prefix}(?:_\\w+)?)"\\s+"\\w+"\\s*\\{`, 'gm');
    return new Set([...text.matchAll(blocks)].map(([, type = '']) => type));
  };
  return { resources: typesOf('resource'), dataSources: typesOf('data') };
}
