/**
 * Programs of official releases, by pinned version and checksum: where the internet answers they take the place of builds. Checksums are
 * those that the publishers print: of Kubernetes in its CHANGELOG, of the others next to their releases. Others are built in any case.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { cniPluginsVersion, criToolsVersion, kubernetesVersions } from '../parts.ts';

const run = promisify(execFile);

export interface OfficialRelease {
  /** Directories of its programs, and which go there. */
  readonly parts: Readonly<Record<string, readonly string[]>>;
  readonly url: string;
  /** `sha256:…` or `sha512:…` of the archive. */
  readonly checksum: string;
}

const ofKubernetes: Readonly<Record<string, string>> = {
  '1.33.4':
    'sha512:dc91e00247992e242bd88f7d694f1d090b84211c8440674d14ff37694dfd8241faad4e4f4762e16f9144e337863b4ac388d27cc7597d3b327640f82a4c949823',
  '1.34.3':
    'sha512:6dacc62cf3def4873c680bd308fa88eb0ee857e4ca4e19723921172f7e6d4f7f774ea7742d59fa051807856896affb4fe86e55fc2612e2c3f729e5e10cde3200',
  '1.34.4':
    'sha512:65c75e81e3ea488f6d42b493cad64d7577ddfa1e5372037a1c841ac069039997d359b5b2f2d44e7665bf04c48ed0065cf9d4c9801b1e63bb6a1b099ef00d4863',
};
const ofEtcd: Readonly<Record<string, string>> = {
  '3.5.21': 'sha256:adddda4b06718e68671ffabff2f8cee48488ba61ad82900e639d108f2148501c',
  '3.6.5': 'sha256:66bad39ed920f6fc15fd74adcb8bfd38ba9a6412f8c7852d09eb11670e88cac3',
};
const ofCniPlugins: Readonly<Record<string, string>> = {
  '1.7.1': 'sha256:1a28a0506bfe5bcdc981caf1a49eeab7e72da8321f1119b7be85f22621013098',
};
const ofCriTools: Readonly<Record<string, string>> = {
  '1.34.0': 'sha256:a8ff2a3edb37a98daf3aba7c3b284fe0aa5bff24166d896ab9ef64c8913c9f51',
};

/** Checksum from the table of versions; undefined if the table has none for this version. */
export function officialReleases(): readonly OfficialRelease[] {
  const github = 'https://github.com';
  const known = (checksum: string | undefined, url: string, parts: OfficialRelease['parts']) =>
    checksum === undefined ? [] : [{ parts, url, checksum }];
  const newestEtcd = Object.keys(ofEtcd).at(-1);
  return [
    ...kubernetesVersions.flatMap(({ version }) =>
      known(ofKubernetes[version], `https://dl.k8s.io/v${version}/kubernetes-server-linux-amd64.tar.gz`, {
        [`kubernetes-${version}`]: [
          ...['kubeadm', 'kubelet', 'kubectl', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
          'kube-proxy',
        ],
      }),
    ),
    ...Object.entries(ofEtcd).flatMap(([version, checksum]) =>
      known(checksum, `${github}/etcd-io/etcd/releases/download/v${version}/etcd-v${version}-linux-amd64.tar.gz`, {
        [`etcd-${version}`]: ['etcd'],
        ...(version === newestEtcd ? { etcdctl: ['etcdctl'] } : {}),
      }),
    ),
    ...known(
      ofCniPlugins[cniPluginsVersion],
      `${github}/containernetworking/plugins/releases/download/v${cniPluginsVersion}/cni-plugins-linux-amd64-v${cniPluginsVersion}.tgz`,
      { 'cni-plugins': ['bridge', 'host-local', 'loopback', 'portmap'] },
    ),
    ...known(
      ofCriTools[criToolsVersion],
      `${github}/kubernetes-sigs/cri-tools/releases/download/v${criToolsVersion}/crictl-v${criToolsVersion}-linux-amd64.tar.gz`,
      { crictl: ['crictl'] },
    ),
  ];
}

export interface Available extends OfficialRelease {
  /** Address of the archive. */
  readonly bytes: number;
}

/** Those whose programs are not all in `programs`, and whose server answers within five seconds. */
export async function availableReleases(
  releases: readonly OfficialRelease[],
  programs: string,
): Promise<readonly Available[]> {
  const asked = releases.filter((release) => !isThere(release, programs));
  const found = await Promise.all(
    asked.map(async (release): Promise<readonly Available[]> => {
      const answer = await fetch(release.url, { method: 'HEAD', signal: AbortSignal.timeout(5000) }).catch(() => null);
      return answer?.ok ? [{ ...release, bytes: Number(answer.headers.get('content-length') ?? 0) }] : [];
    }),
  );
  return found.flat();
}

const isThere = ({ parts }: OfficialRelease, programs: string): boolean =>
  Object.entries(parts).every(([part, names]) => names.every((name) => existsSync(join(programs, part, name))));

/** Puts its programs where built ones would be. Throws and leaves nothing if the archive has another checksum or cannot be fetched. */
export async function fetchRelease(release: OfficialRelease, programs: string, work: string): Promise<void> {
  await rm(work, { recursive: true, force: true });
  await mkdir(join(work, 'programs'), { recursive: true });
  try {
    const archive = join(work, 'archive.tar.gz');
    await download(release, archive);
    const names = Object.values(release.parts).flat();
    const flat = ['--no-anchored', '--transform', 's,.*/,,'];
    await run('tar', ['-xzf', archive, '-C', join(work, 'programs'), '--no-same-owner', ...flat, ...names]);
    for (const [part, own] of Object.entries(release.parts)) {
      await mkdir(join(programs, part), { recursive: true });
      for (const name of own) await rename(join(work, 'programs', name), join(programs, part, name));
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function download({ url, checksum }: OfficialRelease, file: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok || answer.body === null) throw new Error(`${url} answers ${answer.status}`);
  const [algorithm = ''] = checksum.split(':');
  const hash = createHash(algorithm);
  const noted = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(answer.body, noted, createWriteStream(file));
  const found = `${algorithm}:${hash.digest('hex')}`;
  if (found !== checksum) throw new Error(`${url} has the checksum ${found}, not ${checksum}`);
}
