/** What Terraform may install from the image's mirror: the dependency lock file of a workspace. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** A plugin in its exact version. */
export interface PinnedProvider {
  readonly source: string;
  readonly version: string;
}

/** `hashes.json` of a mirror, written when its image was built: by address with host. */
export const MirrorHashes = z.record(
  z.string().regex(/^[\w.-]+(\/[\w-]+){2}$/),
  z.object({
    version: z.string().regex(/^[\w.+-]{1,64}$/),
    hashes: z.array(z.string().regex(/^h1:[A-Za-z0-9+/]{43}=$/)).min(1),
  }),
);
export type MirrorHashes = z.infer<typeof MirrorHashes>;

/**
 * Text of `.terraform.lock.hcl`: with it `terraform init` refuses a plugin that is not the one of the build. A plugin that the mirror has not in this version
 * has no entry: templates of users may pin others.
 */
export function pluginLock(known: MirrorHashes, required: readonly PinnedProvider[]): string {
  const entries = Object.entries(known).filter(([address, { version }]) =>
    required.some((one) => one.version === version && (address === one.source || address.endsWith(`/${one.source}`))),
  );
  return entries
    .map(([address, { version, hashes }]) => {
      const lines = hashes.map((hash) => `    "${hash}",\n`).join('');
      return `provider "${address}" {\n  version = "${version}"\n  hashes = [\n${lines}  ]\n}\n`;
    })
    .join('\n');
}

/** Writes it into the directory; nothing where the mirror has no hashes. Throws for ones in another form. */
export async function writePluginLock(
  directory: string,
  mirror: string,
  required: readonly PinnedProvider[],
): Promise<void> {
  const text = await readFile(join(mirror, 'hashes.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const lock = pluginLock(MirrorHashes.parse(JSON.parse(text)), required);
  if (lock !== '') await writeFile(join(directory, '.terraform.lock.hcl'), lock);
}
