/** Prints a root module that requires every provider which a provider.json below the directory names, in its exact version; of some types, if they are named. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [templates, named = ''] = process.argv.slice(2);
if (templates === undefined) throw new Error('usage: provider-requirements.mjs TEMPLATES ["TYPE …"]');
const types = named.split(' ').filter(Boolean);
const required = {};
for (const type of readdirSync(templates).sort()) {
  const file = join(templates, type, 'provider.json');
  if (!existsSync(file) || (types.length > 0 && !types.includes(type))) continue;
  const { provider, alsoRequired = {} } = JSON.parse(readFileSync(file, 'utf8'));
  for (const { source, version } of [provider ?? [], Object.values(alsoRequired)].flat()) {
    // Two types may share a provider, and two providers a name: local names are made of the whole source.
    const name = source.replaceAll(/[^a-z0-9]/g, '-');
    const other = required[name]?.version;
    if (other !== undefined && other !== version)
      throw new Error(
        `${file} requires ${source} ${version}, another type ${other}: an image can have only one of them`,
      );
    required[name] = { source, version };
  }
}
process.stdout.write(`${JSON.stringify({ terraform: { required_providers: required } }, null, 2)}\n`);
