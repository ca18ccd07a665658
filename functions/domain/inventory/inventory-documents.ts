/** The kinds of an inventory: values in layers, the order of the layers, templates, clusters that inherit them, and management planes on clusters. */
import { z } from 'zod';
import { manifestKinds } from '../manifest/schema/manifest-kinds.ts';
import { dnsName, Metadata, shown } from '../manifest/schema/names.ts';
import { ManagementPlane } from '../planes/management-plane.ts';
import { RollOutSettings } from '../roll-out/roll-out-settings.ts';
import { parseValuePath } from './value-path.ts';

/** A namespace has at most one InventoryOrder; without one, this is the order. */
export const defaultLevels = ['environment', 'customer', 'site', 'infraProvider', 'cluster'] as const;
/** The level of the values in an InventoryCluster. */
export const ownLevel = 'cluster';
const orderName = 'default';

const Level = z
  .string()
  .max(63)
  .regex(/^[a-z][A-Za-z0-9]*$/, {
    error: (issue) => `${shown(issue.input)} is not the name of a level; use letters and digits, as in "infraProvider"`,
  });
const LayerName = dnsName(63);
const PathText = z.string().refine((text) => parseValuePath(text) !== undefined, {
  error: (issue) =>
    `${shown(issue.input)} is not a path of values; write it like "kubernetes.version" or "pools.*.count"`,
});
const Values = z.record(z.string(), z.unknown());
const Tree = z.unknown();
/** One level, or several that count as one. */
const Rank = z.union([Level, z.array(Level).min(2, { error: 'merges fewer than two levels; write the level alone' })], {
  error: 'is neither the name of a level nor a list of names; write `site` or `[site, infraProvider]`',
});
const Ranks = z.array(Rank).min(1, { error: 'is empty; name at least one level' }).max(50);
const envelope = { apiVersion: z.literal('kubeloom.dev/v1').describe('Always kubeloom.dev/v1.') } as const;

export const InventoryLayer = z.strictObject({
  ...envelope,
  kind: z.literal('InventoryLayer'),
  metadata: Metadata.describe('Name and namespace; clusters of the namespace name the layer by its name.'),
  spec: z
    .strictObject({
      level: Level.describe('Where it is in the order of levels.'),
      values: Values.describe('Any tree of values; `null` removes a value that an earlier level set.'),
    })
    .describe('Values at a level.'),
});
export type InventoryLayer = z.infer<typeof InventoryLayer>;

export const InventoryOrder = z.strictObject({
  ...envelope,
  kind: z.literal('InventoryOrder'),
  metadata: Metadata.extend({
    name: z.literal(orderName, { error: `is not "${orderName}"; a namespace has one order, of this name` }),
  }).describe('Its name is `default`: a namespace has one order.'),
  spec: z
    .strictObject({
      levels: Ranks.default([...defaultLevels]).describe(
        `Levels; later ones override earlier ones; levels in a nested list have the same rank. \`${ownLevel}\` are the values of the InventoryCluster.`,
      ),
      paths: z
        .record(PathText, Ranks)
        .refine((paths) => Object.keys(paths).length <= 200, {
          error: 'has more than 200 paths; name paths above them',
        })
        .default({})
        .describe('Another order for a path and what is below it; a level that it leaves out may not set them.'),
      locked: z
        .array(
          z.strictObject({
            path: PathText.describe('The path; what is below it is locked with it.'),
            level: Level.describe('Levels after this one may not set or remove it.'),
          }),
        )
        .max(200)
        .default([])
        .describe('Values that later levels may not change.'),
      byName: z
        .array(PathText)
        .max(200)
        .default([])
        .describe('Lists whose items are merged by their `name`; all other lists replace each other.'),
      unusedValues: z
        .enum(['refuse', 'warn'])
        .default('refuse')
        .describe('Whether a value that the template of a cluster does not use is a fault or a warning.'),
      waves: RollOutSettings.shape.waves.optional(),
      soak: RollOutSettings.shape.soak.optional(),
      maxFailed: RollOutSettings.shape.maxFailed.optional(),
    })
    .describe('Which value wins.'),
});
export type InventoryOrder = z.infer<typeof InventoryOrder>;

export const InventoryTemplate = z.strictObject({
  ...envelope,
  kind: z.literal('InventoryTemplate'),
  metadata: Metadata.describe('Name and namespace; all versions have the same name.'),
  spec: z
    .strictObject({
      version: z.int().min(1).describe('A stored version never changes: a changed template gets another number.'),
      produces: z.enum(manifestKinds).default('InputManifest').describe('The kind of the document.'),
      parts: z
        .record(
          z.string().regex(/^[A-Za-z0-9][-\w]{0,62}$/, 'is not the name of a part; use letters, digits and "-"'),
          Tree,
        )
        .default({})
        .describe('Trees that `$include` inserts by their name.'),
      document: z
        .record(z.string(), z.unknown())
        .optional()
        .describe(
          'The tree of the document: `spec`, and labels and annotations in `metadata`. Absent: only parts for others.',
        ),
    })
    .describe('A tree with `${values.x}`, `$if`, `$for` and `$include`.'),
});
export type InventoryTemplate = z.infer<typeof InventoryTemplate>;

export const InventoryCluster = z.strictObject({
  ...envelope,
  kind: z.literal('InventoryCluster'),
  metadata: Metadata.describe('Name and namespace, also of the manifest that is made.'),
  spec: z
    .strictObject({
      layers: z
        .record(
          Level,
          z.union([LayerName, z.array(LayerName).min(1).max(50)], { error: 'names no layer; write its name' }),
        )
        .default({})
        .describe('The layer of each level, or a list of them.'),
      template: z
        .string()
        .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?@[1-9]\d{0,8}$/, {
          error: (issue) => `${shown(issue.input)} is not a version of a template; write it like "standard@3"`,
        })
        .describe('Name and version of the template.'),
      values: Values.default({}).describe('Values of this cluster alone.'),
    })
    .describe('What it inherits, and what is its own.'),
});
export type InventoryCluster = z.infer<typeof InventoryCluster>;

export const inventoryShapes = {
  InventoryLayer,
  InventoryOrder,
  InventoryTemplate,
  InventoryCluster,
  ManagementPlane,
} as const;
export type InventoryKind = keyof typeof inventoryShapes;
export const inventoryKinds = [
  'InventoryLayer',
  'InventoryOrder',
  'InventoryTemplate',
  'InventoryCluster',
  'ManagementPlane',
] as const satisfies readonly InventoryKind[];
export type InventoryDocument =
  | InventoryLayer
  | InventoryOrder
  | InventoryTemplate
  | InventoryCluster
  | ManagementPlane;

/** A document with what is recorded of it. */
export interface Recorded<Document> {
  readonly document: Document;
  /** 1, 2, 3 …: one for each accepted change. */
  readonly generation: number;
  /** Who stored it. */
  readonly by: string;
}

/** The name by which others refer to it: of a template with its version. */
export function inventoryName(document: InventoryDocument): string {
  const { name } = document.metadata;
  return document.kind === 'InventoryTemplate' ? `${name}@${document.spec.version}` : name;
}
