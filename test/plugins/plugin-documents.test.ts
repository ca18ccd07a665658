/** Documents that name a provider type from elsewhere: what is refused before anyone is asked, and what its answer means. */
import { describe, expect, it } from 'vitest';
import type { PluginAnswer, PluginLookup } from '#contracts/job.ts';
import { readObjects } from '#documents/read-objects.ts';
import { validateMachineGroups } from '#domain/manifest/groups/validate-machine-groups.ts';
import { RepositoryUrl } from '#domain/manifest/schema/template-git-reference.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { type PluginQuestion, pinPlugins, refusedAddress } from '#functions/pipeline/manifests/plugin-versions.ts';
import { fakeConfig } from '#test/fakes/fake-deps.ts';

const url = 'git.example.com/acme/providers';
const answer: PluginAnswer = { version: 'git:x@1#.', title: 'Acme', machines: true, dns: true, faults: [] };

const groups = (...plugins: readonly object[]): object => ({
  apiVersion: 'kubeloom.dev/v1',
  kind: 'MachineGroups',
  metadata: { name: 'shop' },
  spec: {
    groups: Object.fromEntries(
      plugins.map((resourcePlugin, index) => [`g${index}`, { size: 1, resourcePlugin, resourceProperties: { a: 1 } }]),
    ),
  },
});
const refusals = (...plugins: readonly object[]): readonly string[] =>
  validateMachineGroups(groups(...plugins), { readObjects }).faults.map(
    ({ path, reason, fix }) => `${path}: ${reason}; ${fix}`,
  );

function manifest({ provider = {}, pool = {} }: { provider?: object; pool?: object } = {}): unknown {
  const plugin = { name: 'acme', url, version: 'v1.0.0' };
  const pools = { providerSpec: { name: 'acme-1', region: 'here' }, count: 1, serverType: 'a', image: 'b' };
  return {
    apiVersion: 'kubeloom.dev/v1',
    kind: 'InputManifest',
    metadata: { name: 'shop' },
    spec: {
      providers: [{ name: 'acme-1', providerType: 'plugin', plugin, ...provider }],
      nodePools: { dynamic: [{ name: 'control', ...pools, ...pool }] },
      kubernetes: {
        clusters: [{ name: 'shop', version: '1.36.0', network: '192.168.2.0/24', pools: { control: ['control'] } }],
      },
    },
  };
}
function accepted(document: unknown) {
  const { manifest: read, faults } = validateManifest(document, { readObjects });
  if (read === undefined) throw new Error(JSON.stringify(faults));
  return read;
}

