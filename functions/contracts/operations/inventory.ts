/** Operations on inventories: layers, orders, templates and clusters that inherit them. */
import { z } from 'zod';
import { ManifestPath, NamespaceQuery } from '../http-parameters.ts';
import * as inventory from '../inventory.ts';
import { ProposedInventoryPlan } from '../proposed-plans.ts';
import * as rollOuts from '../roll-outs.ts';
import {
  accepted,
  bodyLimits,
  document,
  ifChanged,
  manifest,
  type Operations,
  ok,
  okIfChanged,
  operator,
  planHeader,
  viewer,
  viewerAnywhere,
} from './operation.ts';

const read = { method: 'GET', access: viewer } as const;
const verb = { method: 'POST', access: operator } as const;
const ofInventory = { tag: 'inventory', path: '/v1/inventory/{namespace}', params: inventory.InventoryPath } as const;
const ofDocument = {
  ...ofInventory,
  path: '/v1/inventory/{namespace}/documents/{kind}/{name}',
  params: inventory.InventoryDocumentPath,
} as const;

export const inventoryOperations = {
  listInventory: {
    ...ofInventory,
    ...read,
    summary: 'List the documents of an inventory, and which clusters are behind it',
    headers: ifChanged,
    answers: okIfChanged('documents and clusters', inventory.InventoryList),
    problems: [400, 409],
  },
  putInventory: {
    ...ofDocument,
    method: 'PUT',
    access: operator,
    summary:
      'Store a document of an inventory. An InventoryCluster is made into its manifest, which is submitted, a ManagementPlane changes that of its cluster; the others start nothing',
    headers: z.object(planHeader).describe('for a ManagementPlane'),
    body: {
      ...document('an InventoryLayer, InventoryOrder, InventoryTemplate, InventoryCluster or ManagementPlane'),
      maxBytes: bodyLimits.document,
    },
    answers: ok('stored', inventory.InventoryStored),
    problems: [400, 404, 409, 412, 413, 422],
  },
  getInventory: {
    ...ofDocument,
    ...read,
    summary: 'Get a document of an inventory',
    answers: ok('the document', inventory.StoredInventoryDocument),
    problems: [400, 404],
  },
  deleteInventory: {
    ...ofDocument,
    method: 'DELETE',
    access: operator,
    summary:
      'Delete a document that no InventoryCluster needs. The manifest of an InventoryCluster stays, as an ordinary one; a run removes what a ManagementPlane has in its cluster',
    answers: { 204: { description: 'gone' } },
    problems: [400, 404, 409],
  },
  applyInventory: {
    ...ofInventory,
    path: '/v1/inventory/{namespace}/clusters/{name}/apply',
    params: inventory.InventoryClusterPath,
    ...verb,
    summary: 'Make the manifest of an InventoryCluster from the inventory as it is now, and submit it',
    answers: {
      200: accepted('the manifest is up to date; nothing was started'),
      202: accepted('stored; a run applies it to the clusters'),
    },
    problems: [400, 404, 409, 412, 422],
  },
} as const satisfies Operations;

export const inventoryPlanOperations = {
  planInventory: {
    ...ofInventory,
    path: '/v1/inventory/{namespace}/plan',
    method: 'POST',
    access: viewer,
    summary: 'Show which clusters a change of the inventory changes, and how; changes nothing',
    body: document(
      'documents of an inventory; they count as stored, and so do Secrets and TemplateGitReferences next to them. Without a body: what is stored, for the clusters that are behind',
      false,
    ),
    answers: ok('every cluster that depends on the change', inventory.InventoryPlan),
    problems: [400, 403, 409, 413, 422],
  },
  getInventoryPlan: {
    ...ofInventory,
    path: '/v1/inventory/{namespace}/plans/{plan}',
    params: inventory.InventoryPlanPath,
    ...read,
    summary:
      'Show what a proposed change of an inventory would do now; its id changes when anything it is based on has changed',
    answers: ok('the plan, who proposed it, and its documents', ProposedInventoryPlan),
    problems: [400, 404, 409],
  },
  explainManifest: {
    tag: 'inventory',
    path: `${manifest}/explain`,
    params: ManifestPath,
    ...read,
    summary: 'Show for each value of a manifest who set it, where, and what it overrode',
    query: inventory.ExplainQuery,
    answers: ok('values', inventory.Explanation),
    problems: [400, 404, 409],
  },
} as const satisfies Operations;

export const rollOutOperations = {
  listRollOuts: {
    ...ofInventory,
    path: '/v1/inventory/{namespace}/rollouts',
    ...read,
    summary: 'List the roll-outs of a namespace, newest first',
    headers: ifChanged,
    answers: okIfChanged('roll-outs', rollOuts.RollOutList),
    problems: [400],
  },
  listTroubledRollOuts: {
    method: 'GET',
    access: viewerAnywhere,
    tag: 'inventory',
    path: '/v1/rollouts',
    summary:
      'List the roll-outs that need a person, of all namespaces that you may see: those that halted, and those whose execution ended early',
    query: NamespaceQuery,
    headers: ifChanged,
    answers: okIfChanged('roll-outs that halted, then those that were interrupted', rollOuts.RollOutList),
    problems: [400],
  },
  getRollOut: {
    tag: 'inventory',
    path: '/v1/inventory/{namespace}/rollouts/{id}',
    params: rollOuts.RollOutPath,
    ...read,
    summary: 'Show how far a roll-out has come, wave by wave and cluster by cluster',
    headers: ifChanged,
    answers: okIfChanged('the roll-out', rollOuts.RollOutDescription),
    problems: [400, 404],
  },
  changeRollOutState: {
    tag: 'inventory',
    path: '/v1/inventory/{namespace}/rollouts/{id}/{verb}',
    params: rollOuts.RollOutVerbPath,
    ...verb,
    summary:
      'Pause a roll-out before its next clusters, resume it (failed clusters are retried), undo what it did, or cancel the rest',
    answers: { 202: { description: 'noted, or started', schema: rollOuts.RollOutDescription } },
    problems: [400, 404, 409, 412],
  },
} as const satisfies Operations;

export const rollOutStart = {
  startRollOut: {
    ...ofInventory,
    path: '/v1/inventory/{namespace}/rollouts',
    ...verb,
    summary:
      'Store documents of an inventory and apply what they change to the clusters, wave by wave; without a body, to the clusters that are behind',
    query: rollOuts.RollOutQuery,
    headers: rollOuts.RollOutHeaders,
    body: document('documents of an inventory', false),
    answers: { 202: { description: 'started', schema: rollOuts.RollOutDescription } },
    problems: [400, 403, 404, 409, 413, 422],
  },
} as const satisfies Operations;
