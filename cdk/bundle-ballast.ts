/** Parts of packages that no bundle of ours uses, and what stands in for them: a third of a bundle. */
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

export interface Ballast {
  readonly file: RegExp;
  readonly instead: string;
}

export const commonBallast: readonly Ballast[] = [
  // The messages of zod in fifty languages, and schemas made out of JSON Schema.
  { file: /zod\/v4\/locales\/index\.js$/, instead: "export { default as en } from './en.js';" },
  { file: /zod\/v4\/classic\/from-json-schema\.js$/, instead: 'export function fromJSONSchema() {}' },
  // Distinguishes browsers.
  { file: /node_modules\/bowser\//, instead: 'export default {};' },
  // The same parser as ES modules, of which esbuild takes what is needed.
  { file: /node_modules\/yaml\/dist\/index\.js$/, instead: "export * from '../browser/dist/index.js';" },
];

export function withoutBallast(ballast: readonly Ballast[]): Plugin {
  return {
    name: 'without-ballast',
    setup({ onLoad }) {
      for (const { file, instead } of ballast)
        onLoad({ filter: file }, ({ path }) => ({ contents: instead, resolveDir: dirname(path) }));
    },
  };
}

/** Packages in CommonJS call `require`, which an ES module has not. */
export const requireBanner =
  "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);";
