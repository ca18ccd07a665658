/**
 * Writes the `variables.tf` of every built-in type's modules from the contract (`cli/provider-kit/contract.ts`). What follows the
 * line `# Of this type` is kept, since it is written by hand: variables of its own, which also stand in for one of the contract;
 * and words for descriptions, `# name, name: Words.`, which are added, or, if they begin with "Not used:", used instead.
 *
 *     node scripts/generate-module-variables.ts [--check]      --check writes nothing, names the files that differ, exits 1
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@cdktf/hcl2json';
import { type ContractVariable, contractVariables } from '#cli/provider-kit/contract.ts';
import { moduleNames } from '#cli/provider-kit/module-source.ts';

const templates = join(import.meta.dirname, '../templates/terraform');
const head = '# Generated from cli/provider-kit/contract.ts, down to the line "Of this type": do not edit here.\n';
const ownTitle = '# Of this type, by hand: variables, and words for the descriptions above.\n';
const unused = 'Not used: nothing here needs it.';

/** The file as it should be; `name` is one of `contractVariables`. */
async function render(directory: string, name: (typeof moduleNames)[number]): Promise<string> {
  const file = join(directory, 'variables.tf');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const own = text.includes(ownTitle) ? text.slice(text.indexOf(ownTitle) + ownTitle.length) : '';
  const declared = Object.keys(((await parse(file, own)) as { variable?: object }).variable ?? {});
  const words = wordsIn(own);
  const code = readdirSync(directory)
    .filter((other) => other.endsWith('.tf') && other !== 'variables.tf')
    .map((other) => readFileSync(join(directory, other), 'utf8').replaceAll(/^\s*#.*$/gm, ''))
    .join('\n');
  const unknown = [...words.keys()].filter((known) => contractVariables[name][known] === undefined);
  if (unknown.length > 0)
    throw new Error(`${file} has words for ${unknown.join(', ')}, which the contract does not have`);
  const blocks = Object.entries(contractVariables[name])
    .filter(([variable]) => !declared.includes(variable))
    .map(([variable, facts]) => {
      const more = words.get(variable) ?? '';
      const used = new RegExp(`\\bvar\\.${variable}\\b`).test(code);
      if (used && more.startsWith('Not used')) throw new Error(`${file} says that ${variable} is not used, but it is`);
      if (!used) return block(variable, facts, more.startsWith('Not used') ? more : unused);
      return block(variable, facts, `${facts.description} ${more}`.trim());
    });
  return `${head}\n${blocks.join('\n')}${own === '' ? '' : `\n${ownTitle}${own}`}`;
}

function block(name: string, { type, default: fallback, validation }: ContractVariable, description: string): string {
  const lines = [
    `  description = ${JSON.stringify(description)}`,
    // terraform fmt aligns what fits on one line only.
    `  type${type.includes('\n') ? '' : '       '} = ${type}`,
    ...(fallback === undefined ? [] : [`  default     = ${fallback}`]),
    ...(validation === undefined
      ? []
      : [
          '',
          '  validation {',
          `    condition     = ${validation.condition}`,
          `    error_message = ${JSON.stringify(validation.message)}`,
          '  }',
        ]),
  ];
  return `variable "${name}" {\n${lines.join('\n')}\n}\n`;
}

/** Variable → words for its description. */
function wordsIn(own: string): ReadonlyMap<string, string> {
  return new Map(
    [...own.matchAll(/^# ([a-z_]+(?:, [a-z_]+)*): (.+)$/gm)].flatMap(([, names = '', words = '']) =>
      names.split(', ').map((name) => [name, words] as const),
    ),
  );
}

const check = process.argv.includes('--check');
for (const type of readdirSync(templates)) {
  for (const name of moduleNames) {
    const directory = join(templates, type, name);
    if (!existsSync(directory)) continue;
    const file = join(directory, 'variables.tf');
    const fresh = await render(directory, name);
    if (existsSync(file) && readFileSync(file, 'utf8') === fresh) continue;
    if (!check) writeFileSync(file, fresh);
    else {
      process.exitCode = 1;
      console.error(`${file} is not what scripts/generate-module-variables.ts makes: run it and commit`);
    }
  }
}
