/** Secret documents: credentials of providers, SSH keys of static nodes, tokens of git repositories. */
import { z } from 'zod';
import { SecretMetadata } from './names.ts';

export const Secret = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Secret'),
  metadata: SecretMetadata,
  type: z.string().optional().describe('Ignored; usually `Opaque`.'),
  immutable: z.boolean().optional(),
  stringData: z.record(z.string(), z.string()).optional().describe('Fields as plain text; overrides `data`.'),
  data: z.record(z.string(), z.string()).optional().describe('Fields in base64.'),
});
export type Secret = z.infer<typeof Secret>;

/** Names of the fields of `data` that are not base64 of UTF-8 text. */
export function undecodableFields(secret: Pick<Secret, 'data'>): readonly string[] {
  return Object.entries(secret.data ?? {})
    .filter(([, value]) => decoded(value) === undefined)
    .map(([name]) => name);
}

/** The fields of a secret as trimmed text, whichever way they were given. Fields that cannot be decoded are left out. */
export function secretValues(secret: Pick<Secret, 'stringData' | 'data'>): Record<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(secret.data ?? {})) {
    const text = decoded(value);
    if (text !== undefined) values.set(name, text.trim());
  }
  for (const [name, value] of Object.entries(secret.stringData ?? {})) values.set(name, value.trim());
  return Object.fromEntries(values);
}

function decoded(value: string): string | undefined {
  const compact = value.replaceAll(/\s/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(compact), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
