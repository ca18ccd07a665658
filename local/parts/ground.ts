/** What the parts of a platform stand on. Each is started on those before it, and says how it stops as soon as it runs. */
import { join } from 'node:path';
import type { OidcOptions } from 'aws-on-loopback/api-gateway/oidc-issuer.ts';
import type { Logger } from 'aws-on-loopback/logger.ts';
import type { DataDirectory } from '../data-directory.ts';
import type { Product, RunnerKind } from '../product.ts';
import { functionKeyOf } from '../rights/access-key.ts';

/** What all parts stand on. */
export interface Ground {
  readonly directory: DataDirectory;
  /** Nothing outlives the platform. */
  readonly inMemory: boolean;
  readonly product: Product;
  readonly runner: RunnerKind;
  readonly apiPort: number;
  readonly tickSeconds: number;
  readonly graceMs: number | undefined;
  readonly oidc: OidcOptions | undefined;
  readonly acceptLoss: boolean;
  readonly accessKey: string;
  readonly logger: Logger;
  /** Steps are done in reverse order when the platform stops. */
  onStop(step: () => void | Promise<void>): void;
}

/** A file of its directory. */
export const inDirectory = ({ directory }: Ground, name: string): string => join(directory.path, name);
/** A SQLite file. */
export const stateIn = (ground: Ground, name: string): string =>
  ground.inMemory ? ':memory:' : inDirectory(ground, name);

/** What a function finds in addition to the variables of the platform. */
export const environmentOf = ({ accessKey }: Ground, name: string): Readonly<Record<string, string>> => ({
  AWS_ACCESS_KEY_ID: functionKeyOf(accessKey, name),
});
