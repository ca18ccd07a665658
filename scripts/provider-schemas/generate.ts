/**
 * Makes test/providers/schemas/<type>.json.
 *
 *     node scripts/provider-schemas/generate.ts [--plugins] [--check] [type…]
 *
 * --plugins   build what the Go module proxy lets us build (cached in ~/.cache/kubeloom/providers; the first time takes
 *             from minutes to an hour) and ask the plugins; without it a fixture made from a plugin stays as it is,
 *             and a module that uses a type that it lacks is refused
 * --check     write nothing, say what differs, exit 1 if anything does
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fixtureFile, fixtureText, makeFixture } from './make-fixture.ts';
import { schemaSources } from './sources.ts';

const say = (sentence: string): void => {
  process.stderr.write(`provider-schemas: ${sentence}\n`);
};
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { plugins: { type: 'boolean' }, check: { type: 'boolean' } },
});
let different = 0;
for (const type of positionals.length ? positionals : Object.keys(schemaSources)) {
  const file = fixtureFile(type);
  const fresh = fixtureText(makeFixture(type, { plugins: values.plugins ?? false, say }));
  if (existsSync(file) && readFileSync(file, 'utf8') === fresh) continue;
  different += 1;
  say(values.check ? `${type}.json is not what is made now` : `${type}.json written`);
  if (!values.check) writeFileSync(file, fresh);
}
process.exitCode = values.check && different ? 1 : 0;
