/** What keeps the platform from working as it should, told by `/v1/health`, `local status` and every request that it stops. */
import { statfsSync } from 'node:fs';

export interface Trouble {
  readonly status: 503 | 507;
  readonly code: string;
  readonly detail: string;
  /** Reading goes on. */
  readonly readable: boolean;
}

/** Left for what runs already: it must be able to say how it ended. */
const reservedBytes = 16 * 1024 * 1024;

/** When the disk of the directory is as good as full. It is gone as soon as there is space. */
export function diskTrouble(directory: string): Trouble | undefined {
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize >= reservedBytes) return undefined;
  const left = Math.floor((bavail * bsize) / 1024 / 1024);
  const detail = `the disk is full: ${directory} has ${left} MB left, ${reservedBytes / 1024 / 1024} MB are needed; free space, then try again`;
  return { status: 507, code: 'DiskFull', detail, readable: true };
}

/** When a part of the platform has ended. */
export function partEnded(part: string, cause: string): Trouble {
  const detail = `${part} has ended: ${cause}; see platform.log, then \`kubeloom local down\` and \`kubeloom local up\``;
  return { status: 503, code: 'ServiceUnavailable', detail, readable: false };
}
