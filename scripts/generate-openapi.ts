/** Writes docs/openapi.json; with `--stdout` it prints the document instead. */
import { writeFileSync } from 'node:fs';
import { openapiDocument } from '#contracts/openapi.ts';
import product from '../package.json' with { type: 'json' };

const text = `${JSON.stringify(openapiDocument(product.version), null, 2)}\n`;
if (process.argv.includes('--stdout')) process.stdout.write(text);
else writeFileSync(new URL('../docs/openapi.json', import.meta.url), text);
