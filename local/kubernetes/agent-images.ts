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
const nodeName = `library/node:${process.version}-of-this-machine`;
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
  readonly program: string;
  /** Where its pod has it. */
  readonly place: string;
}

/** Adds to the layout in `directory` what it does not have of them. Registries that run already do not read it again. */
export async function addAgentImages(directory: string, autoscaler: string | undefined): Promise<void> {
  const index: { manifests: { annotations: Record<string, string> }[] } = JSON.parse(
    await readFile(join(directory, 'index.json'), 'utf8'),
  );
  const known = new Set(index.manifests.map(({ annotations }) => annotations['org.opencontainers.image.ref.name']));
  const wanted = [
    { name: nodeName, program: process.execPath, place: 'usr/local/bin/node' },
    ...(autoscaler === undefined ? [] : autoscalerImages(autoscaler)),
  ];
  for (const image of wanted) if (!known.has(image.name)) await addProgram(directory, image);
}

function autoscalerImages(program: string): readonly ProgramImage[] {
  const names = new Set(kubernetesVersions.map(({ version }) => autoscalerImage(version)));
  return [...names].map((image) => ({
    name: image.slice(image.indexOf('/') + 1),
    program,
    place: 'cluster-autoscaler',
  }));
}

/** With the libraries that it is linked with, at the paths that they have here. */
async function addProgram(directory: string, { name, program, place }: ProgramImage): Promise<void> {
  // In the file system of the layout: a layer is made of links.
  const work = await mkdtemp(join(directory, '..', 'image-'));
  try {
    const { stdout } = await run('ldd', [program]).catch(() => ({ stdout: '' }));
    const libraries = stdout.split('\n').flatMap((line) => /(\/lib\S{1,200}) \(/.exec(line)?.[1] ?? []);
    const files: Record<string, string> = {};
    for (const path of [program, ...libraries]) {
      const copy = join(work, `${Object.keys(files).length}`);
      await copyFile(path, copy);
      files[path === program ? place : path.slice(1)] = copy;
    }
    await makeImage(directory, work, { names: [name], files });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
