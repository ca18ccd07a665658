/**
 * The names that Pulumi's bridge gives: camel case, lists and sets in the plural unless one item at most makes them a single thing.
 * Rules: pulumi/pulumi-terraform-bridge, pkg/tfbridge/names.go; plurals: those of gedex/inflector, as far as they are met here.
 */
import type { AttributeSchema, BlockSchema, BlockTypeSchema } from '../schema-format.ts';

export function bridgeName(terraform: string, many: boolean, siblings: ReadonlySet<string>): string {
  const plural = many ? pluralOf(terraform) : terraform;
  const name = siblings.has(plural) ? terraform : plural;
  return name.replace(/(?<=.)_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Name of one argument, attribute or block of `block`; many: it becomes a list there. */
export function boundName(
  name: string,
  many: boolean,
  { attributes = {}, block_types: blocks = {} }: BlockSchema,
): string {
  return bridgeName(name, many, new Set([...Object.keys(attributes), ...Object.keys(blocks)]));
}

export function isMany({ type, nested_type: nested }: AttributeSchema): boolean {
  if (nested) return nested.nesting_mode === 'list' || nested.nesting_mode === 'set';
  return typeof type === 'object' && (type[0] === 'list' || type[0] === 'set');
}

export function manyBlocks({ nesting_mode: mode, max_items: most }: BlockTypeSchema): boolean {
  return (mode === 'list' || mode === 'set') && most !== 1;
}

function pluralOf(name: string): string {
  if (/(ss|sh|ch|x)$/.test(name)) return `${name}es`;
  if (name.endsWith('s')) return name;
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return `${name}s`;
}
