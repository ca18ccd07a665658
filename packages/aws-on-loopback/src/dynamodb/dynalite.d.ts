/** dynalite ships no types; this is the part that is used. Its operations and their checks run on a store of ours. */
declare module 'dynalite/validations/index.js' {
  type Types = Readonly<Record<string, unknown>>;
  /** The input without fields that the operation does not know. Throws a `ServiceError`. */
  export function checkTypes(input: unknown, types: Types): Record<string, unknown>;
  /** Parses its expressions, too: they are kept in the input. Throws a `ServiceError`. */
  export function checkValidations(input: object, types: Types, custom: unknown, store: object): void;
}

declare module 'dynalite/validations/*.js' {
  export const types: Readonly<Record<string, unknown>>;
  export const custom: unknown;
}

declare module 'dynalite/actions/*.js' {
  export default function act(
    store: object,
    input: Record<string, unknown>,
    answer: (error: Error | null, output?: Record<string, unknown>) => void,
  ): void;
}

/** The whole of it, with LevelDB or memory below: what ours is compared with. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface Options {
    /** Directory of the LevelDB store. @default in memory */
    readonly path?: string;
    readonly createTableMs?: number;
  }
  export default function dynalite(options: Options): Server;
}
