/** Every operation with its handler. */
import { type Operation, passesGateway } from '#contracts/operations/operation.ts';
import { type OperationId, operationList, type operations } from '#contracts/operations/operations.ts';
import type { HttpHandler } from '../middleware.ts';
import * as agent from './agent.ts';
import * as access from './cluster-access.ts';
import * as clusters from './clusters.ts';
import * as deletion from './delete-manifest.ts';
import * as demand from './demand.ts';
import * as documents from './documents.ts';
import * as generations from './generations.ts';
import type { Handler } from './handle.ts';
import * as inventory from './inventory.ts';
import * as logs from './logs.ts';
import * as manifests from './manifests.ts';
import * as inventoryPlan from './plan-inventory.ts';
import * as plan from './plan-manifest.ts';
import * as plans from './plans.ts';
import * as checks from './provider-checks.ts';
import * as runs from './runs.ts';
import * as service from './service.ts';
import * as validation from './validate.ts';
import * as verbs from './verbs.ts';

/** What a file exports under the id of an operation answers it; one that is missing does not compile. */
const handlers: { readonly [Id in OperationId]: Handler<(typeof operations)[Id]> } = {
  ...{ ...manifests, ...deletion, ...plan, ...plans, ...verbs, ...demand, ...generations, ...checks, ...validation },
  ...{ ...runs, ...logs, ...clusters, ...access, ...documents, ...inventory, ...inventoryPlan, ...agent, ...service },
};

export interface Route {
  readonly method: Operation['method'];
  readonly path: string;
  readonly operation: OperationId;
  /** The gateway asks for no credentials. */
  readonly anonymous: boolean;
  readonly handler: HttpHandler;
}

export const routes: readonly Route[] = operationList.map(({ id, method, path, access }) => ({
  ...{ method, path, operation: id, anonymous: passesGateway(access) },
  handler: handlers[id],
}));
