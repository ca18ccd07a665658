/** Names of clusters, pools, nodes and host names: how they are built, so that they stay unique and short. */
import { PipelineError } from './errors.ts';

/** Random lower-case letters and digits. */
export interface HashSource {
  hash(length: number): string;
  /** The host name that is chosen for a load balancer. @default a random one */
  hostname?(loadBalancer: string): string;
}

/** For plans that are only shown: the run chooses another name, so none is shown that no one will ever reach. */
export const withoutHostnames = (ids: HashSource): HashSource => ({
  hash: (length) => ids.hash(length),
  hostname: (loadBalancer) => `<new name for ${loadBalancer}>`,
});

const idHashLength = 7;
export const hostnameLength = 17;
/** A node's number is two hexadecimal digits, 01 to ff. */
const maxNodeNumber = 255;

/** `<name>-<7 char hash>`, not in `taken`. */
export function hashedId(name: string, ids: HashSource, taken: ReadonlySet<string>): string {
  for (let tries = 0; tries < 100; tries++) {
    const id = `${name}-${ids.hash(idHashLength)}`;
    if (!taken.has(id)) return id;
  }
  throw new PipelineError('InternalFault', `no free id for "${name}": the source of random names repeats its names`);
}

/** A name of a manifest as names of machines can have it: a DNS label. Names that differ only in this are one name. */
export function dnsForm(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** The name that an id of `hashedId` was made from. */
export function nameOfCluster(id: string): string {
  return id.replace(/-[^-]*$/, '');
}

/** `<pool id>-<2 hex>` */
export function nodeName(poolId: string, number: number): string {
  return `${poolId}-${number.toString(16).padStart(2, '0')}`;
}

/** The lowest node names of a pool that are not taken. Throws `PlanRefused` when the pool has no more. */
export function freeNodeNames(poolId: string, taken: ReadonlySet<string>, count: number): readonly string[] {
  const names: string[] = [];
  for (let number = 1; names.length < count; number++) {
    if (number > maxNodeNumber) throw tooManyNodes(poolId);
    const name = nodeName(poolId, number);
    if (!taken.has(name)) names.push(name);
  }
  return names;
}

function tooManyNodes(poolId: string): PipelineError {
  const reason = `the pool ${poolId} cannot have more than ${maxNodeNumber} nodes`;
  const fix = 'put the other nodes into a second pool';
  return new PipelineError('PlanRefused', `${reason}; ${fix}`, {
    details: [{ path: `spec.nodePools[${poolId}]`, reason, fix }],
  });
}
