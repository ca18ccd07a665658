/**
 * The attacks of a review again, as JSON: `node bench/attacks/run.ts [authorization] [hcl] [tests]` (default: all). `tests` runs the files that have the other
 * attacks, and counts: four eyes, tokens of an issuer, addresses inside, damaged stores. Races, bursts and kills under load are `node bench/run.ts racers burst load`.
 * Everything is on 127.0.0.1. Exits with 1 when an attack came through.
 */
import { measureAuthorization } from './authorization.ts';
import { measureHcl } from './hcl.ts';
import { measureTests } from './tests.ts';

process.env.KUBELOOM_LOG = 'none';
const attacks = { authorization: measureAuthorization, hcl: measureHcl, tests: measureTests } as const;
const names = Object.keys(attacks) as (keyof typeof attacks)[];
const asked = names.filter((name) => process.argv.includes(name));
const results: Record<string, unknown> = {};
for (const name of asked.length > 0 ? asked : names) results[name] = await attacks[name]();
const text = JSON.stringify(results, null, 2);
process.stdout.write(`${text}\n`);
process.exit(/"hole": |"evaluated": \[\n|"failed": [1-9]/.test(text) ? 1 : 0);
