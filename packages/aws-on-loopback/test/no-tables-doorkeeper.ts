/** Knows one key, whose caller may not use any operation. */
import type { Doorkeeper } from '../src/server/callers.ts';

export const doorkeeperOf =
  (accessKey: string): Doorkeeper =>
  ({ accessKeyId }) =>
    accessKeyId === accessKey
      ? { denial: (action) => `no ${action}`, denialOf: (_, operation) => `no ${operation}` }
      : undefined;
