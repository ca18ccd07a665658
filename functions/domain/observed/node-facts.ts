/** What tools found out about a node; never part of the desired state, only observed. */
import { z } from 'zod';
import { BootId, DataDevice, IpAddress, LocalNetwork, PortNumber, WireguardKey } from './closed-texts.ts';

/** A stored fact that is not of its type, from a version that did not check it, counts as unknown: the next visit reports it. */
const known = <Type extends z.ZodType>(type: Type) => type.optional().catch(undefined);

const KnownPort = known(PortNumber);

export const NodeFacts = z.strictObject({
  publicAddress: known(IpAddress),
  sshPort: KnownPort,
  wireguardPort: KnownPort,
  wireguardPublicKey: known(WireguardKey),
  /** Globs that find the node's data disk; absent where it has none. */
  dataDevice: known(DataDevice),
  /** Nodes of one provider instance with the same network reach each other under these addresses, and may not under the public ones. */
  local: known(z.strictObject({ network: LocalNetwork, address: IpAddress })),
  /** The cloud has no firewall, so the node keeps one. */
  hostFirewall: z.literal(true).optional(),
  /** Kernel boot id: proves that a node was not restarted or replaced. */
  bootId: known(BootId),
  /** ISO 8601; when its machine first said that it is set up; a recreated one begins again. */
  setUpAt: known(z.iso.datetime()),
  /** Joined to Kubernetes and patched. */
  joined: z.boolean().optional(),
  /** ISO 8601; when it first did not answer over SSH, absent while it answers. */
  unreachableSince: known(z.iso.datetime()),
});
export type NodeFacts = z.infer<typeof NodeFacts>;
