/** The form of a document of one kind: its size, and what its schema says. */
import type { z } from 'zod';
import { sizeFaults } from './document-size.ts';
import type { Fault } from './fault.ts';
import { inDocumentOrder, withoutServerFields } from './kubernetes-document.ts';
import { schemaFaults } from './schema-faults.ts';

/** The document as the schema reads it, or every fault of its form. Never throws. */
export function readForm<Schema extends z.ZodType>(
  schema: Schema,
  document: unknown,
): { readonly value: z.output<Schema> } | { readonly faults: readonly Fault[] } {
  const stripped = withoutServerFields(document);
  const vast = sizeFaults(stripped);
  if (vast.length > 0) return { faults: vast };
  const parsed = schema.safeParse(stripped);
  if (parsed.success) return { value: parsed.data };
  return { faults: inDocumentOrder(stripped, schemaFaults(schema, stripped).faults) };
}
