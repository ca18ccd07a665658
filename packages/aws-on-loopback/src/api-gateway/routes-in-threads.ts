/** Which routes are served by threads of their own: whatever a body contains, it delays none but its sender. */
import type { APIGatewayProxyEventV2, APIGatewayProxyEventV2WithJWTAuthorizer } from 'aws-lambda';
import type { FunctionThreads } from '../lambda/function-threads.ts';
import { CallEnded, type EndOfCall } from '../lambda/thread-calls.ts';
import type { GatewayRoute } from './gateway-listener.ts';
import { GatewayProblem } from './refusals.ts';

/** Characters. What takes the square of its length to read is still fast. */
const longestSmall = 16_000;

/** Requests without a body are answered in this thread: they read what was accepted before. `program`: what the routes are of, for people. */
export function inThreads(
  routes: readonly GatewayRoute[],
  threads: FunctionThreads,
  program = 'the API',
): readonly GatewayRoute[] {
  return routes.map((route) => ({
    ...route,
    async handler(event, context) {
      if (event.body === undefined) return route.handler(event, context);
      const timeoutMs = context.getRemainingTimeInMillis();
      const isLarge = event.body.length > longestSmall;
      const call = { name: route.operation, event, isLarge, caller: callerOf(event), timeoutMs };
      return threads.invoke(call).catch((error: unknown) => {
        throw error instanceof CallEnded ? problemOf(error, route.operation, program) : error;
      });
    },
  }));
}

function callerOf(event: APIGatewayProxyEventV2): string {
  const { authorizer } = event.requestContext as Partial<APIGatewayProxyEventV2WithJWTAuthorizer['requestContext']>;
  return String(authorizer?.jwt.claims.sub ?? '');
}

const look = 'look at what is stored before you send it again';
const problems: Readonly<Record<EndOfCall, Pick<GatewayProblem, 'status' | 'code'> & { readonly advice: string }>> = {
  slow: { status: 504, code: 'Timeout', advice: `it was stopped; ${look}, and split it if it is large` },
  memory: { status: 500, code: 'OutOfMemory', advice: `it was stopped; ${look}, and split it if it is large` },
  busy: { status: 503, code: 'ServiceUnavailable', advice: 'nothing was done; retry later' },
  other: { status: 503, code: 'ServiceUnavailable', advice: `${look}, then retry` },
  fault: { status: 500, code: 'InternalFault', advice: `the log has the details; ${look}` },
};

function problemOf({ end, message }: CallEnded, operation: string, program: string): GatewayProblem {
  const { status, code, advice } = problems[end];
  const what = end === 'fault' ? `${operation} ended; a fault of ${program} itself` : `${operation}: ${message}`;
  return new GatewayProblem(status, code, `${what}; ${advice}`);
}
