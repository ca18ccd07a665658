/** Problems of the platform, reported by `/v1/health`, `local status` and every request that fails because of them. */
import { statfsSync } from 'node:fs';

export interface HealthTrouble {
  readonly status: 503 | 507;
  readonly code: string;
  readonly detail: string;
  /** Reads still work. */
  readonly readable: boolean;
}

/** Reserved for running work, so that its end can be recorded. */
const reservedBytes = 16 * 1024 * 1024;

/** The problem of a disk that is almost full. It disappears as soon as there is space. */
export function diskTrouble(directory: string): HealthTrouble | undefined {
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize >= reservedBytes) return undefined;
  const left = Math.floor((bavail * bsize) / 1024 / 1024);
  const detail = `the disk is full: ${directory} has ${left} MB left, ${reservedBytes / 1024 / 1024} MB are needed; free space, then retry`;
  return { status: 507, code: 'DiskFull', detail, readable: true };
}

/** When a part of the platform has ended. */
export function partEnded(part: string, cause: string): HealthTrouble {
  const detail = `${part} has ended: ${cause}; see platform.log, then \`kubeloom local down\` and \`kubeloom local up\``;
  return { status: 503, code: 'ServiceUnavailable', detail, readable: false };
}
