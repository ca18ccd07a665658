/** The built files of the console in memory, with the headers under which a browser gets them. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import { cacheControl } from '#contracts/console-page.ts';

interface ConsoleFile {
  readonly type: string;
  readonly body: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
  readonly cacheControl: string;
}

/** By their paths below `/console/`; the page itself has the empty one. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Only what is in the directory now can ever be asked for: a path is a key, not a place on the disk. */
export async function readConsoleFiles(directory: string): Promise<ConsoleFiles> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && types[extname(entry.name)] !== undefined);
  return new Map(
    await Promise.all(
      files.map(async (entry): Promise<[string, ConsoleFile]> => {
        const path = join(entry.parentPath, entry.name);
        const name = relative(directory, path).split(sep).join('/');
        const body = await readFile(path);
        return [
          name === 'index.html' ? '' : name,
          {
            type: types[extname(name)] ?? '',
            body,
            zipped: gzipSync(body, { level: 9 }),
            etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 20)}"`,
            cacheControl: cacheControl(name),
          },
        ];
      }),
    ),
  );
}
