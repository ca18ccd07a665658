/** The JSON Schemas of documents as they are written, for editors; the files of `schema/` are generated from them. */
import { z } from 'zod';
import { inventoryShapes } from '../inventory/inventory-documents.ts';
import { MachineGroups } from '../manifest/groups/machine-groups.ts';
import { RoleBinding } from '../manifest/role-binding.ts';
import { GitSource } from '../manifest/schema/git-source.ts';
import { InputManifest } from '../manifest/schema/input-manifest.ts';
import { Notification } from '../manifest/schema/notification.ts';
import { Secret } from '../manifest/schema/secret.ts';
import { TemplateGitReference } from '../manifest/schema/template-git-reference.ts';
import type { ValueExamples } from './value-examples.ts';

type JsonSchema = Record<string, unknown>;

/** Every kind of document. */
export const documentShapes = {
  InputManifest,
  MachineGroups,
  Secret,
  TemplateGitReference,
  RoleBinding,
  GitSource,
  Notification,
  ...inventoryShapes,
} as const;

/**
 * Any of the kinds: one file may hold them all. Rules between fields are not in it: `kubeloom validate` has them. `examples` are put
 * where fields of these names are texts.
 */
export function documentJsonSchema(examples: ValueExamples): JsonSchema {
  const schemas = Object.entries(documentShapes).map(
    ([title, kind]) => ({ title, ...jsonSchemaOf(kind, examples) }) as JsonSchema,
  );
  const oneOf = schemas.map(({ $schema: _, definitions: __, ...schema }) => schema);
  // References to them begin at the root, wherever they are made.
  const definitions = Object.assign({}, ...schemas.map((schema) => schema.definitions ?? {})) as JsonSchema;
  const { $schema } = jsonSchemaOf(InputManifest);
  const description = 'Kubernetes clusters and machine groups over several clouds.';
  return { $schema, title: 'Kubeloom', description, oneOf, definitions };
}

/** Draft 7, which all editors know. */
export function jsonSchemaOf(kind: z.ZodType, examples: ValueExamples = {}): JsonSchema {
  return z.toJSONSchema(kind, {
    io: 'input',
    target: 'draft-7',
    override: ({ jsonSchema, path }) => {
      const field = String(path.at(-1));
      const values = Object.hasOwn(examples, field) ? examples[field] : undefined;
      if (values !== undefined && path.at(-2) === 'properties' && jsonSchema.type === 'string')
        jsonSchema.examples = [...values];
      /** The bounds of whole numbers in JavaScript are of no use to a user. */
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
}
