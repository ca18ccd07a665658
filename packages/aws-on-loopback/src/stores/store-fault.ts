/** A store that is damaged, lost or of a newer version: which file, what is wrong with it, and what to do. */

export const restoreBackup = 'restore a backup with `kubeloom local restore FILE` into an empty directory';
export const acceptLoss = '`kubeloom local up --accept-loss` starts with the data that exists';

export class StoreFault extends Error {
  readonly file: string;

  constructor(file: string, wrong: string, toDo: string, cause?: unknown) {
    super(`${file} ${wrong}; ${toDo}`, { cause });
    this.name = 'StoreFault';
    this.file = file;
  }
}

/** SQLITE_FULL, and the codes of the operating system. */
export function isDiskFull(error: unknown): boolean {
  const { errcode, code } = (error ?? {}) as { errcode?: unknown; code?: unknown };
  return errcode === 13 || code === 'ENOSPC' || code === 'EDQUOT';
}
