/** EventBridge Scheduler: calls a function at a fixed rate, one call at a time. */
import { randomUUID } from 'node:crypto';
import type { LambdaHost } from '../lambda/lambda-host.ts';
import { type Logger, messageOf } from '../logger.ts';
import { account, region } from '../names.ts';

export interface Scheduler {
  /** Calls it now, in addition to the schedule. */
  tick(): Promise<void>;
  stop(): void;
}

export function startScheduler(options: {
  readonly lambdas: LambdaHost;
  readonly functionName: string;
  readonly seconds: number;
  /** Also calls it at the start. @default true */
  readonly atStart?: boolean;
  readonly logger: Logger;
}): Scheduler {
  const { lambdas, functionName, seconds, logger, atStart = true } = options;
  let under: Promise<void> | undefined;
  const call = async (): Promise<void> => {
    try {
      await lambdas.invoke(functionName, {
        version: '0',
        id: randomUUID(),
        'detail-type': 'Scheduled Event',
        source: 'aws.scheduler',
        account,
        region,
        time: new Date().toISOString(),
        resources: [],
        detail: '{}',
      });
    } catch (error) {
      logger.error('the tick failed', { function: functionName, cause: messageOf(error) });
    } finally {
      under = undefined;
    }
  };
  const tick = (): Promise<void> => {
    under ??= call();
    return under;
  };
  const timer = setInterval(() => void tick(), seconds * 1000);
  if (atStart) void tick();
  return { tick, stop: () => clearInterval(timer) };
}
