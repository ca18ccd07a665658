/**
 * What the images are made of and cannot be fetched here: the two base images, and what the build downloads. Each is a stand-in with
 * this machine's own programs; everything else (packages of Debian and npm, every RUN and COPY) is the real thing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Buildah, run } from './buildah.ts';

/** Where the directory of stand-ins is mounted while images are made; no image has it. */
export const mountPoint = '/srv/stand-ins';
const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
const sumOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const programHere = (name: string): string =>
  realpathSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim());

/** Debian 12 as its own packages make it, the Node that the project has, this machine's npm, and the user `node`: node:24-bookworm-slim. */
export async function nodeImage(buildah: Buildah, directory: string): Promise<string> {
  const name = `localhost/node-stand-in:${process.versions.node}`;
  if (await has(buildah, name)) return name;
  const archive = join(directory, 'debian.tar');
  if (!existsSync(archive)) {
    const part = `${archive}.part.tar`;
    const made = await run('mmdebstrap', ['--variant=minbase', '--quiet', 'bookworm', part]);
    if (made.code !== 0) throw new Error(`mmdebstrap: ${made.stderr}`);
    await run('mv', [part, archive]);
  }
  const container = await buildah.must('from', 'scratch');
  await buildah.must('add', container, archive, '/');
  await buildah.must('copy', container, realpathSync(process.execPath), '/usr/local/bin/node');
  await buildah.must('copy', container, dirname(dirname(programHere('npm'))), '/usr/local/lib/node_modules/npm');
  const steps = [
    'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
    'chmod 755 /usr/local/bin/node',
    'groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node',
  ];
  await buildah.must('run', '--isolation', 'chroot', container, '--', 'sh', '-ec', steps.join('\n'));
  const settings = {
    PATH: `${mountPoint}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    // Both name nothing once the image is made, and are ignored then.
    TF_CLI_CONFIG_FILE: `${mountPoint}/terraform.rc`,
    NODE_EXTRA_CA_CERTS: `${mountPoint}/ca-certificates.crt`,
  };
  for (const [variable, value] of Object.entries(settings))
    await buildah.must('config', '--env', `${variable}=${value}`, container);
  await buildah.must('commit', '--quiet', '--rm', container, name);
  return name;
}

/** If an image were rebuilt, all of its layers would be rebuilt. */
async function has(buildah: Buildah, image: string): Promise<boolean> {
  return (await buildah.try('inspect', '--type', 'image', image)).code === 0;
}

/** hashicorp/terraform with this machine's Terraform. */
export async function terraformImage(buildah: Buildah): Promise<string> {
  const name = `localhost/terraform-stand-in:${sumOf(programHere('terraform')).slice(0, 12)}`;
  if (await has(buildah, name)) return name;
  const container = await buildah.must('from', 'scratch');
  await buildah.must('copy', container, programHere('terraform'), '/bin/terraform');
  await buildah.must('commit', '--quiet', '--rm', container, name);
  return name;
}

/** Fills the directory that is mounted, and changes the table of documents in the context; returns the arguments of the build. */
export function fillStandIns(
  directory: string,
  context: string,
  { kubeone, urlOf }: { readonly kubeone: string; readonly urlOf: (file: string) => string },
): Readonly<Record<string, string>> {
  const served = join(directory, 'served');
  for (const folder of ['bin', 'served']) mkdirSync(join(directory, folder), { recursive: true });
  copyFileSync('/etc/ssl/certs/ca-certificates.crt', join(directory, 'ca-certificates.crt'));
  const lines = [
    '#!/bin/sh',
    '# Stands in for the network: serves `--remote-name URL` by the last part of the URL.',
    'for word in "$@"; do case $word in',
    `  https://*) cp "${mountPoint}/served/\${word##*/}" . || { echo "no stand-in for $word" >&2; exit 22; };;`,
    'esac; done',
  ];
  writeFileSync(join(directory, 'bin', 'curl'), `${lines.join('\n')}\n`);
  chmodSync(join(directory, 'bin', 'curl'), 0o755);
  copyFileSync(programHere('kubectl'), join(served, 'kubectl'));
  const dockerfile = readFileSync(join(context, 'runner-images/Dockerfile'), 'utf8');
  const releases = /^ARG KUBEONE_RELEASES="(.+)"$/m.exec(dockerfile)?.[1]?.split(' ') ?? [];
  for (const release of releases) {
    const archive = `kubeone_${release}_linux_${architecture}.zip`;
    copyFileSync(kubeone, join(served, 'kubeone'));
    execFileSync('zip', ['-q', '-j', join(served, archive), join(served, 'kubeone')]);
    writeFileSync(join(served, `kubeone_${release}_checksums.txt`), `${sumOf(join(served, archive))}  ${archive}\n`);
  }
  standInDocuments(context, served, urlOf);
  return {
    [`KUBECTL_SHA256_${architecture.toUpperCase()}`]: sumOf(join(served, 'kubectl')),
    TARGETARCH: architecture,
  };
}

/** The table of upstream files names a server of this machine, and the sums of what it has. */
function standInDocuments(context: string, served: string, urlOf: (file: string) => string): void {
  const table = join(context, 'templates/kubernetes/upstream.json');
  const rows = JSON.parse(readFileSync(table, 'utf8')) as Record<string, { file: string; url: string; sha256: string }>;
  for (const row of Object.values(rows)) {
    writeFileSync(join(served, row.file), `# stands in for ${row.url}\n`);
    Object.assign(row, { url: urlOf(row.file), sha256: sumOf(join(served, row.file)) });
  }
  writeFileSync(table, JSON.stringify(rows, null, 2));
}

/** In place of KubeOne: it only says what it is. */
export function standInKubeone(directory: string): string {
  const file = join(directory, 'kubeone-stand-in');
  writeFileSync(file, '#!/bin/sh\necho \'{"kubeone": {"gitVersion": "stand-in"}}\'\n', { mode: 0o755 });
  return file;
}
