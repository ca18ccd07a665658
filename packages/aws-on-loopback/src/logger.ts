/** The log of the platform: one structured line for each decision. Only `local/server.ts` writes it. */

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Logger {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** For tests and for `simulate`, where the platform logs nothing. */
export const silentLogger: Logger = { info: () => {}, warn: () => {}, error: () => {} };

/** The message of a thrown value. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
