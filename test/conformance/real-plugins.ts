/** What tests with real provider plugins have in common: the plugin in a mirror, and whose machines they are. */
import { join } from 'node:path';
import type { ProviderCase } from '#test/providers/provider-cases.ts';
import { addToMirror } from '../../scripts/provider-schemas/from-plugin.ts';
import { buildPlugin } from '../../scripts/provider-schemas/plugins.ts';
import { type PluginBuild, schemaSources } from '../../scripts/provider-schemas/sources.ts';

/** In ms; the largest take an hour to build, the first time. */
export const buildTime = 3 * 3_600_000;

export const backend = { bucket: 'unused', region: 'unused', key: 'unused' };
export const tags = {
  clusterId: 'fleet-x100000',
  namespace: 'team',
  manifest: 'fleet',
  installation: 'kubeloom',
  generation: 1,
};

/** Throws for a provider whose plugin cannot be built. */
export function buildOf(type: string): PluginBuild {
  const build = schemaSources[type]?.build;
  if (!build) throw new Error(`${type} has no plugin that can be built`);
  return build;
}

/** The template of the case with the version of the plugin that is there instead of the pinned one; it is in `<directory>/mirror` then. */
export function withPlugin(directory: string, { type, template }: ProviderCase): ProviderCase['template'] {
  const build = buildOf(type);
  const { provider } = template;
  if (!provider) throw new Error(`${type} has no provider block`);
  addToMirror(join(directory, 'mirror'), buildPlugin(build), provider.source, build.release);
  return { ...template, provider: { ...provider, version: build.release } };
}
