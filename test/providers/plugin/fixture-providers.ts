/**
 * Serves schema fixtures to a real `terraform` as already running plugins (TF_REATTACH_PROVIDERS), so that nothing is
 * downloaded. Each has a simulated cloud: only Terraform, the modules and the schemas are real.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GrpcListener, listenGrpc } from './grpc-listener.ts';
import { ProviderService } from './provider-service.ts';
import type { SchemaFixture } from './schema-fixture.ts';
import { SimulatedCloud } from './simulated-cloud.ts';

export interface FixtureProviders {
  /** What Terraform needs to find them. */
  readonly environment: Readonly<Record<string, string>>;
  /** The cloud of a provider, by its source. */
  cloud(provider: string): SimulatedCloud;
  stop(): Promise<void>;
}

/** Starts one listener for each fixture, all in this process. */
export async function startFixtureProviders(fixtures: readonly SchemaFixture[]): Promise<FixtureProviders> {
  const clouds = new Map<string, SimulatedCloud>();
  const services = fixtures.map((fixture) => {
    const cloud = new SimulatedCloud();
    clouds.set(fixture.provider, cloud);
    return { provider: fixture.provider, methods: new ProviderService(fixture, cloud).methods() };
  });
  const directory = await mkdtemp(join(tmpdir(), 'kubeloom-providers-'));
  const listeners: GrpcListener[] = [];
  const reattach: Record<string, unknown> = {};
  for (const [index, { provider, methods }] of services.entries()) {
    const socket = join(directory, `${index}.sock`);
    listeners.push(await listenGrpc(socket, methods));
    reattach[provider] = {
      Protocol: 'grpc',
      ProtocolVersion: 6,
      Pid: process.pid,
      Test: true,
      Addr: { Network: 'unix', String: socket },
    };
  }
  return {
    environment: { TF_REATTACH_PROVIDERS: JSON.stringify(reattach) },
    cloud: (provider) => {
      const cloud = clouds.get(provider);
      if (cloud === undefined) throw new Error(`There is no fixture of ${provider}.`);
      return cloud;
    },
    stop: async () => {
      await Promise.all(listeners.map((listener) => listener.close()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}
