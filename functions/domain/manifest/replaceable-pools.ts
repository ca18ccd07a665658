/** Pools whose machines Kubeloom may replace when a field changes that machines are created with. */
import { error, type Fault } from './faults/fault.ts';
import type { InputManifest } from './schema/input-manifest.ts';
import { shown } from './schema/names.ts';

/** Annotation of the manifest: names of dynamic pools, separated by commas. */
export const replaceAnnotation = 'kubeloom.dev/replace';

/** Those of the annotation, and machine groups whose `update` says so. */
export function replaceablePools(manifest: InputManifest): ReadonlySet<string> {
  const groups = manifest.spec.nodePools.dynamic.filter(({ update }) => update === 'surge' || update === 'replace');
  return new Set([...annotated(manifest), ...groups.map(({ name }) => name)]);
}

function annotated({ metadata }: Pick<InputManifest, 'metadata'>): readonly string[] {
  const names = (metadata.annotations?.[replaceAnnotation] ?? '').split(',').map((name) => name.trim());
  return names.filter(Boolean);
}

/** Names in the annotation that are no dynamic pools. */
export function replaceFaults(manifest: InputManifest): readonly Fault[] {
  const pools = new Set(manifest.spec.nodePools.dynamic.map(({ name }) => name));
  const unknown = [...new Set(annotated(manifest))].filter((name) => !pools.has(name));
  return unknown.map((name) =>
    error(
      ['metadata', 'annotations', replaceAnnotation],
      `there is no dynamic pool ${shown(name)} that could be replaced`,
      'use names of dynamic pools, separated by commas',
    ),
  );
}
