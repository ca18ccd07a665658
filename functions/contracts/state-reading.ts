/** What people ask of a runner to see what Terraform knows of a cluster. No value that could be a secret is among the answers. */
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';
import { WorkspaceName } from '#domain/state-edit.ts';

/** As Terraform writes it: `module.pool_x.hcloud_server.node["web-01"]`; what is not ASCII in an index is escaped. */
export const StateAddress = closedText(2000, /^[A-Za-z_][ -~]*$/);

/** Body of a request. */
export const StateRequest = z
  .strictObject({
    address: StateAddress.optional().describe('only this resource, with what identifies it; absent: all of them'),
  })
  .meta({ id: 'StateRequest' });

/** The question to the runner. */
export const StateQuestion = StateRequest.extend({
  namespace: z.string(),
  manifest: z.string(),
  /** Id of the cluster. */
  cluster: z.string(),
  /** Those of machines and of DNS names, which may have a state. */
  workspaces: z.array(WorkspaceName),
});
export type StateQuestion = z.infer<typeof StateQuestion>;

/** Attributes that are shown: what identifies a resource and where it is. All others may be secret, whatever a provider says. */
export const shownAttributes = [
  ...([
    'id',
    'arn',
    'name',
    'hostname',
    'fqdn',
    'region',
    'location',
    'datacenter',
    'zone',
    'availability_zone',
  ] as const),
  ...(['server_type', 'instance_type', 'machine_type', 'type', 'size', 'image', 'status', 'instance_state'] as const),
  ...(['ip_address', 'ipv4_address', 'ipv6_address', 'public_ip', 'private_ip', 'network_id', 'ip'] as const),
] as const;

/** Words of a cloud in one line: cut, and all that is not ASCII escaped, by the runner. */
const Shown = closedText(4000, /^[ -~]*$/);

const StateResourceRow = z.strictObject({
  address: StateAddress,
  id: Shown.optional().describe('as the cloud calls it'),
  tainted: z.boolean().optional().describe('it is recreated by the next apply'),
  attributes: z
    .partialRecord(z.enum(shownAttributes), Shown)
    .optional()
    .describe('what identifies it; only of the resource that was requested'),
});

export const ReadState = z
  .strictObject({
    workspaces: z.array(
      z.strictObject({
        workspace: WorkspaceName.describe('`machines-` with a provider instance, or `dns-` with a load balancer'),
        serial: z.int().nullable().describe('grows with every change; null when there is no state'),
        waits: z.boolean().describe('a newer state waits to be saved; the next run does that'),
        resources: z.array(StateResourceRow),
      }),
    ),
  })
  .meta({ id: 'ReadState' });
export type ReadState = z.infer<typeof ReadState>;
