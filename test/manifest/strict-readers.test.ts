/** Texts of a manifest that reach other programs, with the rule of the strictest reader of each: what is accepted here is accepted there. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Labels, NodePoolName, ProviderName } from '#domain/manifest/schema/names.ts';
import { DynamicNodePoolFields, ManifestTaint, StaticNodePool } from '#domain/manifest/schema/node-pools.ts';
import { nodeName } from '#domain/naming.ts';
import { labelText, labelValueText } from '#domain/node-labels.ts';
import { tagsOf } from '#functions/rendering/tags.ts';
import { propertyRuns } from '../property-runs.ts';

const runs = { numRuns: propertyRuns(2000) };
/** Texts near the edge of what is accepted. */
const near = fc.string({ unit: fc.constantFrom(...'aZ09-_./: (é'), maxLength: 80 });

/** apimachinery, pkg/util/validation: IsValidLabelValue, IsQualifiedName, IsDNS1123Subdomain. */
const isLabelValue = (text: string) =>
  text.length <= 63 && /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/.test(text);
const isSubdomain = (text: string) =>
  text.length <= 253 && text.split('.').every((label) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(label));
function isQualifiedName(text: string): boolean {
  const parts = text.split('/');
  const [name = '', prefix] = parts.toReversed();
  if (parts.length > 2 || (prefix !== undefined && !isSubdomain(prefix))) return false;
  return name.length <= 63 && /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name);
}

describe('what Kubernetes reads', () => {
  const region = DynamicNodePoolFields.shape.providerSpec.shape.region;

  it('regions, zones and names become label values, whatever a cloud calls them', () => {
    const words = fc.oneof(near, fc.string({ unit: 'grapheme', maxLength: 100 }));
    fc.assert(
      fc.property(words, (word) => {
        if (region.safeParse(word).success) expect(isLabelValue(labelValueText(word))).toBe(true);
      }),
      runs,
    );
    // Nodes that exist keep theirs.
    for (const word of ['eu-central-1a', 'West Europe', 'hsVQ:EU-FRANKFURT-1-AD-1', 'GRA11', 'a.b_c'])
      expect(labelValueText(word)).toBe(labelText(word));
  });

  it('labels and taints that are accepted have keys and values that Kubernetes takes', () => {
    fc.assert(
      fc.property(near, near, (key, value) => {
        if (Labels.safeParse({ [key]: value }).success)
          expect([key, isQualifiedName(labelText(key)), isLabelValue(labelValueText(value))]).toEqual([
            key,
            true,
            true,
          ]);
        if (ManifestTaint.safeParse({ key, value, effect: 'NoSchedule' }).success)
          expect([key, isQualifiedName(key), isLabelValue(value)]).toEqual([key, true, true]);
      }),
      runs,
    );
  });

  it('a prefix of a label key has at most 253 characters', () => {
    for (const length of [60, 253, 254]) {
      const key = `${'a'.repeat(length)}/b`;
      expect([length, Labels.safeParse({ [key]: '' }).success]).toEqual([length, isQualifiedName(key)]);
    }
  });
});

describe('what machines and clouds read', () => {
  it('the names of machines are host names: RFC 1123 labels of at most 63 characters', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9][-_A-Za-z0-9]{0,13}[A-Za-z0-9]$/);
    fc.assert(
      fc.property(name, (pool) => {
        if (!NodePoolName.safeParse(pool).success) return;
        const host = nodeName(`${'c'.repeat(28)}-1234567-${pool.toLowerCase().replaceAll('_', '-')}-1234567`, 255);
        expect(host.length <= 63 && isSubdomain(host)).toBe(true);
      }),
      runs,
    );
  });

  it('tags have values that all clouds take', () => {
    const source = fc.record({
      installation: fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/),
      namespace: fc.stringMatching(/^[a-z0-9]{1,63}$/),
      manifest: fc.stringMatching(/^[a-z0-9]{1,63}$/),
      clusterId: fc.stringMatching(/^[a-z0-9]{1,36}$/),
      generation: fc.nat(),
    });
    fc.assert(
      fc.property(source, fc.stringMatching(/^[a-z0-9][-a-z0-9]{0,40}[a-z0-9]$/), (tags, pool) => {
        for (const [key, value] of Object.entries(tagsOf(tags, pool))) {
          // Google Cloud: labels; Hetzner: label values as those of Kubernetes; AWS and Azure take all of these.
          expect([key, value, /^[a-z][a-z0-9_-]{0,62}$/.test(key), /^[a-z0-9_-]{0,63}$/.test(value)]).toEqual([
            key,
            value,
            true,
            true,
          ]);
          expect([value, isLabelValue(value)]).toEqual([value, true]);
        }
      }),
      runs,
    );
  });

  it('users are names that ssh takes as no option, and that sudo and systemd know', () => {
    const user = StaticNodePool.shape.nodes.element.shape.username.unwrap();
    fc.assert(
      fc.property(near, (text) => {
        if (user.safeParse(text).success) expect(/^[^-\s/:"'\\][^\s/:"'\\]*$/.test(text)).toBe(true);
      }),
      runs,
    );
  });

  it('the names of provider instances are parts of names of cloud resources: lower case, at most 15', () => {
    fc.assert(
      fc.property(near, (text) => {
        if (ProviderName.safeParse(text).success)
          expect(/^[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?$/.test(text)).toBe(true);
      }),
      runs,
    );
  });
});
