/** What a node of a pool has room for, as far as its manifest says so: a pool without nodes is scaled up by it. */
import type { DynamicNodePool } from './manifest/schema/node-pools.ts';

/** Quantities by resource, as Kubernetes writes them; `cpu` and `memory` are there together or not at all. */
export function capacityOf({
  autoscaler,
  machineSpec = {},
}: Pick<DynamicNodePool, 'autoscaler' | 'machineSpec'>): Readonly<Record<string, string>> {
  const { cpu = machineSpec.cpuCount, memory = machineSpec.memory, gpu } = autoscaler?.capacity ?? {};
  if (!cpu || !memory) return {};
  const gpus = gpu ?? machineSpec.nvidiaGpuCount ?? 0;
  return { cpu: `${cpu}`, memory: `${memory}G`, ...(gpus > 0 && { 'nvidia.com/gpu': `${gpus}` }) };
}
