/** The parts of real Kubernetes: what is written for Go, and whether the table of versions fits together. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isSupportedVersion } from '#domain/kubernetes-versions.ts';
import { kubernetesKind } from '#local/kubernetes/available.ts';
import { goModOf, toolchainOf } from '#local/kubernetes/build/go-module.ts';
import { flannelVersion, goParts, kubernetesVersions, partOf } from '#local/kubernetes/parts.ts';

const newest = kubernetesVersions.at(-1)?.version ?? '';

test('every Kubernetes version of local hosts is one that Kubeloom supports', () => {
  for (const { version } of kubernetesVersions) expect(isSupportedVersion(version), version).toBe(true);
});

test('every image of a Kubernetes version has a part that builds its program', () => {
  const names = goParts.map(({ name }) => name);
  for (const { version, etcd, coredns } of kubernetesVersions)
    expect(names).toEqual(
      expect.arrayContaining([`kubernetes-${version}`, partOf.etcd(etcd), partOf.coredns(coredns)]),
    );
});

test('the network of local hosts has the flannel of the table', () => {
  const file = join(import.meta.dirname, '../../templates/addons/local-network/cni-cilium/network.yaml');
  const text = readFileSync(file, 'utf8');
  expect([...new Set(text.match(/kubeloom\/flannel:v[\d.]+/g))]).toEqual([`kubeloom/flannel:v${flannelVersion}`]);
});

test('kubeadm before 1.34 is built with the Go of its release, all others with the one of the machine', () => {
  const older = goParts.flatMap(({ version, programs }) =>
    Object.keys(programs).flatMap((program) => toolchainOf(program, version) ?? []),
  );
  expect(older).toEqual(['go1.24.5']);
});

test('a go.mod for Kubernetes names its staging modules by their published version, and other modules as Kubernetes does', () => {
  const part = goParts.find(({ name }) => name === `kubernetes-${newest}`);
  if (part === undefined) throw new Error('there is no such part');
  const own = [
    'module k8s.io/kubernetes',
    'go 1.24.0',
    'godebug default=go1.24',
    'require (',
    '\tk8s.io/api v0.0.0',
    '\tk8s.io/utils v0.0.0-20250604170112-4c0f3b243397',
    ')',
    'replace (',
    '\tk8s.io/api => ./staging/src/k8s.io/api',
    '\tgithub.com/a/b => github.com/c/b v1.2.3',
    ')',
    '',
  ].join('\n');
  expect(goModOf(part, own).split('\n')).toEqual([
    'module kubeloom.local/build',
    'go 1.24.0',
    `require k8s.io/kubernetes v${newest}`,
    'replace github.com/a/b => github.com/c/b v1.2.3',
    'godebug default=go1.24',
    `replace k8s.io/api => k8s.io/api v0.${newest.slice(2)}`,
    '',
  ]);
});

test('real Kubernetes that was asked for and is not there is refused with the command that makes it', () => {
  const before = process.env.KUBELOOM_CACHE_DIR;
  process.env.KUBELOOM_CACHE_DIR = mkdtempSync(join(tmpdir(), 'kubeloom-parts-'));
  try {
    expect(kubernetesKind(undefined)).toBe('simulated');
    expect(() => kubernetesKind('real')).toThrow(/npm run kubernetes:build/);
    expect(() => kubernetesKind('true')).toThrow('Kubernetes is "true": write real or simulated');
  } finally {
    rmSync(process.env.KUBELOOM_CACHE_DIR, { recursive: true });
    if (before === undefined) delete process.env.KUBELOOM_CACHE_DIR;
    else process.env.KUBELOOM_CACHE_DIR = before;
  }
});

test('the registry of a host serves manifests by tag and by digest, and refuses what it does not have', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-layout-'));
  const program = join(import.meta.dirname, '../../local/kubernetes/host/registry.ts');
  const port = 20_000 + (process.pid % 20_000);
  const { spawn } = await import('node:child_process');
  const { makeImage } = await import('#local/kubernetes/build/images.ts');
  writeFileSync(join(directory, 'program'), 'the program');
  await makeImage(join(directory, 'layout'), join(directory, 'work'), {
    names: ['pause:3.10'],
    files: { pause: join(directory, 'program') },
  });
  const server = spawn(process.execPath, [program, join(directory, 'layout'), String(port)], { stdio: 'ignore' });
  try {
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    await expect
      .poll(
        () =>
          ask('/v2/').then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 20_000 },
      )
      .toBe(200);
    const tagged = await ask('/v2/pause/manifests/3.10');
    const digest = tagged.headers.get('docker-content-digest') ?? '';
    const manifest = (await tagged.json()) as { layers: { digest: string }[] };
    expect(await (await ask(`/v2/pause/manifests/${digest}`)).json()).toEqual(manifest);
    const layer = Buffer.from(await (await ask(`/v2/pause/blobs/${manifest.layers[0]?.digest}`)).arrayBuffer());
    writeFileSync(join(directory, 'layer.tar'), layer);
    expect(execFileSync('tar', ['-xOf', join(directory, 'layer.tar'), './pause'], { encoding: 'utf8' })).toBe(
      'the program',
    );
    expect((await ask('/v2/pause/manifests/4')).status).toBe(404);
    expect((await ask('/v2/pause/blobs/..%2f..%2findex.json')).status).toBe(404);
    expect(readdirSync(join(directory, 'layout'))).toContain('oci-layout');
    expect(readFileSync(join(directory, 'layout', 'index.json'), 'utf8')).toContain('"pause:3.10"');
  } finally {
    server.kill();
    rmSync(directory, { recursive: true });
  }
});
