/** The images of the runners, built from what Docker would be sent, with stand-ins for what cannot be fetched. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunnerTool } from '#functions/rights/runner-rights.ts';
import { copyContext } from '#test/cdk/image-context.ts';
import { pinnedVersions } from '../../../scripts/provider-schemas/pinned.ts';
import { Buildah } from './buildah.ts';

import { type StandInRegistry, startRegistry } from './stand-in-registry.ts';
import { fillStandIns, mountPoint, nodeImage, standInKubeone, terraformImage } from './stand-ins.ts';

/** Layers stay here, so that a second run builds what changed. */
export const imagesDirectory = fileURLToPath(new URL('../../../.kubeloom/conformance/images', import.meta.url));
const templates = fileURLToPath(new URL('../../../templates/terraform', import.meta.url));

/** The plugin of this stands in for all: it hands Terraform on to a process of the test that serves the schema of the real one. */
export const source = 'hetznercloud/hcloud';
export const socketVariable = 'KUBELOOM_PLUGIN_SOCKET';
const pluginProgram = `#!/bin/sh\necho "1|6|unix|$${socketVariable}|grpc"\nexec sleep 600\n`;

export interface BuiltImages {
  readonly buildah: Buildah;
  readonly registry: StandInRegistry;
  /** Name of an image. Builds it first. */
  image(tool: RunnerTool): Promise<string>;
  close(): Promise<void>;
}

export async function prepareImages(host: string): Promise<BuiltImages> {
  mkdirSync(imagesDirectory, { recursive: true });
  const buildah = new Buildah(imagesDirectory);
  // Containers of an interrupted run; builds leave some, too.
  await buildah.must('rm', '--all');
  const context = mkdtempSync(join(tmpdir(), 'kubeloom-context-'));
  const directory = mkdtempSync(join(tmpdir(), 'kubeloom-stand-ins-'));
  chmodSync(directory, 0o755);
  copyContext(context);
  const plugin = { source, version: pinnedVersions(templates).get(source) ?? '', program: pluginProgram };
  const platform = `linux_${process.arch === 'arm64' ? 'arm64' : 'amd64'}`;
  const registry = await startRegistry(host, { ...plugin, platform }, join(directory, 'served'));
  writeFileSync(join(directory, 'terraform.rc'), registry.configuration);
  const locations = fillStandIns(directory, context, {
    kubeone: process.env.KUBELOOM_KUBEONE ?? standInKubeone(directory),
    urlOf: (file) => `${registry.url}/${file}`,
  });
  const bases = {
    NODE_IMAGE: await nodeImage(buildah, imagesDirectory),
    TERRAFORM_IMAGE: await terraformImage(buildah),
  };
  return {
    buildah,
    registry,
    async image(tool) {
      const name = `localhost/kubeloom-${tool}:test`;
      const settings = Object.entries({ ...bases, ...locations, PROVIDER_TYPES: 'hetzner' });
      await buildah.must(
        ...['build', '--isolation', 'chroot', '--layers', '--pull-never', '--quiet', '--target', tool, '--tag', name],
        ...settings.flatMap(([argument, value]) => ['--build-arg', `${argument}=${value}`]),
        ...['--volume', `${directory}:${mountPoint}:ro`, '--file', join(context, 'runner-images/Dockerfile'), context],
      );
      return name;
    },
    async close() {
      await buildah.try('rm', '--all');
      await registry.close();
      for (const one of [context, directory]) rmSync(one, { recursive: true, force: true });
    },
  };
}