describe('where a type is from', () => {
  it('a group names a type by name, version and URL', () => {
    const { manifest: read, faults } = validateMachineGroups(
      groups({ name: 'acme', url: `https://${url}`, version: 'v2' }),
      { readObjects },
    );
    expect(faults).toEqual([]);
    expect(read?.spec.providers).toMatchObject([
      { name: 'acme', providerType: 'plugin', plugin: { name: 'acme', version: 'v2' } },
    ]);
    expect(read?.spec.nodePools.dynamic).toMatchObject([{ properties: { a: 1 }, providerSpec: { name: 'acme' } }]);
  });

  it('a library of Go, plain http and an archive without its sum are refused with the fix', () => {
    expect(refusals({ name: 'acme', url: 'https://example.com/acme.so' }).join()).toMatch(
      /g0.resourcePlugin.url: "https:\/\/example.com\/acme.so" is a library of Go: .*docs\/plugins.md/,
    );
    expect(refusals({ name: 'acme', url: 'http://example.com/acme' }).join()).toMatch(
      /neither a git repository nor an archive/,
    );
    expect(refusals({ name: 'acme', url: 'https://example.com/acme.tar.gz' }).join()).toMatch(
      /g0.resourcePlugin.sha256: is missing; give the SHA-256/,
    );
    expect(refusals({ name: 'acme', url, sha256: 'a'.repeat(64) }).join()).toMatch(/sha256: is for archives/);
  });

  it('an address that means another one than it says is refused', () => {
    for (const odd of [
      'git.example.com/acme/%2e%2e/evil/x',
      'git.example.com/acme\\..\\..\\evil/x',
      'git.example.com:99999/a/b',
    ])
      expect(refusals({ name: 'acme', url: odd }).join()).toMatch(/is neither a git repository nor an archive/);
    for (const odd of ['git.example.com/acme/%2e%2e/evil/x', 'git.example.com/acme\\..\\..\\evil/x'])
      expect(RepositoryUrl.safeParse(odd).success).toBe(false);
  });

  it('a type that does not exist is named with what was meant, and that a URL may be given', () => {
    expect(refusals({ name: 'gcd' })[0]).toMatch(/there is no provider type "gcd"; did you mean gcp\?/);
    expect(refusals({ name: 'zzzzzz' })[0]).toMatch(/or give the url of another/);
  });

  it('two groups with one type in two versions are refused, for it is one provider', () => {
    expect(refusals({ name: 'acme', url, version: 'v1' }, { name: 'acme', url, version: 'v2' })).toEqual([
      expect.stringMatching(/spec.groups.g1.resourcePlugin.name: another group has "acme" from another place/),
    ]);
  });

  it('two types that would be one provider are refused by the name of that provider', () => {
    const long = (end: string) => ({ name: `acme-of-the-north-${end}`, url });
    expect(refusals(long('a'), long('b'))).toEqual([
      expect.stringMatching(
        /would create the provider "acme-of-the-nor", which another type of the document also creates, "acme-of-the-north-a"/,
      ),
    ]);
  });

  it.each(['acme-of-northern-europe', 'acme-of-norther', 'my_custom_long_plugin'])(
    'a type of a long name is a provider with a name that can be one: %s',
    (name) => {
      expect(refusals({ name, url })).toEqual([]);
    },
  );

  it('the Secret that a group names is used for a type that comes with Kubeloom, too', () => {
    const secretRef = { name: 'staging', namespace: 'team' };
    const resourceProperties = { region: 'eu-west-1', instanceType: 't3.small', image: 'ami-1' };
    const aws = (...plugins: readonly object[]) => {
      const spec = plugins.map((plugin, index) => [
        `g${index}`,
        { size: 1, resourcePlugin: { name: 'aws', ...plugin }, resourceProperties },
      ]);
      return validateMachineGroups({ ...groups(), spec: { groups: Object.fromEntries(spec) } }, { readObjects });
    };
    expect(aws({ secretRef }).manifest?.spec.providers).toMatchObject([
      { name: 'aws', providerType: 'aws', secretRef },
    ]);
    expect(aws({}).manifest?.spec.providers).toMatchObject([{ secretRef: { name: 'aws', namespace: 'default' } }]);
    expect(aws({ secretRef }, {}).faults).toMatchObject([
      { path: 'spec.groups.g1.resourcePlugin.secretRef', reason: 'another group has "aws" with another Secret' },
    ]);
    const document = groups({ name: 'aws', secretRef }) as { spec: object };
    const given = {
      ...document,
      spec: { ...document.spec, providers: [{ name: 'aws', providerType: 'aws', secretRef }] },
    };
    expect(validateMachineGroups(given, { readObjects }).faults.map(({ path }) => path)).toContain(
      'spec.groups.g0.resourcePlugin.secretRef',
    );
  });

  it('a sum or a Secret without effect is a warning', () => {
    const plugin = { name: 'sim', sha256: 'a'.repeat(64), secretRef: { name: 'a', namespace: 'b' } };
    expect(validateMachineGroups(groups(plugin), { readObjects }).warnings.map(({ path }) => path)).toEqual([
      'spec.groups.g0.resourcePlugin.sha256',
      'spec.groups.g0.resourcePlugin.secretRef',
    ]);
  });

  it('a provider of a manifest that lacks its plugin, or has one without need, is refused', () => {
    const faultsOf = (document: unknown) =>
      validateManifest(document, { readObjects }).faults.map(({ path, reason }) => `${path}: ${reason}`);
    expect(faultsOf(manifest({ provider: { plugin: undefined } }))).toEqual(['spec.providers[0].plugin: is missing']);
    expect(faultsOf(manifest({ provider: { providerType: 'sim' } })).join()).toMatch(/is for providers of type plugin/);
    const builtIn = { provider: { providerType: 'sim', plugin: undefined }, pool: { properties: { a: 1 } } };
    expect(faultsOf(manifest(builtIn)).join()).toMatch(/properties: are for providers of type plugin/);
    expect(faultsOf(manifest({ provider: { plugin: { name: 'aws', url } } })).join()).toMatch(/comes with Kubeloom/);
  });
});

