/** What each image of runner-images/Dockerfile contains: its base image, packages of Debian, programs, plugins, and what our own programs are bundled from. */
import type { BomComponent } from './bom.ts';
import { chainOf, type Dockerfile } from './dockerfile.ts';
import {
  ansibleLists,
  debianPackages,
  kubectlPrograms,
  kubeonePrograms,
  pythonPackages,
  terraformPlugins,
  upstreamDocuments,
} from './fetched.ts';

/** Packages that a program of ours is bundled from. */
export interface BundledPrograms {
  readonly runner: readonly BomComponent[];
  readonly agent: readonly BomComponent[];
  readonly operator: readonly BomComponent[];
}

/** The images that people run. */
export const imageTargets = ['terraform', 'ansible', 'kubeone', 'kubectl', 'drift', 'operator'] as const;

/** Throws for a stage that an image copies from and that has no row here: its contents would be missing. */
export function imageContents(file: Dockerfile, target: string, programs: BundledPrograms): readonly BomComponent[] {
  const stages = chainOf(file, target);
  const steps = stages.flatMap((stage) => stage.steps);
  const copies = steps.flatMap((step) => {
    const [, from = '', path = ''] = /^COPY --from=(\S+) (\S+)/.exec(step) ?? [];
    return from ? [{ from, path }] : [];
  });
  const locked = steps.some((step) => /\bpip\b/.test(step)) ? ansibleLists().flatMap(pythonPackages) : [];
  return [
    ...baseImage(stages.at(-1)?.from ?? ''),
    ...steps.flatMap(debianPackages),
    ...locked,
    ...copies.flatMap(({ from, path }) => copied(file, from, path, programs)),
  ];
}

function copied(file: Dockerfile, stage: string, path: string, programs: BundledPrograms): readonly BomComponent[] {
  switch (stage) {
    case 'providers':
      return terraformPlugins();
    case 'kubectl-program':
      return kubectlPrograms(file);
    case 'kubeone-programs':
      return kubeonePrograms(file);
    case 'documents':
      return upstreamDocuments();
    case 'terraform-program':
      return baseImage(file.argument('TERRAFORM_IMAGE'));
    case 'runner':
      return programs.runner;
    case 'bundle':
      return programs.agent;
    case 'bundle-operator':
      return programs.operator;
    default:
      throw new Error(
        `${path} is copied from the stage ${stage}, of which scripts/sbom/images.ts does not know the contents`,
      );
  }
}

/** `name:tag@sha256:…`. The digest is that of the list of all processors. */
function baseImage(reference: string): readonly BomComponent[] {
  const [, path = '', tag = '', digest = ''] = /^([^:@]+):([^@]+)@sha256:([0-9a-f]{64})$/.exec(reference) ?? [];
  if (digest === '') throw new Error(`${reference} is no image with a tag and a digest`);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const purl = `pkg:oci/${name}@sha256%3A${digest}?tag=${tag}`;
  return [{ type: 'container', name: path, version: tag, purl, hashes: [{ alg: 'SHA-256', content: digest }] }];
}
