/** Writes functions/rights/uses.json: what the roles in AWS are made of. Read its diff: every new line is a new right. */
import { writeFileSync } from 'node:fs';
import { deriveUses } from '../cdk/rights/derive-uses.ts';

const text = `${JSON.stringify(await deriveUses(), null, 2)}\n`;
if (process.argv.includes('--stdout')) process.stdout.write(text);
else writeFileSync(new URL('../functions/rights/uses.json', import.meta.url), text);
