/** Writes schema/input-manifest.schema.json; with `--stdout` it prints the schema instead. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { documentJsonSchema } from '#domain/manifest/json-schema.ts';

const text = `${JSON.stringify(documentJsonSchema(), null, 2)}\n`;
if (process.argv.includes('--stdout')) process.stdout.write(text);
else {
  const file = new URL('../schema/input-manifest.schema.json', import.meta.url);
  mkdirSync(new URL('.', file), { recursive: true });
  writeFileSync(file, text);
}
