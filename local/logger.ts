/** Where the platform tells what it does: one structured line for each decision. `local/server.ts` is the one that writes. */

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Logger {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** For tests and for `simulate`, where the platform has nothing to tell. */
export const silentLogger: Logger = { info: () => {}, warn: () => {}, error: () => {} };

/** The sentence of whatever was thrown. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
