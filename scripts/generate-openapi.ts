/** Writes docs/openapi.json. */
import { openapiDocument } from '#contracts/openapi.ts';
import product from '../package.json' with { type: 'json' };
import { settle } from './generated.ts';

settle('docs/openapi.json', `${JSON.stringify(openapiDocument(product.version), null, 2)}\n`);
