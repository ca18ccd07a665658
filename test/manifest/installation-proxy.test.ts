/** Through whose host the nodes of a cluster download, if the manifest does not say so. */
import { describe, expect, it, test } from 'vitest';
import { parseConfig } from '#contracts/config.ts';
import { readObjects } from '#documents/read-objects.ts';
import { documentChanges } from '#domain/manifest/document-changes.ts';
import { manifestOfDocument } from '#domain/manifest/groups/manifest-of-document.ts';
import { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { withProxyOf } from '#domain/manifest/with-proxy.ts';
import { describeClusterPlan } from '#domain/planning/text/describe-plan.ts';
import { describeCluster } from '#functions/api/views/cluster-description.ts';
import { assess } from '#functions/pipeline/assessment/assess.ts';
import { key } from '#test/api/documents.ts';
import { aClusterRecord } from '#test/api/records.ts';
import { knownOf, reached, storedAs } from '#test/assessment/known.ts';
import { manifestWith } from './manifest-files.ts';

const claudie = 'http://proxy.claudie.io:8880';
const own = 'http://proxy.example.com:3128';

/** A manifest with a Hetzner pool, as a person writes it. */
function written({ apiVersion = 'kubeloom.dev/v1', type = 'hetzner', proxy = {} }) {
  const plain = structuredClone(manifestWith()) as unknown as {
    spec: { providers: unknown[]; kubernetes: { clusters: Record<string, unknown>[] } };
  };
  const secretRef = { name: 'cloud', namespace: 'default' };
  plain.spec.providers = [{ name: 'sim-1', providerType: type, secretRef }];
  for (const cluster of plain.spec.kubernetes.clusters) cluster.installationProxy = proxy;
  return { ...plain, apiVersion, metadata: key };
}

function judged(document: unknown, installationProxy?: string) {
  const context = { readObjects, ...(installationProxy !== undefined && { installationProxy }) };
  const { manifest, faults, warnings } = validateManifest(document, context);
  const ids = [...faults, ...warnings].filter(({ path }) => path.includes('installationProxy'));
  return {
    endpoint: manifest?.spec.kubernetes.clusters[0]?.installationProxy.endpoint,
    found: ids.map(({ id, path }) => id ?? path.split('.').at(-1)),
  };
}

const old = 'claudie.io/v1beta1';
test.each([
  ['of Kubeloom names no proxy', {}, '', undefined, []],
  ['of Kubeloom names no proxy, in an installation that has one', {}, own, undefined, []],
  ['of Kubeloom wants one', { proxy: { mode: 'on' } }, own, own, []],
  ['of Kubeloom wants one that no one has', { proxy: { mode: 'on' } }, '', undefined, ['endpoint']],
  ['of Kubeloom names one', { proxy: { endpoint: 'http://a.example:1' } }, own, 'http://a.example:1', []],
  ['of Claudie names none', { apiVersion: old }, '', claudie, ['foreign-proxy']],
  ['of Claudie names none, in an installation that has one', { apiVersion: old }, own, own, []],
  [
    'of Claudie names one',
    { apiVersion: old, proxy: { endpoint: 'http://a.example:1' } },
    '',
    'http://a.example:1',
    [],
  ],
  ['of Claudie wants none', { apiVersion: old, proxy: { mode: 'off' } }, '', undefined, []],
  ['of Claudie has no cloud that is proxied', { apiVersion: old, type: 'exoscale' }, '', claudie, []],
  [
    'of Claudie wants one on another cloud',
    { apiVersion: old, type: 'exoscale', proxy: { mode: 'on' } },
    '',
    claudie,
    ['foreign-proxy'],
  ],
])('a manifest %s', (_, document, ofInstallation, endpoint, found) => {
  expect(judged(written(document), ofInstallation)).toEqual({ endpoint, found });
});

test('a file that names no proxy is compared with a stored manifest as it would be stored again', () => {
  for (const ofInstallation of ['', own]) {
    const { manifest } = validateManifest(written({ apiVersion: old }), {
      readObjects,
      installationProxy: ofInstallation,
    });
    const inFile = InputManifest.parse(written({ apiVersion: old }));
    expect(documentChanges(manifest, inFile)).toHaveLength(1);
    expect(documentChanges(manifest, withProxyOf(inFile, manifest))).toEqual([]);
  }
  const plain = InputManifest.parse(written({}));
  expect(withProxyOf(plain, undefined)).toEqual(plain);
});

test('what an installation has is not guessed where it is not known', () => {
  expect(judged(written({ proxy: { mode: 'on' } }))).toEqual({ endpoint: undefined, found: [] });
});

describe('a stored manifest', () => {
  /** As releases before this one stored it: with what was the default of every manifest. */
  const before = written({ proxy: { mode: 'default', endpoint: claudie, noProxy: '' } });

  it('a stored manifest keeps the proxy that it runs with, and plans nothing', () => {
    expect(manifestOfDocument(before)).toMatchObject({
      manifest: { spec: { kubernetes: { clusters: [{ installationProxy: { endpoint: claudie } }] } } },
    });
    const stored = storedAs(before);
    const [plan] = assess(knownOf(before)).plans;
    const current = plan?.waypoints.at(-1)?.target ?? null;
    expect(current?.installationProxy).toMatchObject({ enabled: true, endpoint: claudie });
    const clusters = [aClusterRecord({ cluster: current?.id ?? '', status: 'Converged', current })];
    expect(assess(knownOf(stored.document, { stored, clusters })).plans.flatMap(({ waypoints }) => waypoints)).toEqual(
      [],
    );
  });

  it('the description of a stored manifest says so', () => {
    const current = assess(knownOf(before)).plans[0]?.waypoints.at(-1)?.target ?? null;
    const record = aClusterRecord({ cluster: current?.id ?? '', status: 'Converged', current });
    const around = {
      demand: undefined,
      manifest: { namespace: 'default', name: 'built', status: 'Done' as const, deleting: false },
      renews: true,
      now: new Date(0),
    };
    expect(describeCluster(record, around).downloads).toBe(`${claudie}, a host of Claudie's makers`);
    const [plain] = reached();
    expect(plain && describeCluster(plain, around).downloads).toBeUndefined();
  });
});

test('the plan of a new cluster names the host that its downloads go through', () => {
  const linesOf = (document: unknown) => {
    const [plan] = assess(knownOf(document)).plans;
    return plan === undefined ? [] : describeClusterPlan(plan).waypoints.flatMap(({ sentences }) => sentences);
  };
  const line = `downloads of nodes go through ${claudie}, a host of Claudie's makers`;
  expect(linesOf(written({ apiVersion: old }))).toContain(line);
  expect(linesOf(written({})).join()).not.toContain('downloads');
});

test.each(['proxy.example.com:3128', 'http://ann:secret@proxy.example.com', 'ftp://proxy.example.com', 'http://a b'])(
  'an installation does not start with the proxy %j',
  (proxy) => {
    expect(() => parseConfig({ KUBELOOM_INSTALLATION_PROXY: proxy })).toThrow(/KUBELOOM_INSTALLATION_PROXY: /);
    expect(() => parseConfig({ KUBELOOM_INSTALLATION_PROXY: own })).not.toThrow(/KUBELOOM_INSTALLATION_PROXY/);
  },
);
