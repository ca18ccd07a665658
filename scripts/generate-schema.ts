/** Writes schema/input-manifest.schema.json. */
import { documentJsonSchema } from '#domain/manifest/json-schema.ts';
import { settle } from './generated.ts';

settle('schema/input-manifest.schema.json', `${JSON.stringify(documentJsonSchema(), null, 2)}\n`);
