/** The bills of materials of the clone and of each image. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import settings from '../../package.json' with { type: 'json' };
import { buildAgent, buildOperator, buildRunner } from '../../runner-images/bundle-runner.ts';
import { type Bom, type BomComponent, bomOf } from './bom.ts';
import { type Dockerfile, readDockerfile } from './dockerfile.ts';
import * as fetched from './fetched.ts';
import { type BundledPrograms, imageContents, imageTargets } from './images.ts';
import { type NpmPackages, npmPackages, packagesIn } from './npm-packages.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** By name of the file, without its ending. `timestamp`: seconds since 1970. @default none */
export async function everyBom(timestamp?: number): Promise<Readonly<Record<string, Bom>>> {
  const packages = npmPackages();
  const file = readDockerfile(readFileSync(join(root, 'runner-images/Dockerfile'), 'utf8'));
  const programs = await bundledPrograms(packages);
  const options = { dependencies: packages.dependencies, timestamp };
  const image = (target: string): readonly [string, Bom] => [
    `image-${target}`,
    bomOf(subject(`image-${target}`, 'container'), imageContents(file, target, programs), options),
  ];
  return {
    source: bomOf(subject('source', 'application'), sourceContents(file, packages), options),
    ...Object.fromEntries(imageTargets.map(image)),
  };
}

/** All that a clone fetches: to run, to test, to build packages, images and real Kubernetes. */
export function sourceContents(file: Dockerfile, { components }: NpmPackages): readonly BomComponent[] {
  return [
    ...components,
    ...fetched.goModules(),
    ...fetched.kubernetesReleases(),
    ...fetched.setupDownloads(),
    ...fetched.setupPackages(),
    ...fetched.kubectlPrograms(file),
    ...fetched.kubeonePrograms(file),
    ...fetched.upstreamDocuments(),
    ...fetched.terraformPlugins(),
    ...fetched.ansibleLists().flatMap(fetched.pythonPackages),
    ...fetched.pythonPackages('test/conformance/requirements.txt'),
  ];
}

async function bundledPrograms(packages: NpmPackages): Promise<BundledPrograms> {
  const work = mkdtempSync(join(tmpdir(), 'kubeloom-sbom-'));
  try {
    const of = async (build: (file: string) => ReturnType<typeof buildRunner>) =>
      packagesIn(await build(join(work, 'bundle.mjs')), packages);
    return { runner: await of(buildRunner), agent: await of(buildAgent), operator: await of(buildOperator) };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function subject(name: string, type: 'application' | 'container'): BomComponent {
  const { version, license } = settings;
  const purl = `pkg:generic/kubeloom-${name}@${version}`;
  return { type, name: `kubeloom-${name}`, version, purl, licenses: [{ license: { id: license } }] };
}
