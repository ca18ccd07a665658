/** What is fetched from elsewhere than npm: programs, plugins of Terraform, Go modules, packages of Python and Debian, documents. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goParts } from '#local/kubernetes/parts.ts';
import { officialReleases } from '../../local/kubernetes/build/official-programs.ts';
import requirements from '../../requirements.json' with { type: 'json' };
import pluginSums from '../../runner-images/terraform/plugin-sums.json' with { type: 'json' };
import upstream from '../../templates/kubernetes/upstream.json' with { type: 'json' };
import { templatesOf } from '../provider-schemas/sources.ts';
import type { BomComponent, Hash } from './bom.ts';
import type { Dockerfile } from './dockerfile.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sha256 = (content: string): Hash => ({ alg: 'SHA-256', content });
const read = (path: string): string => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '');

/** A file at an address; purl of the type `generic`. */
function download(name: string, version: string, url: string, hashes: readonly Hash[]): BomComponent {
  const sums = hashes.map(({ alg, content }) => `${alg.replace('-', '').toLowerCase()}:${content}`).join(',');
  const query = `download_url=${encodeURIComponent(url)}${sums ? `&checksum=${sums}` : ''}`;
  const distribution = { type: 'distribution', url, ...(hashes.length > 0 ? { hashes } : {}) };
  return {
    type: 'application',
    name,
    version,
    purl: `pkg:generic/${name}@${version}?${query}`,
    externalReferences: [distribution],
  };
}

/** Programs that the set-up of a machine downloads (requirements.json), one component for each processor. */
export function setupDownloads(): readonly BomComponent[] {
  return Object.entries(requirements.downloads).flatMap(([name, { version, url, sha256: sums }]) =>
    Object.entries(sums).map(([arch, sum]) =>
      download(name, version, url.replaceAll('{version}', version).replaceAll('{arch}', arch), [sha256(sum)]),
    ),
  );
}

/** kubectl of the images, for each processor. */
export function kubectlPrograms({ argument }: Dockerfile): readonly BomComponent[] {
  const version = argument('KUBECTL_VERSION');
  return ['arm64', 'amd64'].map((arch) =>
    download('kubectl', version, `https://dl.k8s.io/release/v${version}/bin/linux/${arch}/kubectl`, [
      sha256(argument(`KUBECTL_SHA256_${arch.toUpperCase()}`)),
    ]),
  );
}

/** KubeOne of the images; sums from runner-images/kubeone/SHA256SUMS. */
export function kubeonePrograms({ argument }: Dockerfile): readonly BomComponent[] {
  const sums = new Map(
    [...read('runner-images/kubeone/SHA256SUMS').matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)].map(([, sum = '', file]) => [
      file,
      sum,
    ]),
  );
  return argument('KUBEONE_RELEASES')
    .split(' ')
    .flatMap((release) =>
      ['arm64', 'amd64'].map((arch) => {
        const file = `kubeone_${release}_linux_${arch}.zip`;
        const sum = sums.get(file);
        const url = `https://github.com/kubermatic/kubeone/releases/download/v${release}/${file}`;
        return download('kubeone', release, url, sum === undefined ? [] : [sha256(sum)]);
      }),
    );
}

/** Files of others that the nodes stage applies to clusters. */
export function upstreamDocuments(): readonly BomComponent[] {
  return Object.entries(upstream).map(([name, { version, url, sha256: sum }]) => ({
    ...download(name, version, url, [sha256(sum)]),
    type: 'file',
  }));
}

/** Plugins that the provider types pin. The repository is where Terraform's registry asks for it: `terraform-provider-NAME` of the namespace. */
export function terraformPlugins(): readonly BomComponent[] {
  return templatesOf(join(root, 'templates/terraform')).flatMap(([, { provider, alsoRequired }]) =>
    [...(provider === undefined ? [] : [provider]), ...Object.values(alsoRequired)].map(
      ({ source, version }): BomComponent => {
        const [namespace, name] = source.split('/').slice(-2);
        return {
          type: 'library',
          name: source,
          version,
          purl: `pkg:github/${namespace}/terraform-provider-${name}@v${version}`,
          ...archivesOf(source, version),
        };
      },
    ),
  );
}

