/**
 * Makes test/providers/bindings/<type>.json, which test/providers/schema-bridge.test.ts holds the fixtures against that were
 * read by people.
 *
 *     node scripts/provider-schemas/bridge/generate.ts [--packages DIR] [--check] [type…]
 *
 * --packages  directory with, or for, the packages' archives; without it they are downloaded into a temporary one
 * --check     write nothing, say what differs, exit 1 if anything does
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bindingsFile, bindingsText, makeBindings } from './make-bindings.ts';
import { bridgePackages } from './packages.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { packages: { type: 'string' }, check: { type: 'boolean' } },
});
const temporary = mkdtempSync(join(tmpdir(), 'kubeloom-bridge-'));
let different = 0;
try {
  if (values.packages) mkdirSync(values.packages, { recursive: true });
  for (const type of positionals.length ? positionals : Object.keys(bridgePackages)) {
    const file = bindingsFile(type);
    const fresh = bindingsText(makeBindings(type, values.packages ?? temporary));
    if (existsSync(file) && readFileSync(file, 'utf8') === fresh) continue;
    different += 1;
    process.stderr.write(`bridge: ${type}.json ${values.check ? 'is not what is made now' : 'written'}\n`);
    if (!values.check) writeFileSync(file, fresh);
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
process.exitCode = values.check && different ? 1 : 0;
