/**
 * Makes test/providers/schemas/<type>.json.
 *
 *     node scripts/provider-schemas/generate.ts [--plugins] [--bindings DIR] [--check] [type…]
 *
 * --plugins   build what the Go module proxy lets us build (cached in ~/.cache/kubeloom/providers; the first time takes
 *             from minutes to an hour) and ask the plugins; without it a fixture made from a plugin stays as it is,
 *             unless a module uses a type that it lacks: then it is made from what else there is
 * --bindings  directory with node_modules/<package of the bindings>; without it they are installed into a temporary one
 * --check     write nothing, say what differs, exit 1 if anything does
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fixtureFile, fixtureText, makeFixture } from './make-fixture.ts';
import { schemaSources } from './sources.ts';

const say = (sentence: string): void => {
  process.stderr.write(`provider-schemas: ${sentence}\n`);
};
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { plugins: { type: 'boolean' }, bindings: { type: 'string' }, check: { type: 'boolean' } },
});
const temporary = mkdtempSync(join(tmpdir(), 'kubeloom-bindings-'));
const options = { plugins: values.plugins ?? false, bindings: values.bindings ?? temporary, say };
let different = 0;
try {
  for (const type of positionals.length ? positionals : Object.keys(schemaSources)) {
    const file = fixtureFile(type);
    const fresh = fixtureText(makeFixture(type, options));
    if (existsSync(file) && readFileSync(file, 'utf8') === fresh) continue;
    different += 1;
    say(values.check ? `${type}.json is not what is made now` : `${type}.json written`);
    if (!values.check) writeFileSync(file, fresh);
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
process.exitCode = values.check && different ? 1 : 0;
