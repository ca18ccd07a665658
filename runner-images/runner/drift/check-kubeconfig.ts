/** The kubeconfig that Kubeloom keeps: when the certificate in it ends. Asks no one. */
import { kubeconfigExpiries } from '#documents/kubeconfig-expiries.ts';
import { endText, isUrgent, keptExpiries } from '#domain/expiry.ts';
import { keepParts } from '../kubernetes/kubeconfig.ts';
import { dueOf } from '../machines/machine-certificates.ts';
import type { DriftContext } from '../stage-context.ts';
import type { Findings } from './findings.ts';

export async function checkKubeconfig(context: DriftContext): Promise<Findings> {
  const { target, facts, ports } = context;
  const kept = facts.current.simulated.includes('control plane') ? undefined : await keepParts(context);
  // Its absence is a finding of the nodes.
  if (kept === undefined) return { items: [], unchecked: [] };
  const now = ports.clock.now();
  const found = kubeconfigExpiries(kept.parts);
  return {
    items: dueOf(found, target.id, now).map((expiry) => ({
      kind: 'expiry',
      where: { name: expiry.what, id: expiry.until },
      message: `the kubeconfig that Kubeloom keeps has to be fetched again: its certificate ends on ${endText(expiry, now)}`,
      repairable: true,
      ...(isUrgent(expiry, now) && { urgent: true as const }),
    })),
    expiries: keptExpiries(found),
    unchecked: [],
  };
}
