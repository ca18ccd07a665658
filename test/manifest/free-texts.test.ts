/** Texts of manifests that reach a tool, a file of a node or a terminal have a rule. */
import { describe, expect, it } from 'vitest';
import { InputManifest, InstallationProxy } from '#domain/manifest/schema/input-manifest.ts';
import { Annotations, Metadata } from '#domain/manifest/schema/names.ts';
import { openTexts } from '#test/observed/open-texts.ts';

const hostile = ['a\u001b[2J', 'a\u0000b', 'a\u202eb', 'a\u200bb', 'a\u2028b', 'a\u0085b', 'a\u0007'];

describe('free texts', () => {
  it.each(hostile)('an annotation or a label with %j is refused', (text) => {
    expect(Annotations.safeParse({ note: text }).success).toBe(false);
    for (const field of ['labels', 'annotations'])
      expect(Metadata.safeParse({ name: 'shop', [field]: { note: text } }).success).toBe(false);
  });

  it('an annotation has lines, tabs and words of any language', () => {
    expect(Annotations.safeParse({ note: 'ein\n\tzweites – Wörter 日本' }).success).toBe(true);
  });

  it.each([
    'a$(id)',
    '-oProxyCommand=id',
    'http://a"b:1',
    "http://a'b:1",
    'http://a:1\nb',
    'ftp://a:1',
    'http://a:1 b',
    '',
    'http://',
    ...hostile,
  ])('%j is not the endpoint of a proxy', (endpoint) => {
    expect(InstallationProxy.safeParse({ endpoint }).success).toBe(false);
  });

  it.each(['http://proxy.example.com:3128', 'https://10.0.0.1:8080/', 'proxy:3128', 'http://[fd00::1]:3128'])(
    '%j is the endpoint of a proxy',
    (endpoint) => {
      expect(InstallationProxy.safeParse({ endpoint }).success).toBe(true);
    },
  );

  it('a list without proxy has hosts, addresses, networks and suffixes only', () => {
    for (const noProxy of ['', 'a.example.com, .internal,10.0.0.0/8,fd00::/8,*.x'])
      expect(InstallationProxy.safeParse({ noProxy }).success).toBe(true);
    for (const noProxy of ['a\nAcquire::x', 'a"b', 'a;b', 'a$(id)', ...hostile])
      expect(InstallationProxy.safeParse({ noProxy }).success).toBe(false);
  });

  /** Without a pattern of its own, and why that is enough. */
  const others = {
    '.metadata.labels.key': 'harmless text, which Kubeloom ignores',
    '.metadata.labels.*': 'the same',
    '.metadata.annotations.key': 'the same',
    '.metadata.annotations.*': 'the same',
    '.spec.providers.*.secretRef.vault.keys.key': 'looked up among the fields of the provider type',
    '.spec.nodePools.dynamic.*.annotations.*': 'harmless text, sent to Kubernetes as JSON',
    '.spec.nodePools.dynamic.*.providerSpec.zone': 'one line, written as JSON for Terraform with its templates escaped',
    '.spec.nodePools.dynamic.*.providerSpec.externalNetworkName': 'the same',
    '.spec.nodePools.dynamic.*.properties.key': "judged by the provider type's own schema",
    '.spec.nodePools.dynamic.*.properties.*': 'the same',
    '.spec.nodePools.dynamic.*.repair.after': 'parsed as a time',
    '.spec.nodePools.dynamic.*.repair.startAfter': 'parsed as a time',
    '.spec.nodePools.dynamic.*.repair.maxUnhealthy': 'parsed as a number or a part',
    '.spec.nodePools.static.*.annotations.*': 'harmless text, sent to Kubernetes as JSON',
    '.spec.nodePools.static.*.nodes.*.secretRef.vault.keys.key': 'looked up among known fields',
    '.spec.kubernetes.clusters.*.registries.mirrors.*.registry': 'parsed as the host of a registry',
    '.spec.kubernetes.clusters.*.registries.mirrors.*.endpoints.*': 'parsed as a URL',
    '.spec.kubernetes.clusters.*.documents.*.inline': 'parsed as documents of Kubernetes',
    '.spec.driftChecks.interval': 'parsed as a time',
  };

  it('no other text of a manifest is without a pattern', () => {
    expect(openTexts(InputManifest)).toEqual(Object.keys(others));
  });
});
