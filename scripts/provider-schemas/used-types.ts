/** Which resource and data source types a type's Terraform modules use, read from their `.tf` files. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface UsedTypes {
  readonly resources: ReadonlySet<string>;
  readonly dataSources: ReadonlySet<string>;
}

const parts = ['network', 'nodepool', 'dns'] as const;

/** The module directories of a provider type that exist. */
export function moduleDirectories(templates: string, type: string): readonly string[] {
  return parts.map((part) => join(templates, type, part)).filter((directory) => existsSync(directory));
}

export function terraformFiles(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.tf'))
    .sort()
    .map((name) => join(directory, name));
}

/** Types used by the modules of all provider types, for `local` name `prefix` only (`aws` → `aws_…`). */
export function usedTypes(templates: string, prefix: string): UsedTypes {
  const resources = new Set<string>();
  const dataSources = new Set<string>();
  const types = readdirSync(templates, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of types) {
    for (const file of moduleDirectories(templates, name).flatMap(terraformFiles)) {
      const text = readFileSync(file, 'utf8');
      for (const [, kind, type] of text.matchAll(/^\s*(resource|data)\s+"(\w+)"\s+"\w+"\s*\{/gm)) {
        if (!type || (type !== prefix && !type.startsWith(`${prefix}_`))) continue;
        (kind === 'resource' ? resources : dataSources).add(type);
      }
    }
  }
  return { resources, dataSources };
}
