/** Starts the API: in a thread of its own where its routes are a module, else in this one. */
import { type GatewayRoute, gatewayListener } from 'aws-on-loopback/api-gateway/gateway-listener.ts';
import type { Logger } from 'aws-on-loopback/logger.ts';
import { type LoopbackServer, listenOnLoopback } from 'aws-on-loopback/server/loopback-server.ts';
import { startThread } from 'aws-on-loopback/server/worker-thread.ts';
import { type AuthorizerOptions, authorizer } from '../access/authorizer.ts';
import { problem, problemTypes } from '../access/gateway-problem.ts';
import { builtConsole, foundConsole } from '../console/built-console.ts';
import { withConsole } from '../console/console-door.ts';
import { diskTrouble, type HealthTrouble } from '../health.ts';

export interface GatewayThreadOptions {
  /** URL of a module that exports `routes`. */
  readonly routesModule: string;
  /** Whose tokens are accepted. */
  readonly access: AuthorizerOptions;
  /** 0: any. */
  readonly port: number;
  /** Whether it serves the console, too. @default false */
  readonly console?: boolean;
  /** Directory whose disk must have free space. @default not checked */
  readonly directory?: string;
  /** How long a function may take. @default 29 s */
  readonly timeoutMs?: number;
}

/** How this API differs from others: its shape of problems, and who has faults. */
export const ownGateway = { refuse: problem, program: 'Kubeloom', healthPath: '/v1/health' } as const;

/** Reports to the API a problem of the platform. */
export interface Gateway extends LoopbackServer {
  report(trouble: HealthTrouble): void;
}

/** In this thread. Throws when the port is taken, naming it. */
export async function startGateway(
  routes: readonly GatewayRoute[],
  {
    access,
    port,
    console: hasConsole = false,
    directory,
    timeoutMs,
    logger,
  }: Omit<GatewayThreadOptions, 'routesModule'> & { readonly logger: Logger },
): Promise<Gateway> {
  let reported: HealthTrouble | undefined;
  const trouble = () => reported ?? (directory === undefined ? undefined : diskTrouble(directory));
  const authorize = authorizer({ ...access, logger });
  const api = gatewayListener({
    ...ownGateway,
    routes,
    authorize,
    trouble,
    logger,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const listener = hasConsole ? withConsole(api, { authorize, build: builtConsole, find: foundConsole, logger }) : api;
  const server = await listenOnLoopback(listener, port, problemTypes);
  const report = (found: HealthTrouble): void => {
    reported = found;
  };
  return { ...server, report };
}

/** In a thread of its own, with the environment as it is now and `environment` in it. Throws when the port is taken, naming it. */
export async function startGatewayThread(
  options: GatewayThreadOptions & { readonly logger: Logger; readonly environment: Readonly<Record<string, string>> },
): Promise<Gateway> {
  const { logger, environment, ...workerData } = options;
  const thread = await startThread(new URL('./gateway-thread.ts', import.meta.url), {
    workerData,
    env: { ...process.env, ...environment },
    what: 'the API',
    logger,
    // The process keeps its heaps small; here that would be a collection for each few requests.
    resourceLimits: { maxYoungGenerationSizeMb: 32 },
    onEnd: (cause) => logger.error('the API has stopped; start the platform again', { cause }),
  });
  return { ...thread, report: (trouble) => thread.order(trouble) };
}
