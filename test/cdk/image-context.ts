/** What Docker would be sent, in a directory of its own. */
import { cpSync } from 'node:fs';
import { relative } from 'node:path';
import { imageExclusions, imageRoot } from '../../cdk/image-sources.ts';

const excluded = new Set(imageExclusions());

/** Whether a file or folder is sent; the path is relative to the root of the repository. */
export function isSent(path: string): boolean {
  return path.split('/').every((_, depth, parts) => !excluded.has(parts.slice(0, depth + 1).join('/')));
}

export function copyContext(target: string): void {
  cpSync(imageRoot, target, { recursive: true, filter: (from) => isSent(relative(imageRoot, from)) });
}
