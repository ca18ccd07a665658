/** The JSON Schema of the manifest as it is written, for editors; `schema/input-manifest.schema.json` is made of it. */
import { z } from 'zod';
import { InputManifest } from './input-manifest.ts';

/** Draft 7, which all editors know. Rules between fields are not in it: `kubeloom validate` has them. */
export function manifestJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(InputManifest, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      /** The bounds of whole numbers in JavaScript tell a user nothing. */
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { $schema, title: 'InputManifest', description: 'Kubernetes clusters over several clouds.', ...schema };
}
