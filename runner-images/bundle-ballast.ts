/** Parts of packages that no bundle of ours uses, and what stands in for them: a third of a bundle. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

export interface Ballast {
  readonly file: RegExp;
  /** JavaScript, or what makes it of the text of the file. */
  readonly instead: string | ((text: string) => string);
}

/** What a bundle has instead of the file. */
export async function lightened({ instead }: Ballast, path: string): Promise<string> {
  return typeof instead === 'string' ? instead : instead(await readFile(path, 'utf8'));
}

export const commonBallast: readonly Ballast[] = [
  // The messages of zod in fifty languages.
  { file: /zod\/v4\/locales\/index\.js$/, instead: "export { default as en } from './en.js';" },
  // Distinguishes browsers.
  { file: /node_modules\/bowser\//, instead: 'export default {};' },
  // The same parser as ES modules, of which esbuild takes what is needed.
  { file: /node_modules\/yaml\/dist\/index\.js$/, instead: "export * from '../browser/dist/index.js';" },
];

/** Schemas made out of JSON Schema: only runners judge properties of provider types. */
export const schemaReader: Ballast = {
  file: /zod\/v4\/classic\/from-json-schema\.js$/,
  instead: 'export function fromJSONSchema() {}',
};

/**
 * A third of the schemas of a cold start are a plain string or whole number, alone, optional, nullable or in an array. A schema
 * never changes, since each method makes another one: so one of each is enough.
 */
export const sharedSchemas: Ballast = {
  file: /zod\/v4\/classic\/schemas\.js$/,
  instead: (text) =>
    `${text
      .replaceAll(plain, (_, head, name, make) => `${head} return shared(undefined, '${name}', () => ${make}));\n}`)
      .replaceAll(
        plainUnlessAsked,
        (_, head, name, make) =>
          `${head} return params === undefined ? shared(undefined, '${name}', () => ${make})) : ${make}, params);\n}`,
      )
      .replaceAll(
        wrapped,
        (_, head, name, inner, make) => `${head} return shared(${inner}, '${name}', () => ${make});\n}`,
      )
      .replace(
        array,
        (_, head, make) =>
          `${head} return params === undefined ? shared(element, 'array', () => ${make})) : ${make}, params);\n}`,
      )
      .replace(
        whole,
        (_, head, make) =>
          `${head} return params === undefined ? shared(this, 'int', () => ${make}))) : ${make}params));\n}`,
      )}\n${shared}`,
};

const plain = /(export function (unknown|any)\(\) \{)\s+return (core\._\w+\(Zod\w+)\);\s+\}/g;
const plainUnlessAsked =
  /(export function (string|number|boolean)\(params\) \{)\s+return (core\._\w+\(Zod\w+), params\);\s+\}/g;
const wrapped = /(export function (optional|nullable)\((\w+)\) \{)\s+return (new Zod\w+\(\{[^;]*\}\));\s+\}/g;
const array =
  /(export function array\(element, params\) \{)\s+return (core\._array\(ZodArray, element), params\);\s+\}/;
/** A method of numbers. */
const whole = /(\bint\(params\) \{)\s+return (this\.check\(int\()params\)\);\s+\}/;

/** By schema what it is wrapped in; the plain ones have no inner schema. What is not shared is made for each caller. */
const shared = `var sharedOnes;
function shared(inner, name, make) {
  sharedOnes ??= new Map([[undefined, {}]]);
  const made = sharedOnes.get(inner);
  if (made === undefined) return make();
  if (made[name] === undefined) sharedOnes.set(made[name] = make(), {});
  return made[name];
}
`;

export function withoutBallast(ballast: readonly Ballast[]): Plugin {
  return {
    name: 'without-ballast',
    setup({ onLoad }) {
      for (const part of ballast)
        onLoad({ filter: part.file }, async ({ path }) => ({
          contents: await lightened(part, path),
          resolveDir: dirname(path),
        }));
    },
  };
}

/** Packages in CommonJS call `require`, which an ES module has not. */
export const requireBanner =
  "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);";

/**
 * The shapes of a service's operations, with plain keys: esbuild leaves out a shape that nothing uses, but keeps one whose
 * computed key might do something. In S3 that is nearly every operation.
 */
export const plainKeys: Ballast = {
  file: /@aws-sdk\/client-[^/]+\/dist-es\/schemas\/\w+\.js$/,
  instead: (text) => {
    const names = new Map([...text.matchAll(/^const (_\w+) = (".*");$/gm)].map(([, name, value]) => [name, value]));
    return text.replaceAll(/\[(_\w+)\]:/g, (key, name) => (names.has(name) ? `${names.get(name)}:` : key));
  },
};

/**
 * Errors of a service, 140 in that of secrets: classes that differ in their names only. One that has anything else stays as
 * it is.
 */
export const plainErrors: Ballast = {
  file: /@aws-sdk\/client-[^/]+\/dist-es\/models\/errors\.js$/,
  instead: (text) =>
    `${text.replaceAll(errorClass, (_, name, id, fault, fields: string) => {
      const names = [...fields.matchAll(/this\.(\w+)/g)].map(([, field]) => field);
      return `export const ${name} = /* @__PURE__ */ plainError(${JSON.stringify(name)}, ${id}, ${fault}, ${JSON.stringify(names)});\n`;
    })}\n${plainError}`,
};

const errorClass =
  /export class (\w+) extends __BaseException \{\s+static shapeId = ("[^"]+");\s+name = "\1";\s+\$fault = ("client"|"server");\s+(?:\w+;\s+)*constructor\(opts\) \{\s+super\(\{\s+name: "\1",\s+\$fault: \3,\s+\.\.\.opts,\s+\}\);\s+Object\.setPrototypeOf\(this, \1\.prototype\);\s+((?:this\.\w+ = opts\.\w+;\s+)*)\}\s+\}\n/g;

const plainError = `function plainError(name, shapeId, $fault, fields) {
  const Made = class extends __BaseException {
    static shapeId = shapeId;
    name = name;
    $fault = $fault;
    constructor(opts) {
      super({ name, $fault, ...opts });
      Object.setPrototypeOf(this, Made.prototype);
      for (const field of fields) this[field] = opts[field];
    }
  };
  return Object.defineProperty(Made, 'name', { value: name });
}
`;
