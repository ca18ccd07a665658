/** Groups whose machines are to be changed in place: whether their provider can. */
import { type ProviderTypeFacts, providerTypeFacts } from '#domain/provider-types.ts';
import { isMap } from '../../json.ts';
import { error, type Fault } from '../faults/fault.ts';
import type { PlacedGroup } from './placed-groups.ts';

/** `given`: the providers of the document. Never throws. */
export function updateFaults(given: unknown, groups: readonly PlacedGroup[]): readonly Fault[] {
  return groups.flatMap(({ names, value }) => {
    if (value.update !== 'inPlace') return [];
    const facts = factsOf(given, value);
    if (facts === undefined) return [];
    const stops = !(value.spot === true && facts.spotRunsOnce);
    if (facts.resizes && stops) return [];
    const reason = facts.resizes
      ? `spot machines of ${facts.title} cannot be stopped, so they cannot be changed in place`
      : `Kubeloom cannot change machines of ${facts.title} in place`;
    return [error(['spec', 'groups', ...names, 'update'], reason, 'use surge or replace')];
  });
}

/** Undefined where the provider has a fault of its own. */
function factsOf(
  given: unknown,
  { providerSpec, resourcePlugin }: PlacedGroup['value'],
): ProviderTypeFacts | undefined {
  // One from elsewhere: the planner refuses the change when it comes.
  if (isMap(resourcePlugin) && resourcePlugin.url !== undefined) return undefined;
  if (isMap(resourcePlugin)) return providerTypeFacts(String(resourcePlugin.name).toLowerCase());
  const name = isMap(providerSpec) ? providerSpec.name : undefined;
  const provider = (Array.isArray(given) ? given : []).filter(isMap).find((one) => one.name === name);
  return typeof provider?.providerType === 'string' ? providerTypeFacts(provider.providerType) : undefined;
}
