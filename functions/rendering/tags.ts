/** Tags (labels) of everything in a cloud: its owner and its purpose. */
import { trimmedEnd } from '#domain/trimmed-end.ts';

export interface TagSource {
  readonly installation: string;
  readonly namespace: string;
  readonly manifest: string;
  readonly clusterId: string;
  /** Tags of the run; modules do not change a resource when only this differs. */
  readonly generation: number;
}

/** The strictest clouds (GCP) allow lower-case letters, digits, `-` and `_`, 63 of them. */
const longest = 63;

/** Renders them, in values that every cloud takes. `pool`: id of the node pool, for what belongs to one. */
export function tagsOf(source: TagSource, pool?: string): Readonly<Record<string, string>> {
  const tags = {
    'managed-by': 'kubeloom',
    'kubeloom-installation': source.installation,
    // Neither name can have a `_`.
    'kubeloom-manifest': `${source.namespace}_${source.manifest}`,
    'kubeloom-cluster': source.clusterId,
    ...(pool === undefined ? {} : { 'kubeloom-pool': pool }),
    'kubeloom-generation': String(source.generation),
  };
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, tagValue(value)]));
}

function tagValue(text: string): string {
  return trimmedEnd(
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9_-]/g, '-')
      .slice(0, longest),
    '-_',
  );
}
