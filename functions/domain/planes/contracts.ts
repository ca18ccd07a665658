/** Contracts of Cluster API: which release of a provider has which, and which ones a core works with. */
import { z } from 'zod';

/** `metadata.yaml` of a release. */
const ReleaseMetadata = z.object({
  kind: z.literal('Metadata'),
  releaseSeries: z.array(
    z.object({ major: z.int(), minor: z.int(), contract: z.string().regex(/^v\d+((alpha|beta)\d+)?$/) }),
  ),
});

/** As `clusterctl` has it: a core with v1beta2 works with providers of v1beta1 until that contract ends. */
const alsoWith: Readonly<Record<string, readonly string[]>> = { v1beta2: ['v1beta1'] };

export type FoundContract = { readonly contract: string } | { readonly reason: string };

/** `metadata` is the document of its `metadata.yaml`, as parsed. */
export function contractOf(release: string, metadata: unknown): FoundContract {
  const parsed = ReleaseMetadata.safeParse(metadata);
  if (!parsed.success) return { reason: 'its metadata is not the metadata.yaml of a release, with releaseSeries' };
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(release) ?? [];
  const series = parsed.data.releaseSeries.find((one) => one.major === Number(major) && one.minor === Number(minor));
  if (series !== undefined) return { contract: series.contract };
  const known = parsed.data.releaseSeries.map((one) => `v${one.major}.${one.minor}`).slice(0, 10);
  return { reason: `its metadata knows ${known.join(', ') || 'no release'}, but not v${major}.${minor}` };
}

export function worksWith(core: string, provider: string): boolean {
  return core === provider || (alsoWith[core] ?? []).includes(provider);
}

/** For messages: `v1beta2 and v1beta1`. */
export function contractsOfCore(core: string): string {
  return [core, ...(alsoWith[core] ?? [])].join(' and ');
}
