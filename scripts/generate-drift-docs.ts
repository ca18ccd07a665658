/** Writes the tables of docs/drift.md that say what is compared, out of functions/domain/compared-kinds.ts and compared-facts.ts. */
import { readFileSync } from 'node:fs';
import { comparedFacts } from '#domain/compared-facts.ts';
import { comparedKinds } from '#domain/compared-kinds.ts';
import { settle } from './generated.ts';

/** The page with tables that are current. */
export function pageWithComparisons(text: string): string {
  const kinds = Object.entries(comparedKinds).map(([kind, { differs, foundBy, repair }]) => [
    `\`${kind}\``,
    differs,
    foundBy,
    repair,
  ]);
  const facts = Object.values(comparedFacts).map(({ fact, by, often, follows }) => [fact, by, often, follows]);
  const page = withTable(text, ['kind', 'what differs', 'found by', 'a repair runs'], kinds);
  return withTable(page, ['fact', 'compared by', 'how often', 'what follows'], facts);
}

function withTable(text: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const first = `| ${head.join(' | ')} |`;
  const from = text.indexOf(`${first}\n`);
  if (from < 0) throw new Error(`docs/drift.md has no table that begins with ${first}`);
  const after = text.indexOf('\n\n', from);
  const table = [first, `|${head.map(() => '---').join('|')}|`, ...rows.map((row) => `| ${row.join(' | ')} |`)];
  return `${text.slice(0, from)}${table.join('\n')}${after < 0 ? '\n' : text.slice(after)}`;
}

if (import.meta.main) {
  const page = new URL('../docs/drift.md', import.meta.url);
  settle('docs/drift.md', pageWithComparisons(readFileSync(page, 'utf8')));
}
