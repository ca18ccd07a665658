/** Holds what provider.json puts into a provider block against the provider's schema. */
import type { z } from 'zod';
import type { ProviderTemplate } from '#rendering/provider-template.ts';
import type { BlockSchema } from '../schema-format.ts';
import { mismatch, typeOfAttribute, unknown, type ValueType } from './value-types.ts';

type Json = z.core.util.JSONType;
type Provider = NonNullable<ProviderTemplate['provider']>;

/** Faults in words, of each way to log in; empty when the blocks are as the provider wants them. */
export function checkProviderBlock(provider: Provider, schema: BlockSchema): readonly string[] {
  const logins = [
    provider,
    ...provider.logins.map((login) => ({ ...login, arguments: { ...provider.arguments, ...login.arguments } })),
  ];
  const faults = logins.flatMap((login) => {
    const block: Record<string, Json> = structuredClone(login.arguments);
    // Values of Secrets are text; `block.argument` goes into a block.
    for (const argument of Object.keys(login.credentials)) put(block, argument.split('.'));
    if (provider.regionArgument) block[provider.regionArgument] = '';
    return checkObject(block, schema, `provider "${provider.name}"`);
  });
  return [...new Set(faults)];
}

function put(block: Record<string, Json>, [name = '', ...rest]: readonly string[]): void {
  if (rest.length === 0) {
    block[name] = '';
    return;
  }
  const inner = block[name];
  const next = isObject(inner) ? inner : {};
  block[name] = next;
  put(next, rest);
}

function checkObject(values: Record<string, Json>, schema: BlockSchema, title: string): readonly string[] {
  const faults: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    const attribute = schema.attributes?.[name];
    const block = schema.block_types?.[name];
    if (attribute) {
      const fault = mismatch(typeOfJson(value), typeOfAttribute(attribute, `${title}.${name}`));
      if (fault) faults.push(`${title}: ${name}: ${fault}`);
    } else if (block) {
      for (const item of Array.isArray(value) ? value : [value]) {
        if (isObject(item)) faults.push(...checkObject(item, block.block, `${title}.${name}`));
        else faults.push(`${title}: "${name}" is a block: give it an object`);
      }
    } else faults.push(`${title}: there is no argument "${name}"`);
  }
  for (const [name, { required }] of Object.entries(schema.attributes ?? {})) {
    if (required && !(name in values)) faults.push(`${title}: the argument "${name}" is required`);
  }
  for (const [name, { min_items }] of Object.entries(schema.block_types ?? {})) {
    if (min_items && !(name in values)) faults.push(`${title}: the block "${name}" is required`);
  }
  return faults;
}

function typeOfJson(value: Json): ValueType {
  if (typeof value === 'string') return { kind: 'string' };
  if (typeof value === 'number') return { kind: 'number' };
  if (typeof value === 'boolean') return { kind: 'bool' };
  if (Array.isArray(value)) return { kind: 'list', of: unknown };
  if (!isObject(value)) return unknown;
  const fields = Object.entries(value).map(([key, inner]) => [key, typeOfJson(inner)] as const);
  return { kind: 'object', fields: new Map(fields), title: 'the object' };
}

function isObject(value: Json | undefined): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
