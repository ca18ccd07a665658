/**
 * Writes the `variables.tf` of every built-in type's modules, and the tables of `templates/terraform/README.md`, from the contract
 * (`cli/provider-kit/contract.ts`). In a `variables.tf`, what follows the line `# Written by hand` is kept, since it is written by
 * hand: variables of its own, which also replace those of the contract with the same name; and words for descriptions,
 * `# name, name: Words.`, which are added, or, if they begin with "Not used:", used instead.
 *
 *     node scripts/generate-module-variables.ts [--check]      --check writes nothing, names the files that differ, exits 1
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@cdktf/hcl2json';
import { contractVariables } from '#cli/provider-kit/contract.ts';
import { moduleNames } from '#cli/provider-kit/module-source.ts';
import { variableBlock } from '#cli/provider-kit/variable-block.ts';
import { settle } from './generated.ts';

process.chdir(join(import.meta.dirname, '..'));
const templates = 'templates/terraform';
const head = '# Generated from cli/provider-kit/contract.ts, down to the line "Written by hand": do not edit here.\n';
const ownTitle = '# Written by hand, for this type only: variables, and words for the descriptions above.\n';
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
      if (!used) return variableBlock(variable, facts, more.startsWith('Not used') ? more : unused);
      return variableBlock(variable, facts, `${facts.description} ${more}`.trim());
    });
  return `${head}\n${blocks.join('\n')}${own === '' ? '' : `\n${ownTitle}${own}`}`;
}

/** Variable → words for its description. */
function wordsIn(own: string): ReadonlyMap<string, string> {
  return new Map(
    [...own.matchAll(/^# ([a-z_]+(?:, [a-z_]+)*): (.+)$/gm)].flatMap(([, names = '', words = '']) =>
      names.split(', ').map((name) => [name, words] as const),
    ),
  );
}

/** The README of the contract with its three tables. */
function renderReadme(text: string): string {
  return moduleNames.reduce((page, name) => {
    const begin = `<!-- variables of ${name}, generated -->\n`;
    const [from, to] = [page.indexOf(begin), page.indexOf('<!-- end -->', page.indexOf(begin))];
    if (from < 0 || to < 0) throw new Error(`templates/terraform/README.md has no place for the variables of ${name}`);
    const rows = Object.entries(contractVariables[name]).map(([variable, { type, default: fallback, description }]) => {
      const shown = type
        .replaceAll(/\{\s+/g, '{ ')
        .replaceAll(/\s*\n\s*\}/g, ' }')
        .replaceAll(/\s*\n\s*/g, ', ')
        .replaceAll(/ +/g, ' ');
      return `| \`${variable}\` | \`${shown}\` | ${fallback === undefined ? '' : `\`${fallback}\``} | ${description.replaceAll('<', '&lt;')} |\n`;
    });
    const table = `| variable | type | default | meaning |\n|---|---|---|---|\n${rows.join('')}`;
    return page.slice(0, from) + begin + table + page.slice(to);
  }, text);
}

const readme = join(templates, 'README.md');
settle(readme, renderReadme(readFileSync(readme, 'utf8')));
for (const type of readdirSync(templates)) {
  for (const name of moduleNames) {
    const directory = join(templates, type, name);
    if (existsSync(directory)) settle(join(directory, 'variables.tf'), await render(directory, name));
  }
}
