/**
 * What clusters on local hosts run for agents, in the registry of the hosts: Node, as it runs this platform, and the cluster-autoscaler where
 * this machine has its program (KUBELOOM_CLUSTER_AUTOSCALER, or on the PATH). Neither is built with the parts of Kubernetes.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { autoscalerImage } from '#domain/autoscaler-image.ts';
import { makeImage } from './build/images.ts';
import { kubernetesVersions } from './parts.ts';

const run = promisify(execFile);
const nodeName = `library/node:${process.version}-local`;
/** Any registry is the one of the hosts. */
export const agentImage = `docker.io/${nodeName}`;

/** The program of the cluster-autoscaler of this machine; undefined if it has none. */
export function autoscalerProgram(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const onPath = (env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'cluster-autoscaler'));
  return [env.KUBELOOM_CLUSTER_AUTOSCALER ?? '', ...onPath].find((path) => path !== '' && existsSync(path));
}

interface ProgramImage {
  /** Without registry. */
  readonly name: string;
  /** Where its pod has a program, and where it is here. */
  readonly programs: Readonly<Record<string, string>>;
}

/** Adds to the layout in `directory` what it does not have of them. Registries that run already do not read it again. */
export async function addAgentImages(directory: string, autoscaler: string | undefined): Promise<void> {
  const index: { manifests: { annotations: Record<string, string> }[] } = JSON.parse(
    await readFile(join(directory, 'index.json'), 'utf8'),
  );
  const known = new Set(index.manifests.map(({ annotations }) => annotations['org.opencontainers.image.ref.name']));
  const wanted = [
    // The readiness probe of what reads notices calls the second one.
    { name: nodeName, programs: { 'usr/local/bin/node': process.execPath, 'usr/bin/test': '/usr/bin/test' } },
    ...(autoscaler === undefined ? [] : autoscalerImages(autoscaler)),
  ];
  for (const image of wanted) if (!known.has(image.name)) await addProgram(directory, image);
}

function autoscalerImages(program: string): readonly ProgramImage[] {
  const names = new Set(kubernetesVersions.map(({ version }) => autoscalerImage(version)));
  return [...names].map((image) => ({
    name: image.slice(image.indexOf('/') + 1),
    programs: { 'cluster-autoscaler': program },
  }));
}

/** With the libraries that they are linked with, at the paths that they have here. */
async function addProgram(directory: string, { name, programs }: ProgramImage): Promise<void> {
  // In the file system of the layout: a layer is made of links.
  const work = await mkdtemp(join(directory, '..', 'image-'));
  try {
    const linked = (await Promise.all(Object.values(programs).map(librariesOf))).flat();
    const wanted = { ...programs, ...Object.fromEntries(linked.map((path) => [path.slice(1), path])) };
    const files: Record<string, string> = {};
    for (const [index, [place, path]] of Object.entries(wanted).entries()) {
      files[place] = join(work, String(index));
      await copyFile(path, join(work, String(index)));
    }
    await makeImage(directory, work, { names: [name], files });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** None of a program that is linked statically. */
async function librariesOf(program: string): Promise<readonly string[]> {
  const { stdout } = await run('ldd', [program]).catch(() => ({ stdout: '' }));
  return stdout.split('\n').flatMap((line) => /(\/lib\S{1,200}) \(/.exec(line)?.[1] ?? []);
}
