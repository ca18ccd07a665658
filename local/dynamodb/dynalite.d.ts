/** dynalite ships no types; this is the part that is used. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  interface Options {
    /** Directory of the LevelDB store. @default in memory */
    readonly path?: string;
    readonly createTableMs?: number;
    readonly deleteTableMs?: number;
    readonly updateTableMs?: number;
  }
  export default function dynalite(options: Options): Server;
}
