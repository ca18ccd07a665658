/**
 * Reads the catalogues of `functions/domain/catalogue/` again where there is a network:
 *
 *     npm run catalogue                         all that something can read
 *     npm run catalogue -- hetzner aws          these; `distributions`: when distributions end
 *     npm run catalogue -- --clones DIR         from bare clones of public repositories, DIR/<owner>+<name>/repo
 *
 * HCLOUD_TOKEN and DIGITALOCEAN_TOKEN, tokens that only read, give the clouds' own answers. What cannot be read stays as it is, with
 * its date; then the exit code is 1.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CatalogueFile } from '#domain/catalogue/catalogue.ts';
import { cataloguedTypes } from '#domain/catalogue/catalogues.ts';
import { Distributions } from '#domain/catalogue/distributions.ts';
import { catalogueSourceOf } from './catalogue/catalogue-source.ts';
import { readDistributions } from './catalogue/distributions.ts';
import { publicFiles } from './catalogue/public-file.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { clones: { type: 'string' } } });
const today = new Date().toISOString().slice(0, 10);
const file = publicFiles(today, values.clones);
const pathOf = (name: string) => join(import.meta.dirname, '../functions/domain/catalogue', `${name}.json`);
const write = (name: string, content: object) => writeFileSync(pathOf(name), `${JSON.stringify(content, null, 2)}\n`);

async function update(type: string): Promise<void> {
  if (type === 'distributions') {
    write(type, Distributions.parse(await readDistributions(file)));
    return;
  }
  const path = pathOf(type);
  const before = existsSync(path) ? CatalogueFile.parse(JSON.parse(readFileSync(path, 'utf8'))) : undefined;
  const read = await catalogueSourceOf(type);
  const after = await read?.({ today, file, env: process.env, before });
  if (after === undefined) return;
  write(type, CatalogueFile.parse(after));
  const { regions, serverTypes } = after;
  console.log(`${type}: ${regions?.rows.length ?? 0} regions, ${serverTypes?.rows.length ?? 0} server types`);
}

for (const type of [...cataloguedTypes, 'distributions']) {
  if (positionals.length > 0 && !positionals.includes(type)) continue;
  try {
    await update(type);
  } catch (cause) {
    console.error(`${type} stays as it is: ${cause instanceof Error ? cause.message : String(cause)}`);
    process.exitCode = 1;
  }
}
