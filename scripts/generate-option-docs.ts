/** Writes the table of options into docs/aws/deploy.md, out of cdk/options.ts. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Options } from '../cdk/options.ts';
import { settle } from './generated.ts';

/** The page with a table that is current. */
export function pageWithOptions(text: string): string {
  const defaults = Options.parse({});
  const rows = Object.entries(Options.shape).map(([name, shape]) => {
    const value = defaults[name as keyof typeof defaults];
    const shown = Array.isArray(value) ? value.join(', ') : value;
    return `| \`${name}\` | ${shown === undefined || shown === '' ? '' : `\`${shown}\``} | ${meaning(shape)} |`;
  });
  const table = ['| option | default | meaning |', '|---|---|---|', ...rows].join('\n');
  const found = /^\| option \| default \| meaning \|\n(?:\|.*\n)+/m;
  if (!found.test(text))
    throw new Error('docs/aws/deploy.md has no table that begins with | option | default | meaning |');
  return text.replace(found, () => `${table}\n`);
}

function meaning(shape: z.ZodType): string {
  return z.globalRegistry.get(shape)?.description ?? '';
}

if (import.meta.main) {
  const page = new URL('../docs/aws/deploy.md', import.meta.url);
  settle('docs/aws/deploy.md', pageWithOptions(readFileSync(page, 'utf8')));
}