/** Sums of the archives of a plugin, one for each processor, where they were committed. */
function archivesOf(source: string, version: string): Pick<BomComponent, 'externalReferences'> {
  const known = Object.entries(pluginSums).find(([plugin, row]) => plugin === source && row.version === version);
  if (known === undefined) return {};
  const [namespace, name] = source.split('/').slice(-2);
  const base = `https://github.com/${namespace}/terraform-provider-${name}/releases/download/v${version}`;
  const externalReferences = Object.entries(known[1].sha256).map(([platform, sum]) => ({
    type: 'distribution',
    url: `${base}/terraform-provider-${name}_${version}_${platform}.zip`,
    hashes: [sha256(sum)],
  }));
  return { externalReferences };
}

/** Modules that `npm run kubernetes:build` builds: Go's checksum database vouches for them and for all that they require. */
export function goModules(): readonly BomComponent[] {
  return goParts.map(({ module, version }) => ({
    type: 'library',
    name: module,
    version,
    purl: `pkg:golang/${module}@${version}`,
    scope: 'optional',
  }));
}

/** Official releases that take the place of builds where they can be reached. */
export function kubernetesReleases(): readonly BomComponent[] {
  return officialReleases().map(({ url, checksum }) => {
    const [alg, content = ''] = checksum.split(':');
    const file = url.slice(url.lastIndexOf('/') + 1);
    const version = /v?(\d+\.\d+\.\d+)/.exec(url)?.[1] ?? '';
    const hash: Hash = { alg: alg === 'sha512' ? 'SHA-512' : 'SHA-256', content };
    return {
      ...download(file.replace(/[-_]?v?\d.*$/, '').replace(/\.(tar\.gz|tgz)$/, ''), version, url, [hash]),
      scope: 'optional',
    };
  });
}

/** Packages of a list that pip reads: `name==version`, with `--hash=sha256:…` where they are locked. */
export function pythonPackages(list: string): readonly BomComponent[] {
  return [
    ...read(list)
      .replaceAll(/\\\n\s*/g, ' ')
      .matchAll(/^([\w.-]+)(?:\[[\w,-]+\])?==(\S+)(.*)$/gm),
  ].map(([, name = '', version = '', rest = '']) => {
    const hashes = [...rest.matchAll(/--hash=sha256:([0-9a-f]{64})/g)].map(([, sum = '']) => sum);
    const reference = {
      type: 'distribution',
      url: `pkg:pypi/${normalized(name)}@${version}`,
      hashes: hashes.map(sha256),
    };
    return {
      type: 'library',
      name: normalized(name),
      version,
      purl: `pkg:pypi/${normalized(name)}@${version}`,
      ...(hashes.length > 0 ? { externalReferences: [reference] } : {}),
    };
  });
}

/** Lists of locked packages of Python that the image of Ansible installs. */
export function ansibleLists(): readonly string[] {
  return globSync('runner-images/ansible/*.txt', { cwd: root }).sort();
}

/** Packages of Debian in an instruction `RUN apt-get install …` of an image. */
export function debianPackages(step: string): readonly BomComponent[] {
  const words = /apt-get install ([^&]*)/.exec(step)?.[1]?.trim().split(/\s+/) ?? [];
  return words
    .filter((word) => !word.startsWith('-'))
    .map((word) => debianPackage(...(word.split('=') as [string, string?])));
}

/** Packages that the set-up of a machine installs, unless it has them. */
export function setupPackages(): readonly BomComponent[] {
  return requirements.programs.map(
    ({ package: name }): BomComponent => ({ ...debianPackage(name), scope: 'optional' }),
  );
}

function debianPackage(name: string, constraint?: string): BomComponent {
  const value = constraint ?? 'the newest of Debian when it is installed; its archive is signed';
  return { type: 'library', name, purl: `pkg:deb/debian/${name}`, properties: [{ name: 'kubeloom:version', value }] };
}

function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}
