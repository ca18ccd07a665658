/** Terraform's own configuration for one workspace: what the image mirrors is taken from there, and no registry is asked for it. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../../exists.ts';
import type { RunnerConfig } from '../../runner-config.ts';
import { type PinnedProvider, writePluginLock } from './plugin-lock.ts';

type TerraformSettings = Pick<RunnerConfig, 'terraformConfiguration' | 'providerMirror'>;

/**
 * `TF_CLI_CONFIG_FILE` for a workspace that needs these plugins; the file is written into `directory`. A file that the user
 * named is kept when it exists; naming one that does not exist would stop Terraform.
 */
export async function configurationFile(
  directory: string,
  required: readonly PinnedProvider[],
  { terraformConfiguration: named, providerMirror: mirror }: TerraformSettings,
): Promise<Readonly<Record<string, string>>> {
  if (named !== undefined && (await exists(named))) return {};
  if (named === undefined && mirror === undefined) return {};
  if (mirror !== undefined) await writePluginLock(directory, mirror, required);
  const file = join(directory, 'terraform.rc');
  await writeFile(file, mirror === undefined ? '' : await installationFrom(mirror, required));
  return { TF_CLI_CONFIG_FILE: file };
}

/**
 * Terraform asks every method that may have a plugin for its versions, also when the mirror has the right one. So a plugin
 * is excluded from its registry exactly where the mirror has it; other versions, which templates of users may pin, are not.
 */
async function installationFrom(mirror: string, required: readonly PinnedProvider[]): Promise<string> {
  const hosts = await readdir(mirror).catch(() => []);
  const isMirrored = async ({ source, version }: PinnedProvider): Promise<boolean> => {
    const places = source.split('/').length > 2 ? [source] : hosts.map((host) => join(host, source));
    const found = await Promise.all(places.map((place) => exists(join(mirror, place, version))));
    return found.includes(true);
  };
  const mirrored = await Promise.all(required.map(async (one) => ((await isMirrored(one)) ? [one.source] : [])));
  return [
    'provider_installation {',
    `  filesystem_mirror {\n    path = ${JSON.stringify(mirror)}\n  }`,
    `  direct {\n    exclude = ${JSON.stringify(mirrored.flat())}\n  }`,
    '}\n',
  ].join('\n');
}