describe('what a type says about a manifest', () => {
  const pinned = (
    document: unknown,
    found: PluginAnswer | { reason: string; fix: string },
    settings = {},
    more: Partial<PluginQuestion> = {},
  ) => {
    const asked: PluginLookup[] = [];
    const lookUp = async (request: PluginLookup) => {
      asked.push(request);
      return found;
    };
    const question = { namespace: 'team', manifest: accepted(document), lookUp, ...more };
    return pinPlugins(fakeConfig(settings), question).then((pins) => ({ ...pins, asked }));
  };

  it('the version that was found is pinned, and the properties of its pools were judged', async () => {
    const { templates, faults, asked } = await pinned(manifest({ pool: { properties: { a: 1 } } }), answer);
    expect([templates, faults]).toEqual([{ 'acme-1': 'git:x@1#.' }, []]);
    expect(asked).toMatchObject([{ url, version: 'v1.0.0', properties: { control: { a: 1 } } }]);
  });

  it('machines and Secrets that a type lacks are faults at their places', async () => {
    const { faults } = await pinned(manifest(), { ...answer, machines: false, secret: ['token'] });
    expect(faults.map(({ path, reason, fix }) => `${path}: ${reason}; ${fix}`)).toEqual([
      'spec.providers[0].secretRef: is missing; name the Secret with token for Acme',
      'spec.nodePools.dynamic[0].providerSpec.name: Acme creates no machines; use another provider',
    ]);
  });

  it('the Secret of an instance is judged with its type, unless it is stored with the document', async () => {
    const secretRef = { name: 'acme', namespace: 'team' };
    const document = manifest({ provider: { secretRef } });
    const lacking = { ...answer, secret: ['token'], secretFaults: ['token is missing'] };
    const { asked, faults } = await pinned(document, lacking);
    expect(asked).toMatchObject([{ secret: 'team/acme' }]);
    expect(faults.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      'spec.providers[0].secretRef: names a Secret that Acme cannot use: token is missing',
    ]);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: secretRef, stringData: { token: 'x' } };
    const together = await pinned(document, answer, {}, { accompanying: [secret] });
    expect(together.asked[0]).not.toHaveProperty('secret');
  });

  it('the runner learns what the manifest was accepted with before', async () => {
    const stored = { name: 'shop', templates: { 'acme-1': 'git:x@1#.', other: 'git:y@1#.' } };
    const { asked } = await pinned(manifest(), answer, {}, { stored });
    expect(asked).toMatchObject([{ kept: { namespace: 'team', manifest: 'shop', version: 'git:x@1#.' } }]);
  });

  it('a type that cannot be found is a fault of its provider, with the reason', async () => {
    const { templates, faults } = await pinned(manifest(), { reason: 'it is gone', fix: 'retry' });
    expect(templates).toEqual({});
    expect(faults).toMatchObject([{ path: 'spec.providers[0].plugin', reason: 'it is gone' }]);
  });

  it('the version that is written is kept where nothing is fetched', async () => {
    const { templates, asked } = await pinned(manifest(), answer, { KUBELOOM_TEMPLATE_SOURCES: 'recorded' });
    expect([templates, asked]).toEqual([{ 'acme-1': `git:${url}@v1.0.0#.` }, []]);
  });

  it('an address that the installation does not allow is refused, and no one is asked', async () => {
    const { faults, asked } = await pinned(manifest(), answer, { KUBELOOM_TEMPLATE_URLS: 'github.com/acme/' });
    expect(asked).toEqual([]);
    expect(faults).toMatchObject([
      { path: 'spec.providers[0].plugin.url', reason: expect.stringContaining('only from github.com/acme/') },
    ]);
  });

  it('an address that leaves an allowed prefix through `..` is refused, however it is written', () => {
    const settings = fakeConfig({ KUBELOOM_TEMPLATE_URLS: 'github.com/acme/' });
    for (const path of ['%2e%2e/evil/x', '%2E./evil/x', '..\\evil/x', '../evil/x', 'a%2f..%2f..%2fevil'])
      expect(refusedAddress(settings, `github.com/acme/${path}`)).toMatchObject({ fix: expect.any(String) });
    expect(refusedAddress(settings, 'github.com/acme/größe/a b')).toBeUndefined();
  });

  it('the beginning of an allowed address ends between two parts of a path', () => {
    const settings = fakeConfig({ KUBELOOM_TEMPLATE_URLS: 'github.com/acme,Git.example.com' });
    const allowed = (address: string) => refusedAddress(settings, address) === undefined;
    expect(['github.com/acme/a', 'GitHub.com/acme', 'git.example.com/x'].map(allowed)).toEqual([true, true, true]);
    expect(['github.com/acme-evil/a', 'git.example.com.evil/x', 'x/github.com/acme'].map(allowed)).toEqual([
      false,
      false,
      false,
    ]);
  });
});
