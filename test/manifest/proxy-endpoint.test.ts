/** The address of a proxy, as it is written into files that apt, systemd, containerd and kubelet read. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '#contracts/config.ts';
import { readObjects } from '#documents/read-objects.ts';
import { manifestOfDocument } from '#domain/manifest/groups/manifest-of-document.ts';
import { ProxyEndpoint } from '#domain/manifest/schema/proxy-endpoint.ts';
import { validateManifest } from '#domain/manifest/validate-manifest.ts';
import { propertyRuns } from '../property-runs.ts';
import { manifestWith } from './manifest-files.ts';

const through = (endpoint: string) =>
  manifestWith((spec) => {
    for (const cluster of spec.kubernetes.clusters)
      cluster.installationProxy = { ...cluster.installationProxy, mode: 'on', endpoint };
  });
const schema = JSON.parse(readFileSync(new URL('../../schema/input-manifest.schema.json', import.meta.url), 'utf8'));
const fits = new Ajv({ strict: false, formats: { ipv4: true, ipv6: true } }).compile(schema);

/** What is refused, with words of the fault; and whether an editor knows it. */
const refused: readonly (readonly [endpoint: string, words: string, editor: boolean])[] = [
  ['proxy.example:3128', 'without "http://"', true],
  ['proxy.example', 'without "http://"', true],
  ['ftp://proxy.example', 'is not the address of a proxy', true],
  ['socks5://proxy.example:1080', 'is not the address of a proxy', true],
  ['http://proxy.example:3128/path', 'is not the address of a proxy', true],
  ['http://proxy.example:99999', 'no port that there is', false],
  ['http://proxy.example:0', 'no port that there is', false],
  ['http://proxy..example', 'no host that there is', false],
  ['http://256.1.2.3:3128', 'no host', false],
  ['http://ann:word@proxy.example', 'a user or a password', true],
  ['http://proxy.example:3128 ', 'is not the address of a proxy', true],
  ['http://proxy example', 'is not the address of a proxy', true],
  ['http://proxy.example"; x', 'is not the address of a proxy', true],
  ['http://localhost:3128', 'the node itself', true],
  ['http://a.localhost:3128', 'the node itself', false],
  ['http://127.0.0.1:3128', 'loopback addresses', true],
  ['http://2130706433:3128', 'loopback addresses', false],
  ['http://169.254.169.254', 'link-local addresses', true],
  ['http://0.0.0.0:3128', 'addresses without a network', true],
  ['http://[::1]:3128', 'loopback addresses', false],
  ['http://[fe80::1]:3128', 'link-local addresses', false],
  ['http://[::ffff:127.0.0.1]:3128', 'the IPv4 address 127.0.0.1', false],
];
const accepted = [
  'http://proxy.example:3128',
  'http://proxy.example',
  'https://proxy.example:8443/',
  'HTTP://Proxy.Example:3128',
  'http://10.1.2.3:3128',
  'http://[2001:db8::1]:3128',
];

describe('the address of a proxy', () => {
  it.each(refused)('the address %s is refused: %s', (endpoint, words, editor) => {
    const { faults } = validateManifest(through(endpoint), { readObjects });
    expect(faults).toMatchObject([
      { path: 'spec.kubernetes.clusters[0].installationProxy.endpoint', reason: expect.stringContaining(words) },
    ]);
    expect(fits(through(endpoint))).toBe(!editor);
    expect(JSON.stringify(faults)).not.toContain('ann:word');
    expect(() => parseConfig({ KUBELOOM_INSTALLATION_PROXY: endpoint })).toThrow(/KUBELOOM_INSTALLATION_PROXY: /);
  });

  it.each(accepted)('the address %s is accepted in manifests, by editors and as a setting', (endpoint) => {
    expect(validateManifest(through(endpoint), { readObjects }).faults).toEqual([]);
    expect(fits(through(endpoint))).toBe(true);
    expect(() => parseConfig({ KUBELOOM_INSTALLATION_PROXY: endpoint })).not.toThrow(/KUBELOOM_INSTALLATION_PROXY/);
  });

  it('a stored manifest of an earlier release is read with the address that it has', () => {
    const read = manifestOfDocument(through('proxy.example:3128'));
    expect(read).toMatchObject({
      manifest: { spec: { kubernetes: { clusters: [{ installationProxy: { endpoint: 'proxy.example:3128' } }] } } },
    });
  });
});

/**
 * apt reads `Acquire::http::Proxy "…";` (apt-pkg/contrib/configuration.cc ends the value at `"`), splits it as a URI, and refuses every
 * scheme but http, https and socks5h (methods/http.cc: "Unsupported proxy configured: %s://%s"). Without `://`, a URI has what is before `:` as its scheme.
 */
function aptTakes(value: string): boolean {
  if (/["\\\n;\s]/.test(value)) return false;
  const scheme = /^([^:]*):/.exec(value)?.[1]?.toLowerCase();
  return (scheme === 'http' || scheme === 'https') && value.slice(scheme.length).startsWith('://');
}

/** systemd.exec, EnvironmentFile=: a value in double quotes ends at `"`; `\` escapes, `$` and backquotes have to be escaped in shells that read the file. */
const environmentTakes = (value: string): boolean => !/["\\$`\n]/.test(value);

/** Go's net/http, which kubelet and containerd use: `http.ProxyFromEnvironment` parses it as a URL with host. */
function goTakes(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, host, username } = new URL(value);
  return ['http:', 'https:'].includes(protocol) && host !== '' && username === '';
}

it('every address that is accepted is read by apt, systemd and the programs of Go', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'http://proxy.example:3128[]@"\\$;` -_%#?\n') }),
    fc.webAuthority({ withPort: true, withIPv4: true, withIPv6: true }).map((authority) => `http://${authority}`),
    fc.webUrl(),
  );
  let taken = 0;
  fc.assert(
    fc.property(text, (value) => {
      if (!ProxyEndpoint.safeParse(value).success) return;
      taken += 1;
      expect([value, aptTakes(value), environmentTakes(value), goTakes(value)]).toEqual([value, true, true, true]);
    }),
    { numRuns: propertyRuns(1000) },
  );
  expect(taken).toBeGreaterThan(5);
});
