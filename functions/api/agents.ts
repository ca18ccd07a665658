/** The function of the routes for agents. */
import { agentOperations } from '#contracts/operations/agent.ts';
import { agentUses } from '../rights/agent-uses.ts';
import { type DispatchedRoute, dispatch } from './http/dispatch.ts';

const rows = Object.entries(agentOperations) as [keyof typeof agentOperations, Omit<DispatchedRoute, 'handler'>][];

/** As for all routes, a cold start loads the table alone. */
const routes = rows.map(
  ([id, { method, path }]): DispatchedRoute => ({
    method,
    path,
    handler: async (event, context) => (await import('./agent.ts'))[id](event, context),
  }),
);

export const handler = Object.assign(dispatch(routes), { uses: agentUses });
