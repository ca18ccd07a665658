/** Rules of what machines of a provider type cannot have. */
import { type MachineLimits, machineLimits, typeWithout } from '#domain/machine-limits.ts';
import type { ProviderTypeName } from '#domain/provider-types.ts';
import { error, type Fault, warning } from '../faults/fault.ts';
import { shown } from '../schema/names.ts';
import { DynamicNodePoolFields } from '../schema/node-pools.ts';
import type { Path, PoolUse } from './manifest-index.ts';
import type { PartialDynamicPool } from './partial-manifest.ts';

/** GB of the data disk of a compute pool that names none. */
export const usualDisk = DynamicNodePoolFields.shape.storageDiskSize.parse(undefined);

/** Everything about one pool at once. `uses`: by clusters and load balancers. */
export function* machineLimitRules(
  { pool, path, uses }: { readonly pool: PartialDynamicPool; readonly path: Path; readonly uses: readonly PoolUse[] },
  { type, title }: { readonly type: ProviderTypeName; readonly title: string },
): Iterable<Fault> {
  const limits = machineLimits[type];
  if (limits === undefined) return;
  yield* diskRules(pool, { path, uses, title, limits });
  const { serverType = '', spot, providerSpec: { region, zone } = {} } = pool;
  const never = spot ? typeWithout(limits.noSpot, serverType) : undefined;
  if (never !== undefined) {
    const reason = `${never.named} is never a spot machine, and ${shown(serverType)} is one`;
    yield error([...path, 'spot'], reason, 'remove it, or use another server type');
  }
  const lower = serverType.toLowerCase();
  if (limits.lowerCaseTypes && serverType !== lower) {
    const reason = `${shown(serverType)} has capital letters, and no server type of ${title} has any`;
    yield error([...path, 'serverType'], reason, `write ${lower}`);
  }
  if (limits.zone === undefined || !region || !zone || limits.zone.accepts(zone, region)) return;
  const place = [...path, 'providerSpec', 'zone'];
  const reason = `${shown(zone)} is not a zone of the region ${shown(region)}: a zone of ${title} ${limits.zone.form}`;
  if (limits.zone.unused) {
    yield warning('foreign-zone', place, `${reason}; it has no effect, machines are in the region`, 'leave it out');
    return;
  }
  yield error(place, reason, 'name one of its zones, or leave it out: then nodes are spread over all of them');
}

interface Limited {
  readonly path: Path;
  readonly uses: readonly PoolUse[];
  readonly title: string;
  readonly limits: MachineLimits;
}

/** Control nodes and load balancers have no data disk. */
function* diskRules(
  { serverType = '', storageDiskSize }: PartialDynamicPool,
  { path, uses, title, limits }: Limited,
): Iterable<Fault> {
  const computes = uses.some(({ as }) => as === 'compute');
  const size = storageDiskSize ?? (computes ? usualDisk : 0);
  if (size === 0 || (uses.length > 0 && !computes)) return;
  const place = [...path, 'storageDiskSize'];
  const without = typeWithout(limits.noDisk, serverType);
  if (without !== undefined) {
    const what = storageDiskSize === undefined ? `a pool without storageDiskSize gets one of ${size} GB` : '';
    const reason = `${without.named} of ${title} takes no data disk, and ${shown(serverType)} is one`;
    yield error(place, what === '' ? reason : `${reason}; ${what}`, 'write 0, or use another server type');
  } else if (limits.mostDisk !== undefined && size > limits.mostDisk) {
    yield error(place, `${size} GB is more than a disk of ${title} has`, `write ${limits.mostDisk} or less`);
  }
}
