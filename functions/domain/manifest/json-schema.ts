/** The JSON Schemas of documents as they are written, for editors; the files of `schema/` are generated from them. */
import { z } from 'zod';
import { inventoryShapes } from '../inventory/inventory-documents.ts';
import { InputManifest } from './input-manifest.ts';
import { RoleBinding } from './role-binding.ts';
import { Secret } from './secret.ts';
import { TemplateGitReference } from './template-git-reference.ts';

type JsonSchema = Record<string, unknown>;

/** Every kind of document. */
export const documentKinds = { InputManifest, Secret, TemplateGitReference, RoleBinding, ...inventoryShapes } as const;

/** Any of the kinds: one file may hold them all. Rules between fields are not in it: `kubeloom validate` has them. */
export function documentJsonSchema(): JsonSchema {
  const oneOf = Object.entries(documentKinds).map(([title, kind]) => {
    const { $schema: _, ...schema } = jsonSchemaOf(kind);
    return { title, ...schema };
  });
  const { $schema } = jsonSchemaOf(InputManifest);
  return { $schema, title: 'Kubeloom', description: 'Kubernetes clusters over several clouds.', oneOf };
}

/** Draft 7, which all editors know. */
export function jsonSchemaOf(kind: z.ZodType): JsonSchema {
  return z.toJSONSchema(kind, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      /** The bounds of whole numbers in JavaScript are of no use to a user. */
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}
