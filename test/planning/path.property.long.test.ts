import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planClusterPath } from '#domain/planning/plan-cluster-path.ts';
import { propertyRuns } from '#test/property-runs.ts';
import { desiredOf, frozen, manifestArbitrary, templatesArbitrary } from './arbitraries.ts';
import { pathChecks, type Walk } from './path-checks.ts';

const numRuns = propertyRuns(2000);
const pair = fc.tuple(manifestArbitrary, manifestArbitrary, templatesArbitrary, templatesArbitrary, fc.nat(11));
type Pair = typeof pair extends fc.Arbitrary<infer Value> ? Value : never;

function walk([first, manifest, templatesBefore, templates, stop]: Pair): Walk {
  const current = frozen(desiredOf({ manifest: first, templates: templatesBefore, ids: 'a' }));
  const desired = frozen(desiredOf({ manifest, templates, current, ids: 'b' }));
  const plan = frozen(planClusterPath({ cluster: 'c', current, attempted: null, desired }));
  return { current, desired, plan, stop, request: { manifest, templates } };
}

describe('paths between two random states', { timeout: 600_000 }, () => {
  test(`the path between two states passes all checks of path-checks.ts, for ${numRuns} pairs`, () => {
    let refused = 0;
    const property = fc.property(pair, (input) => {
      const walked = walk(input);
      if (walked.plan.refusals.length > 0) refused += 1;
      for (const [title, check] of Object.entries(pathChecks)) {
        try {
          check(walked);
        } catch (cause) {
          throw new Error(`not true that it ${title}: ${cause instanceof Error ? cause.message : cause}`, { cause });
        }
      }
    });
    fc.assert(property, { numRuns });
    expect(refused).toBeLessThan(numRuns * 0.7);
  });
});
