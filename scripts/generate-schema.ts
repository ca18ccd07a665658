/** Writes schema/ and what the console completes values of clouds with: one JSON Schema for each kind of document, and `input-manifest.schema.json` for files that hold any of them. */
import { documentJsonSchema, documentShapes, jsonSchemaOf } from '#domain/documents/json-schema.ts';
import { valueExamples, valuesOfTypes } from '#domain/documents/value-examples.ts';
import { settle } from './generated.ts';

const text = (schema: unknown): string => `${JSON.stringify(schema, null, 2)}\n`;

settle('console/model/values-of-types.json', text(await valuesOfTypes()));
settle('schema/input-manifest.schema.json', text(documentJsonSchema(await valueExamples())));
for (const [kind, shape] of Object.entries(documentShapes)) {
  // That of a manifest is the one above: its file may hold the Secrets, too.
  if (kind === 'InputManifest') continue;
  const file = kind.replace(/(?<!^)([A-Z])/g, '-$1').toLowerCase();
  settle(`schema/${file}.schema.json`, text({ title: kind, ...jsonSchemaOf(shape) }));
}
