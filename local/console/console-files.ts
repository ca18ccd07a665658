/** The built files of the console in memory, with the headers under which a browser gets them. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface ConsoleFile {
  readonly type: string;
  readonly body: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
  /** Its name changes with its content. */
  readonly lasting: boolean;
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
            ...{ type: types[extname(name)] ?? '', body, zipped: gzipSync(body, { level: 9 }) },
            etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 20)}"`,
            lasting: name.startsWith('assets/'),
          },
        ];
      }),
    ),
  );
}

/** No script, style or connection but our own, no markup from strings, no frame around it, and nothing of it in other sites. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
    ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
  ].join('; '),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};
