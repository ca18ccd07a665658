/** The copy of a provider type's folder that is kept: one text, known by its SHA-256, which the pin of a document has. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';

const KeptCopy = z.strictObject({
  schema: z.literal(1),
  /** Path in the folder to content in base64. */
  files: z.record(z.string().regex(/^(?!(.*\/)?\.\.?(\/|$))[^/]/), z.base64()),
  /** Paths of programs; absent if it has no programs. */
  programs: z.array(z.string()).optional(),
});

/** The same folder always gives the same text. */
export async function copyText(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = await Promise.all(
    paths.toSorted().map(async (path) => {
      const [content, { mode }] = await Promise.all([readFile(path), stat(path)]);
      return { path: relative(folder, path), content: content.toString('base64'), isProgram: (mode & 0o100) !== 0 };
    }),
  );
  const programs = files.flatMap(({ path, isProgram }) => (isProgram ? [path] : []));
  const copy: z.infer<typeof KeptCopy> = {
    schema: 1,
    files: Object.fromEntries(files.map(({ path, content }) => [path, content])),
    ...(programs.length > 0 && { programs }),
  };
  return JSON.stringify(copy);
}

export function checksumOfCopy(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Writes its files into an empty folder. */
export async function unpackCopy(text: string, folder: string): Promise<void> {
  const { files, programs = [] } = KeptCopy.parse(JSON.parse(text));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    const mode = programs.includes(path) ? 0o755 : 0o644;
    await writeFile(join(folder, path), Buffer.from(content, 'base64'), { mode });
  }
}
