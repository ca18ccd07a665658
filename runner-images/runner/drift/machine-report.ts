/** What the scripts of a check for drift say of a machine: lines `fact: KEY=JSON`. Pure. */
import { z } from 'zod';

export const MachineReport = z.object({
  /** Which peers answer, of `verify.sh`. */
  mesh: z.record(z.string(), z.boolean()),
  /** Addresses of WireGuard peers that do not belong to the cluster, of `verify.sh`. */
  surplus: z.array(z.string()).optional(),
  /** What differs from the roles of a load balancer, of `verify-balancer.sh`. */
  roles: z.array(z.string()).optional(),
  /** What the health checks of the group found, of `health.sh`; null: not known. */
  health: z.array(z.object({ ok: z.boolean().nullable(), why: z.string().optional() })).optional(),
  /** When a machine with health checks was set up, or got another boot script. */
  setUpAt: z.string().optional(),
});
export type MachineReport = z.infer<typeof MachineReport>;

/** Undefined: these are not the words of our scripts, or not even those about the mesh, which come first. */
export function readMachineReport(output: string): MachineReport | undefined {
  const facts = [...output.matchAll(/^fact: (\w+)=(.*)$/gm)].map(([, key, value]) => [key, jsonOf(value)]);
  return MachineReport.safeParse(Object.fromEntries(facts)).data;
}

function jsonOf(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
