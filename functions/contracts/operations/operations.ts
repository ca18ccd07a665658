/** Every operation of the API, in the order of the OpenAPI document. */
import { agentOperations } from './agent.ts';
import { documentOperations } from './documents.ts';
import { gitSourceOperations } from './git-sources.ts';
import { inventoryOperations } from './inventory.ts';
import { manifestOperations } from './manifests.ts';
import type { Operation } from './operation.ts';
import { runOperations } from './runs.ts';

export const operations = {
  ...manifestOperations,
  ...runOperations,
  ...documentOperations,
  ...inventoryOperations,
  ...gitSourceOperations,
  ...agentOperations,
};
/** `operationId` in OpenAPI. */
export type OperationId = keyof typeof operations;

/** The rows with their ids. */
export const operationList = Object.entries<Operation>(operations).map(([id, row]) => ({
  ...row,
  id: id as OperationId,
}));
