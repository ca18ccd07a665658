/** A store that is damaged, lost or of a newer version: which file, what is wrong with it, and what to do. */

/** What faults of stores say, in the words of the program that keeps them: it is clonable, so that threads get it, too. */
export interface StoreWords {
  /** Program that writes the stores. */
  readonly writer: string;
  /** What a parameter of SSM is for those who use the program. */
  readonly parameter: string;
  /** What a table that dynalite kept in LevelDB is called. */
  readonly levelDb: string;
  /** How to replace a store that is damaged or lost. */
  readonly restore: string;
  /** How to start without what is lost. */
  readonly acceptLoss: string;
}

export const plainWords: StoreWords = {
  writer: 'aws-on-loopback',
  parameter: 'parameter',
  levelDb: 'in LevelDB',
  restore: 'restore a copy of it',
  acceptLoss: 'the option `acceptLoss` starts with the data that exists',
};

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
