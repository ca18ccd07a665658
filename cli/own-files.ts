/** Files that come with the command line: `cli/` in a clone and `lib/` in the npm package are both one below the root. */
import { fileURLToPath } from 'node:url';

/** Path of a file, from the root of the clone or of the package. */
export const ownFile = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
