/** A gRPC client of the agent, as the cluster-autoscaler is one. */
import { type Client, credentials, makeGenericClientConstructor, type ServiceError } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';
import { autoscalerAnswers, serveAutoscaler } from '#agent/autoscaler-service.ts';
import { cloudProvider } from '#agent/autoscaler-wire.ts';
import type { Pools } from './pools.ts';

type Call = (method: string, request?: object) => Promise<Record<string, unknown>>;
type Done = (error: ServiceError | null, answer: Record<string, unknown>) => void;

/** It and its server are closed at the end of the test. */
export async function clientOf(api: Pools, clock?: () => number): Promise<Call> {
  const served = await serveAutoscaler(autoscalerAnswers(api, clock), '127.0.0.1:0');
  const Constructor = makeGenericClientConstructor(cloudProvider, 'CloudProvider');
  const client = new Constructor(`127.0.0.1:${served.port}`, credentials.createInsecure());
  onTestFinished(() => {
    client.close();
    served.close();
  });
  return (method, request = {}) =>
    new Promise((resolve, reject) => {
      const call = (client as Client & Record<string, (request: object, done: Done) => void>)[method];
      call?.call(client, request, (error, answer) => (error ? reject(error) : resolve(answer)));
    });
}
