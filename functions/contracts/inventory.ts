/** Inventories on the wire and in the store: their records, what the API takes and answers. */

import { z } from 'zod';
import { ExplainedValue } from '#domain/inventory/explain-values.ts';
import { inventoryKinds } from '#domain/inventory/inventory-documents.ts';
import { componentKinds } from '#domain/planes/management-plane.ts';
import { PlanTotals } from '#domain/planning/text/plan-totals.ts';
import { BudgetOfPlan } from '#domain/prices/budget-of-plan.ts';
import { SumOfCosts } from '#domain/prices/cost-of-month.ts';
import { ManifestAccepted, WireFault } from './api-bodies.ts';
import { DnsLabel, planId } from './http-parameters.ts';
import { WaitingPlanList } from './waiting-plans.ts';

const kind = z.enum(inventoryKinds);

/** A document of an inventory as it is stored. */
export const InventoryRecord = z.strictObject({
  namespace: z.string(),
  kind,
  /** Name of a template with its version: `standard@3`. */
  name: z.string(),
  /** 1, 2, 3 …: optimistic lock, every write is one more than what it read. */
  generation: z.number().int(),
  document: z.unknown(),
  /** ISO 8601. */
  at: z.string(),
  /** Who stored it. */
  by: z.string(),
});
export type InventoryRecord = z.infer<typeof InventoryRecord>;
export type InventoryKey = Pick<InventoryRecord, 'namespace' | 'kind' | 'name'>;

/** What the API takes. */
export const InventoryPath = z.object({ namespace: DnsLabel });
export const InventoryDocumentPath = InventoryPath.extend({
  kind: kind.describe('kind of the document'),
  name: z
    .string()
    .regex(
      /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(@[1-9]\d{0,8})?$/,
      'must be a DNS label, of a template with "@" and its version',
    )
    .describe('its name; for a template with its version: `standard@3`'),
});
export const InventoryClusterPath = InventoryPath.extend({ name: DnsLabel.describe('name of an InventoryCluster') });
export const InventoryPlanPath = InventoryPath.extend({ plan: planId });
export const ExplainQuery = z.object({
  path: z
    .string()
    .max(1000)
    .optional()
    .describe('a value of the inventory or a place in the manifest, with all below it; all when left out'),
});

/** What the API answers. */
const PlacedFault = WireFault.extend({
  document: z.object({ kind: z.string(), name: z.string() }).optional().describe('the document that it is in'),
});
const RefusedCluster = z.object({ cluster: z.string(), faults: z.array(PlacedFault) });

export const InventoryStored = z
  .object({
    namespace: z.string(),
    kind,
    name: z.string(),
    generation: z.number().int(),
    unchanged: z.boolean(),
    behind: z
      .array(z.string())
      .describe('clusters whose manifests this changes when they are applied; nothing was started for them'),
    refused: z.array(RefusedCluster).describe('clusters whose manifests can no longer be made'),
    accepted: ManifestAccepted.optional().describe(
      'of an InventoryCluster or ManagementPlane: the result for its manifest',
    ),
    warnings: z.array(PlacedFault),
  })
  .meta({ id: 'InventoryStored' });
export type InventoryStored = z.infer<typeof InventoryStored>;

export const StoredInventoryDocument = InventoryRecord.meta({ id: 'InventoryDocument' });

export const InventoryList = z
  .object({
    items: z.array(InventoryRecord.omit({ document: true }).extend({ level: z.string().optional() })),
    /** Documents that do not exist yet, as `InventoryLayer north`, with the plan whose approval stores them. */
    proposed: z.record(InventoryRecord.shape.name, WaitingPlanList.shape.items.element).optional(),
    clusters: z.array(
      z.object({
        cluster: z.string(),
        template: z.string(),
        layers: z.array(z.string()).optional().describe('names of the InventoryLayers that it inherits'),
        state: z
          .enum(['current', 'behind', 'missing', 'refused'])
          .describe(
            'behind: applying it changes its manifest; missing: it has none; refused: the inventory does not result in a valid manifest',
          ),
        changes: z.array(z.string()).describe('how applying it changes its manifest'),
        faults: z.array(PlacedFault),
      }),
    ),
    planes: z.array(
      z.object({
        plane: z.string(),
        manifest: z.string(),
        cluster: z.string(),
        state: z
          .enum(['waiting', 'changing', 'installed'])
          .describe('waiting: the cluster does not exist yet; installed: every component is, and works'),
        components: z.array(
          z.object({
            document: z.string().describe('name of its documents in the cluster'),
            kind: z.enum(componentKinds),
            provider: z.string(),
            instance: z.string().optional(),
            desired: z.string().describe('release'),
            installed: z.string().nullable(),
            contract: z.string().nullable().describe('release that is installed'),
            works: z.boolean(),
            remark: z.string().optional().describe('drift, or why it is not installed yet'),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'InventoryList' });
export type InventoryList = z.infer<typeof InventoryList>;

export const InventoryPlan = z
  .object({
    namespace: z.string(),
    id: z
      .string()
      .nullable()
      .describe('id of this plan, for the header `Kubeloom-Plan` of a roll-out; null when something is refused'),
    depend: z.number().int().describe('clusters that depend on what changes'),
    changes: z.number().int(),
    overrides: z.number().int().describe('clusters with a value of their own'),
    same: z.number().int().describe('clusters that depend on a changed document, but not on the changed values'),
    refused: z.number().int(),
    removed: z.number().int().describe('clusters whose InventoryCluster is removed; their manifests stay'),
    totals: PlanTotals.describe('totals of all clusters that change'),
    costOfMonth: SumOfCosts.optional().describe('cost of the clusters that change; present if machines have a price'),
    budgets: z.array(BudgetOfPlan).describe('the budgets that apply to all changes together'),
    needsApproval: z
      .boolean()
      .describe('a roll-out is kept as proposed until an `approver` starts it by the id of this plan'),
    faults: z.array(PlacedFault).describe('faults of the documents in the request'),
    clusters: z.array(
      z.object({
        cluster: z.string(),
        impact: z.enum(['changes', 'overrides', 'same', 'refused', 'removed']),
        changes: z.array(z.string()).describe('how its document changes'),
        waypoints: z.number().int().describe('of its plan'),
        totals: PlanTotals.nullable().describe('null for clusters that do not change'),
        faults: z.array(PlacedFault),
      }),
    ),
  })
  .meta({ id: 'InventoryPlan' });
export type InventoryPlan = z.infer<typeof InventoryPlan>;

export const Explanation = z
  .object({
    namespace: z.string(),
    name: z.string(),
    inventory: z.boolean().describe('false: the manifest was submitted as it is'),
    behind: z
      .boolean()
      .describe('true: these values are from the inventory, and the stored manifest differs from them'),
    generation: z.number().int().nullable().describe('generation of the stored manifest'),
    by: z.string().nullable().describe('who submitted that'),
    values: z.array(ExplainedValue),
  })
  .meta({ id: 'Explanation' });
export type Explanation = z.infer<typeof Explanation>;
