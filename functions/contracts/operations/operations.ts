/** Every operation of the API, in the order of the OpenAPI document. */
import { agentOperations } from './agent.ts';
import { documentOperations, serviceOperations } from './documents.ts';
import { gitSourceOperations } from './git-sources.ts';
import { inventoryOperations, inventoryPlanOperations, rollOutOperations, rollOutStart } from './inventory.ts';
import { generationOperations, manifestOperations } from './manifests.ts';
import { notificationOperations } from './notifications.ts';
import type { Operation } from './operation.ts';
import { decisions, planOperations } from './plans.ts';
import { clusterAccessOperations, runOperations, stateOperations } from './runs.ts';
import { demandOperations, verbOperations } from './verbs.ts';

export const operations = {
  ...manifestOperations,
  ...verbOperations,
  ...demandOperations,
  ...decisions,
  ...planOperations,
  ...generationOperations,
  ...runOperations,
  ...clusterAccessOperations,
  ...stateOperations,
  ...documentOperations,
  ...serviceOperations,
  ...inventoryOperations,
  ...inventoryPlanOperations,
  ...rollOutOperations,
  ...rollOutStart,
  ...gitSourceOperations,
  ...notificationOperations,
  ...agentOperations,
};
/** `operationId` in OpenAPI. */
export type OperationId = keyof typeof operations;

/** The rows with their ids. */
export const operationList = Object.entries<Operation>(operations).map(([id, row]) => ({
  ...row,
  id: id as OperationId,
}));
