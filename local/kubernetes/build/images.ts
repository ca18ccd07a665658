/** Container images made of built programs, as one OCI layout on disk: no engine, and every layer is an ordinary tar. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { chmod, link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { flannelVersion, kubernetesVersions, partOf } from '../parts.ts';

const run = promisify(execFile);

export interface Image {
  /** Names without registry: hosts take all registries for ours. */
  readonly names: readonly string[];
  /** Path in the image to the file that is copied there. */
  readonly files: Readonly<Record<string, string>>;
  /** The small Debian tree with iptables, nft, conntrack and ip goes below. */
  readonly debian?: true;
  readonly entrypoint?: readonly string[];
}

/** `programs`: directory with one subdirectory for each part. */
function imagesOf(programs: string): readonly Image[] {
  const images = kubernetesVersions.flatMap(({ version, etcd, coredns, pause }): Image[] => {
    const of = (name: string) => join(programs, `kubernetes-${version}`, name);
    return [
      ...['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map((name) => ({
        names: [`${name}:v${version}`],
        files: { [`usr/local/bin/${name}`]: of(name) },
        entrypoint: [`/usr/local/bin/${name}`],
      })),
      { names: [`kube-proxy:v${version}`], files: { 'usr/local/bin/kube-proxy': of('kube-proxy') }, debian: true },
      {
        names: [`etcd:${etcd}`],
        files: {
          'usr/local/bin/etcd': join(programs, partOf.etcd(etcd), 'etcd'),
          'usr/local/bin/etcdctl': join(programs, 'etcdctl', 'etcdctl'),
        },
        entrypoint: ['/usr/local/bin/etcd'],
      },
      {
        names: [`coredns/coredns:${coredns}`, `coredns:${coredns}`],
        files: { coredns: join(programs, partOf.coredns(coredns), 'coredns') },
        entrypoint: ['/coredns'],
      },
      { names: [`pause:${pause}`], files: { pause: join(programs, 'pause', 'pause') }, entrypoint: ['/pause'] },
    ];
  });
  const newest = kubernetesVersions.at(-1)?.version;
  return [
    ...new Map(images.map((image) => [image.names.join(), image])).values(),
    {
      names: [`kubeloom/flannel:v${flannelVersion}`],
      debian: true,
      files: { 'usr/local/bin/flanneld': join(programs, 'flannel', 'flanneld') },
    },
    {
      names: ['e2e-test-images/agnhost:2'],
      debian: true,
      entrypoint: ['/agnhost'],
      files: { agnhost: join(programs, `kubernetes-${newest}`, 'agnhost') },
    },
  ];
}

const layerType = 'application/vnd.oci.image.layer.v1.tar';

interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** Replaces the layout in `directory`, and returns the names in it. `debian`: a tar of a root file system. */
export async function makeImages(
  programs: string,
  debian: string,
  directory: string,
  work: string,
): Promise<readonly string[]> {
  await rm(directory, { recursive: true, force: true });
  const images = imagesOf(programs);
  await mkdir(join(directory, 'blobs', 'sha256'), { recursive: true });
  const base = await keep(directory, debian, layerType, true);
  for (const image of images) await makeImage(directory, work, image, image.debian ? [base] : []);
  return images.flatMap(({ names }) => names);
}

/** Adds one image to the layout. */
export async function makeImage(
  directory: string,
  work: string,
  image: Image,
  below: readonly Blob[] = [],
): Promise<void> {
  await mkdir(join(directory, 'blobs', 'sha256'), { recursive: true });
  const layers = [...below, await layerOf(directory, image, work)];
  const config = await keepJson(directory, 'application/vnd.oci.image.config.v1+json', {
    architecture: 'amd64',
    os: 'linux',
    config: {
      Env: ['PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin'],
      ...(image.entrypoint && { Entrypoint: image.entrypoint }),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
  });
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = await keepJson(directory, mediaType, { schemaVersion: 2, mediaType, config, layers });
  const file = join(directory, 'index.json');
  const index: { manifests: object[] } = existsSync(file)
    ? JSON.parse(await readFile(file, 'utf8'))
    : { manifests: [] };
  const named = image.names.map((name) => ({
    ...manifest,
    annotations: { 'org.opencontainers.image.ref.name': name },
  }));
  // At once: registries of hosts read it.
  await writeFile(`${file}.new`, JSON.stringify({ schemaVersion: 2, manifests: [...index.manifests, ...named] }));
  await rename(`${file}.new`, file);
  await writeFile(join(directory, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
}

/** The same files give the same bytes: owners, order and times do not depend on this machine. */
async function layerOf(directory: string, { files }: Image, work: string): Promise<Blob> {
  const tree = join(work, 'layer');
  const tar = `${tree}.tar`;
  await rm(tree, { recursive: true, force: true });
  await mkdir(join(tree, 'tmp'), { recursive: true });
  await chmod(join(tree, 'tmp'), 0o1777);
  for (const [path, source] of Object.entries(files)) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await link(source, join(tree, path));
  }
  const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--hard-dereference'];
  await run('tar', [...same, '-cf', tar, '-C', tree, '.']);
  await rm(tree, { recursive: true });
  return keep(directory, tar, layerType);
}

async function keep(directory: string, file: string, mediaType: string, shared = false): Promise<Blob> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const sum = hash.digest('hex');
  const { size } = await stat(file);
  await (shared ? link : rename)(file, join(directory, 'blobs', 'sha256', sum));
  return { mediaType, digest: `sha256:${sum}`, size };
}

async function keepJson(directory: string, mediaType: string, value: object): Promise<Blob> {
  const text = JSON.stringify(value);
  const sum = createHash('sha256').update(text).digest('hex');
  await writeFile(join(directory, 'blobs', 'sha256', sum), text);
  return { mediaType, digest: `sha256:${sum}`, size: Buffer.byteLength(text) };
}
