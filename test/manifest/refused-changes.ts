/** What is refused of a change from one manifest to another, as if everything of the first existed. */
import type { WireFault } from '#contracts/api-bodies.ts';
import { replaceFaults } from '#domain/manifest/replaceable-pools.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { plansOnceReached, refusalsOf } from '../../functions/pipeline/assessment/plan-clusters.ts';
import { aRecord } from '../api/records.ts';
import { fakeDeps } from '../fakes/fake-deps.ts';
import { countingIds } from '../planning/arbitraries.ts';

export function refusedChanges(before: InputManifest, after: InputManifest): readonly WireFault[] {
  const records = { stored: aRecord({ document: before }), desired: aRecord({ document: after, generation: 2 }) };
  return [...replaceFaults(after), ...refusalsOf(plansOnceReached(settings(), records, { clusters: [] }))];
}

/** The same for its deletion. */
export function refusedDeletion(manifest: InputManifest): readonly WireFault[] {
  const records = { stored: aRecord({ document: manifest }), desired: aRecord({ document: manifest, deleting: true }) };
  return refusalsOf(plansOnceReached(settings(), records, { clusters: [] }));
}

function settings() {
  return { ids: countingIds('x'), config: fakeDeps().config };
}
