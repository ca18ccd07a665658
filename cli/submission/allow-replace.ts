/** `--allow-replace POOL`: the replace annotation, for this submission only. */
import type { Command } from 'commander';
import { isManifest } from '#domain/documents/validate-documents.ts';
import { draftOfDocument } from '#domain/manifest/groups/groups-as-manifest.ts';
import { replaceAnnotation } from '#domain/manifest/replaceable-pools.ts';
import { CliError, exitCodes } from '../exit-codes.ts';

export function allowReplaceOption(command: Command): Command {
  return command.option('--allow-replace <pool...>', 'replace the machines of these pools if a change requires it');
}

/**
 * Adds the pools to the annotation of each manifest that has them; the documents are changed in place, so that faults
 * keep their lines. Throws `CliError` for a pool that none of them has.
 */
export function allowReplace(documents: readonly unknown[], pools: readonly string[] = []): void {
  const manifests = documents.filter(isManifest) as Manifest[];
  for (const pool of pools) {
    const owners = manifests.filter((manifest) => {
      const { spec } = draftOfDocument(manifest) as Manifest;
      return spec?.nodePools?.dynamic?.some(({ name }) => name === pool);
    });
    if (owners.length === 0)
      throw new CliError(
        `--allow-replace ${pool}: no manifest of these files has a dynamic pool of that name`,
        exitCodes.usage,
      );
    for (const { metadata } of owners) {
      const before = metadata.annotations?.[replaceAnnotation];
      metadata.annotations = { ...metadata.annotations, [replaceAnnotation]: before ? `${before},${pool}` : pool };
    }
  }
}

/** The fields that are read before the document is validated. */
interface Manifest {
  readonly metadata: { annotations?: Record<string, string> | null };
  readonly spec?: { readonly nodePools?: { readonly dynamic?: readonly { readonly name?: unknown }[] } };
}
