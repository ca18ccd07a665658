/** Validates a document of one kind: its size, its form, and the other rules of its kind. */
import type { z } from 'zod';
import { sizeFaults } from './document-size.ts';
import type { Fault } from './fault.ts';
import { inDocumentOrder, withoutServerFields } from './kubernetes-document.ts';
import { placeholderPaths, withPlaceholders } from './placeholders.ts';
import { schemaFaults } from './schema-faults.ts';

export interface FormVerdict<Document> {
  /** As the schema reads it, defaults applied; absent when there are faults. */
  readonly document?: Document;
  readonly faults: readonly Fault[];
}

/** `rules` are asked about a document whose form is right. Never throws. */
export function validateForm<Document>(
  schema: z.ZodType<Document>,
  document: unknown,
  rules: (document: Document) => readonly Fault[],
): FormVerdict<Document> {
  const stripped = withoutServerFields(document);
  const vast = sizeFaults(stripped);
  if (vast.length > 0) return { faults: vast };
  const parsed = schema.safeParse(stripped);
  const found = parsed.success ? rules(parsed.data) : schemaFaults(schema, stripped).faults;
  const faults = withPlaceholders(found, placeholderPaths(stripped));
  if (parsed.success && faults.length === 0) return { document: parsed.data, faults };
  return { faults: inDocumentOrder(stripped, faults) };
}
