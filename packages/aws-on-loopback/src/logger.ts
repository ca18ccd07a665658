/** The log of the services: one structured line for each decision, which the program that starts them writes. */

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Logger {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Logs nothing. */
export const silentLogger: Logger = { info: () => {}, warn: () => {}, error: () => {} };

/** The message of a thrown value. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
